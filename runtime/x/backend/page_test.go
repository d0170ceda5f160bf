package backend

import "testing"

func TestSameList(t *testing.T) {
	const template = "/repos/{owner}/{repo}/issues"
	for linked, want := range map[string]bool{
		"/repos/o/r/issues":            true,
		"/repositories/7/issues":       true,
		"/repos/o/x/issues":            false,
		"/repos/x/r/issues":            false,
		"/users/o/r/issues":            true,
		"/repositories/7/pulls":        false,
		"/":                            false,
		"":                             false,
		"/repos/o/r/issues/7/comments": false,
	} {
		if got := sameList(template, "/repos/o/r/issues", linked); got != want {
			t.Errorf("%s: got %t, want %t", linked, got, want)
		}
	}
	for linked, want := range map[string]bool{"/v3/repos/o/x/issues": false, "/v3/repositories/7/issues": true, "/v3/repos/o/r/issues": true, "/v4/repos/o/r/issues": true} {
		if got := sameList(template, "/v3/repos/o/r/issues", linked); got != want {
			t.Errorf("%s: got %t, want %t", linked, got, want)
		}
	}
	if sameList("/lists/{id}", "/lists/7", "/lists/8") || sameList("/lists", "/lists", "/others") {
		t.Error("a link to another list is taken")
	}
}
