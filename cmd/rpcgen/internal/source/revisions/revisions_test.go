package revisions_test

import (
	"flag"
	"os"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	linediff "github.com/rogpeppe/go-internal/diff"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/mcp"
)

// mcpFolder holds the schemas of the revisions, the published definitions and what is merged over them.
const mcpFolder = "../../../../../schema/mcp/"

var update = flag.Bool("update", false, "rewrite what the tests compare with")

// documents are the compiled revisions.
var documents = sync.OnceValue(func() map[string]*ir.Document {
	all := map[string]*ir.Document{}
	for _, revision := range mcp.Revisions {
		loader := schema.Loader{Read: func(name string) ([]byte, error) { return os.ReadFile(mcpFolder + name) }}
		doc, faults := loader.Load(revision + ".yaml")
		if doc == nil || len(faults) > 0 {
			panic(faults)
		}
		all[revision] = doc
	}
	return all
})

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := linediff.Diff("want", read(t, name), "got", []byte(got)); d != nil {
		t.Errorf("%s:\n%s", name, d)
	}
}

// TestImported imports the published definitions into each schema again: nothing changes, and no entry of an overlay is unneeded.
func TestImported(t *testing.T) {
	for _, revision := range mcp.Revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			source := func(name string) importer.Source { return importer.Source{Name: name, Text: read(t, mcpFolder+name)} }
			out := source(revision + ".yaml")
			overlays := []importer.Source{source("overlay/" + revision + ".yaml")}
			result, err := importer.Import(source("testdata/definitions/"+revision+".json"), importer.Options{Overlays: overlays, Out: &out, Adopt: true})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(out.Text), string(result.Text)); d != "" {
				t.Errorf("(-is +imported):\n%s", d)
			}
		})
	}
}
