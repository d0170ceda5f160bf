package importer_test

import (
	"os"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// revisions are the published revisions of MCP.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// source reads the definitions of a revision.
func source(t *testing.T, revision string) importer.Source {
	t.Helper()
	name := "../../../../../schema/mcp/testdata/definitions/" + revision + ".json"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return importer.Source{Name: name, Text: text}
}

// load compiles what was imported.
func load(t *testing.T, text []byte) *ir.Document {
	t.Helper()
	loader := schema.Loader{Read: func(string) ([]byte, error) { return text, nil }}
	doc, faults := loader.Load("imported.yaml")
	if len(faults) > 0 {
		t.Fatalf("%v\n%s", faults, text)
	}
	return doc
}

// results are the revisions that were imported: several tests look at what they became, and each is imported once.
var results = map[string]*importer.Result{}

// resultOf imports the definitions of a revision.
func resultOf(t *testing.T, revision string) *importer.Result {
	t.Helper()
	if results[revision] == nil {
		result, err := importer.Import(source(t, revision), importer.Options{Generate: generate})
		if err != nil {
			t.Fatal(err)
		}
		results[revision] = result
	}
	return results[revision]
}

// TestRevisions imports every revision of MCP: it compiles without a diagnostic, and nothing of it is opaque.
func TestRevisions(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			result := resultOf(t, revision)
			doc := load(t, result.Text)
			if len(result.Report.Opaque) > 0 || doc.Protocol.Name != "mcp" || doc.Protocol.Revision != revision {
				t.Errorf("%+v\n%+v", result.Report, doc.Protocol)
			}
		})
	}
}
