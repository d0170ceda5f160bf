package importer_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
)

// FuzzImport imports anything: it panics never, a fault has a position, and what comes out compiles and stays as it is when
// it is imported again.
func FuzzImport(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal("no scenarios")
	}
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(textOf(archive, "source.json"), textOf(archive, "overlay.yaml"), textOf(archive, "out.yaml"))
	}
	f.Fuzz(func(t *testing.T, source, overlay, out string) {
		if len(source)+len(overlay)+len(out) > 20000 {
			return
		}
		o := importer.Options{Adopt: true}
		if overlay != "" {
			o.Overlays = []importer.Source{{Name: "overlay.yaml", Text: []byte(overlay)}}
		}
		if out != "" {
			o.Out = &importer.Source{Name: "out.yaml", Text: []byte(out)}
		}
		from := importer.Source{Name: "source.json", Text: []byte(source)}
		result, err := importer.Import(from, o)
		var faults importer.Faults
		if errors.As(err, &faults) {
			for _, fault := range faults {
				if fault.Pos.File == "" || fault.Message == "" {
					t.Errorf("a fault without a place or a message: %+v", fault)
				}
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := importer.Import(from, importer.Options{Adopt: true, Overlays: o.Overlays, Out: &importer.Source{Name: "out.yaml", Text: result.Text}})
		if err != nil {
			t.Fatalf("importing again: %v\n%s", err, result.Text)
		}
		if string(again.Text) != string(result.Text) {
			t.Errorf("importing twice changes the file:\n%s\n%s", result.Text, again.Text)
		}
	})
}

// TestPartsOfSources imports every beginning of a source, which must neither panic nor succeed by half.
func TestPartsOfSources(t *testing.T) {
	text, err := os.ReadFile("../../../../../schema/mcp/testdata/definitions/2024-11-05.json")
	if err != nil {
		t.Fatal(err)
	}
	for end := 0; end < len(text)-2; end += 97 {
		_, err := importer.Import(importer.Source{Name: "part.json", Text: text[:end]}, importer.Options{})
		var faults importer.Faults
		if !errors.As(err, &faults) || !faults[0].Pos.Valid() {
			t.Fatalf("%d bytes: %v", end, err)
		}
	}
}
