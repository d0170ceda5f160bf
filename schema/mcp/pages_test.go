package mcp_test

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diff"
	"github.com/rpcgen-go/rpcgen/schema/docs"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/mcp"
)

// fromRoot loads a revision as the command does in the root of the repository.
func fromRoot(t *testing.T, revision string) (*ir.Document, diff.Side) {
	t.Helper()
	read := func(name string) ([]byte, error) {
		text, ok := mcp.Source(strings.TrimSuffix(path.Base(name), ".yaml"))
		if !ok {
			return nil, fs.ErrNotExist
		}
		return text, nil
	}
	name := "schema/mcp/" + revision + ".yaml"
	loader := schema.Loader{Read: read}
	doc, faults := loader.Load(name)
	if doc == nil {
		t.Fatal(faults)
	}
	return doc, diff.Side{Label: name, Source: func(file string) ([]byte, bool) {
		text, err := read(file)
		return text, err == nil
	}}
}

// TestPages compares the pages in docs with what they would be now; make generate rewrites them.
func TestPages(t *testing.T) {
	before, old := fromRoot(t, "2025-11-25")
	after, new := fromRoot(t, "2026-07-28")
	reference, err := docs.HTML(after)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := diff.View{Report: diff.Compare(before, after, names), Old: old, New: new}.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"mcp-2026-07-28.html": reference, "mcp-2025-11-25-to-2026-07-28.html": changes} {
		if !bytes.Equal(read(t, "../../docs/"+name), want) {
			t.Errorf("docs/%s is out of date: run make generate", name)
		}
	}
}
