package importer_test

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
)

// TestRevisionIsAskedFor imports definitions of MCP under names that do not tell their revision.
func TestRevisionIsAskedFor(t *testing.T) {
	s := source(t, "2025-11-25")
	for name, told := range map[string]bool{"schema.json": false, "schema/schema.json": false, "2025-11-25/schema.json": true, "mcp-2025-11-25.json": true} {
		_, err := importer.Import(importer.Source{Name: name, Text: s.Text}, importer.Options{})
		asks := err != nil && strings.Contains(err.Error(), "do not say of which revision") && strings.Contains(err.Error(), "2025-11-25.json")
		if told != (err == nil) || !told && !asks {
			t.Errorf("%s: %v", name, err)
		}
	}
}
