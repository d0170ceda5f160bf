// Package mcp_test reads the official examples of MCP 2026-07-28 with generated code.
//
//test:sequential
package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	folder      = "../../schema/mcp/testdata/examples"
	definitions = "../../schema/mcp/testdata/definitions/2026-07-28.json"
)

// example is one official example.
type example struct {
	kind, name string
	text       []byte
}

// examples are all of them, 129 of 88 kinds.
func examples(t *testing.T) []example {
	t.Helper()
	files, err := filepath.Glob(folder + "/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []example
	kinds := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kind := filepath.Base(filepath.Dir(file))
		kinds[kind] = true
		if subjects[kind] == nil {
			t.Fatalf("nothing reads a %s", kind)
		}
		all = append(all, example{kind, kind + "/" + filepath.Base(file), text})
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

// parsed is JSON as a value; numbers keep their text, so that 1 is not 1.0.
func parsed(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
