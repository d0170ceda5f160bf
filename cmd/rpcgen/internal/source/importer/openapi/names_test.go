package openapi

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var hostName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Names of tools are within their budget, fit hosts, differ, and depend on their own operations alone.
func TestNames(t *testing.T) {
	var all []*operation
	for i, id := range []string{
		"issues/list-for-repo", "listPets", "ListPets", "list_pets", "", "2faReset", "read core/v1 NamespacedPodStatus", "listIDsOfUsers", "createHTTPServerV2",
		"apps/list-installation-requests-for-authenticated-app", "Änderung", "日本語", strings.Repeat("veryLongWord", 20), strings.Repeat("very_long_word_", 20), strings.Repeat("x", 300),
		"organizations_environments_repositories_configurations_list", "the_of_for",
	} {
		all = append(all, &operation{id: id, method: "get", path: fmt.Sprintf("/books/{id}/%d", i)})
	}
	for _, most := range []int{20, 40, 47, 64} {
		names := toolNames(all, most)
		seen := map[string]string{}
		for _, o := range all {
			name := names[o]
			if len(name) > most || !hostName.MatchString(name) {
				t.Errorf("%q of %q is not a name of at most %d bytes", name, o.whole(), most)
			}
			if other, twice := seen[name]; twice {
				t.Errorf("%q and %q are both called %q", o.whole(), other, name)
			}
			seen[name] = o.whole()
		}
		more := append(slices.Clone(all), &operation{id: "another/one", method: "put", path: "/other"})
		for i, o := range all {
			if again := toolNames(more, most)[more[i]]; again != names[o] {
				t.Errorf("with another operation, %q becomes %q", names[o], again)
			}
		}
	}
	for id, want := range map[string]string{
		"issues/list-for-repo": "issues_list_for_repo", "listIDsOfUsers": "list_ids_of_users", "createHTTPServerV2": "create_http_server_v2", "2faReset": "n2fa_reset",
		"apps/list-installation-requests-for-authenticated-app": "apps_list_installation_requests_app",
	} {
		if got := shortenName(id, 47); got != want {
			t.Errorf("%q is called %q, not %q", id, got, want)
		}
	}
}

// Names of fields fit hosts: 1 to 64 letters, digits, - and _.
func TestFieldNames(t *testing.T) {
	host := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	for name, want := range map[string]string{"per_page": "per_page", "filter[name]": "filter_name", "$top": "top", "X-Request-Id": "X-Request-Id", "a.b": "a_b", "[]": "value", "": "value", "日本": "value",
		strings.Repeat("n", 80): "", "_id": "_id"} {
		got := fieldName(name)
		if want != "" && got != want || !host.MatchString(got) {
			t.Errorf("%q becomes %q, not %q", name, got, want)
		}
	}
}

func TestPatterns(t *testing.T) {
	op := &operation{id: "issues/list-for-repo", method: "get", path: "/repos/{owner}/{repo}/issues", tags: []string{"issues"}}
	for text, want := range map[string]bool{
		"issues/*": true, "issues/list-for-repo": true, "*": true, "pulls/*": false, "issues": false, "*repo": true, "iss*for*": true, "iss*for": false,
		"tag:issues": true, "tag:iss*": true, "tag:pulls": false,
		"GET /repos/**": true, "GET /repos/*/*/issues": true, "GET /repos/{owner}/{repo}/issues": true, "POST /repos/**": false, "* /repos/**": true, "GET /repos/*": false,
		"GET /**/issues": true, "GET /**": true, "GET /repos/**/**/**/**/**/x": false,
	} {
		if got := patternOf(text).fits(op); got != want {
			t.Errorf("%q fits: %t, not %t", text, got, want)
		}
	}
}

// Texts lose what models do not need, and no more.
func TestTexts(t *testing.T) {
	for s, want := range map[string]string{
		"List issues. Pull requests are among them.":           "List issues.",
		"Uses v2.1 of the API, e.g. for carts. More.":          "Uses v2.1 of the API, e.g. for carts.",
		"<p>Creates a <b>book</b>.</p><p>More.</p>":            "Creates a book .",
		"See [the guide](https://example.com/a) for how. More": "See the guide for how.",
		"## Heading\nReads one. Then more.":                    "Reads one.",
		"No end":                                               "No end",
		"":                                                     "",
		"Is it? Yes.":                                          "Is it?",
		"Note: variables have moved. Lists variables. More.": "Lists variables.",
		"> **Note** !\n> Old. Reads one.":                    "> Old.",
		"Note that it is slow. **Warning:** it locks.":       "Note that it is slow.",
		"Notes of a call. More.":                             "Notes of a call.",
		strings.Repeat("word ", 100):                         strings.TrimSpace(strings.Repeat("word ", 39)) + "...",
	} {
		if got := (Options{}).shorten(s, longestField); got != want {
			t.Errorf("%q becomes %q, not %q", s, got, want)
		}
	}
	for _, tt := range [][3]string{{"Note: old.", "Lists books.", "Lists books."}, {"Note: old.", "", "Note: old."}, {"Reads. More.", "Lists books.", "Reads."}, {"", "Lists books.", "Lists books."}} {
		if got := (Options{}).toldOf(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%q becomes %q", tt, got)
		}
	}
}

// What a pattern or a list of kept paths costs is bounded by its length.
func TestKept(t *testing.T) {
	for s, want := range map[string]string{
		"a.b":           "a.b",
		"a, b.c":        "a b.c",
		"a[].{x,y}, z":  "a[].x a[].y z",
		"a.{b.{c,d},e}": "a.b.c a.b.d a.e",
		"a.{b":          "a.{b",
		"":              "",
	} {
		if got := strings.Join(expandBraces(s), " "); got != want {
			t.Errorf("%q is %q, not %q", s, got, want)
		}
	}
}
