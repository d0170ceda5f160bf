package importer

import (
	"os"
	"testing"
)

func TestTry(t *testing.T) {
	for _, rev := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		b, _ := os.ReadFile("../mcp/testdata/definitions/" + rev + ".json")
		r, err := Import(Source{rev + ".json", b}, Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		os.WriteFile("/tmp/imp-"+rev+".yaml", r.Text, 0o644)
		r.Report.WriteText(os.Stderr)
	}
}
