package protocol

import (
	"slices"
	"testing"
)

// TestRevisions: each of the revisions has an era, in the order of their dates, and no other text has.
func TestRevisions(t *testing.T) {
	if !slices.IsSorted(Revisions[:]) {
		t.Errorf("the oldest does not come first: %v", Revisions)
	}
	for _, r := range Revisions {
		if Of(r).Era == 0 {
			t.Errorf("%s has no era", r)
		}
	}
	for _, r := range []string{"", "draft", "2024-11-06", "2024-11-05 "} {
		if of := Of(r); of != (Revision{}) {
			t.Errorf("%q has %+v", r, of)
		}
	}
}
