package mcp_test

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// example is one official example.
type example struct {
	kind, name string
	text       []byte
}

// examples are all of them, 129 of 88 kinds.
func examples(t *testing.T) []example {
	t.Helper()
	var all []example
	kinds := map[string]bool{}
	files := texts(t, folder+"/*/*.json")
	for _, file := range slices.Sorted(maps.Keys(files)) {
		kind := filepath.Base(filepath.Dir(file))
		kinds[kind] = true
		if subjects[kind] == nil {
			t.Fatalf("nothing reads a %s", kind)
		}
		all = append(all, example{kind, kind + "/" + filepath.Base(file), files[file]})
	}
	if len(all) != 129 || len(kinds) != 88 || len(subjects) != 88 {
		t.Fatalf("%d examples of %d kinds, %d subjects", len(all), len(kinds), len(subjects))
	}
	return all
}

// TestExamples reads every example and writes it again: the same JSON comes out.
func TestExamples(t *testing.T) {
	for _, e := range examples(t) {
		again, err := subjects[e.kind](e.text)
		if err != nil {
			t.Errorf("%s: %v", e.name, err)
			continue
		}
		if d := cmp.Diff(parsed(t, e.text), parsed(t, again)); d != "" {
			t.Errorf("%s (-read +written):\n%s", e.name, d)
		}
	}
}
