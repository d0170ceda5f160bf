package importer_test

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
)

// TestRevisionIsAskedFor imports definitions of MCP under names that do not tell their revision.
func TestRevisionIsAskedFor(t *testing.T) {
	s := source(t, "2026-07-28")
	for name, told := range map[string]bool{"schema.json": false, "schema/schema.json": false, "2025-11-25/schema.json": true, "mcp-2025-11-25.json": true,
		"draft/schema.json": true, "draft.json": true, "drafts.json": false} {
		_, err := importer.Import(importer.Source{Name: name, Text: s.Text}, importer.Options{})
		asks := err != nil && strings.Contains(err.Error(), "do not say of which revision") && strings.Contains(err.Error(), "2025-11-25.json")
		if told != (err == nil) || !told && !asks {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRevisionIsSaid: a revision that was said counts whatever the source is called, and is for definitions of a protocol alone.
func TestRevisionIsSaid(t *testing.T) {
	s := source(t, "2026-07-28")
	for revision, want := range map[string]string{"2026-07-28-RC": "package: mcp20260728rc\n", "draft": "package: mcpdraft\n", "2026-12-01": "revision: 2026-12-01,"} {
		result, err := importer.Import(importer.Source{Name: "2025-11-25.json", Text: s.Text}, importer.Options{Revision: revision})
		if err != nil {
			t.Fatal(revision, err)
		}
		if !strings.Contains(string(result.Text), want) {
			t.Errorf("%s: %.300s", revision, result.Text)
		}
	}
	_, err := importer.Import(importer.Source{Name: "a.json", Text: []byte(`{"$defs": {"A": {"type": "string"}}}`)}, importer.Options{Revision: "draft"})
	if err == nil || !strings.Contains(err.Error(), "--revision is for the definitions of a protocol") {
		t.Error(err)
	}
}
