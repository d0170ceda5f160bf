package diff_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	linediff "github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// A single edit takes long to try on the largest schema: try few unless told otherwise by -rapid.checks.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "rewrite what the scenarios expect")

// load loads a schema from files in memory.
func load(t testing.TB, files map[string]string, name string) (*ir.Document, *schema.Loader) {
	t.Helper()
	loader := &schema.Loader{Read: func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}}
	doc, faults := loader.Load(name)
	if doc == nil {
		t.Fatal(faults)
	}
	return doc, loader
}

func names(doc *ir.Document) diff.Names {
	n, _ := templates.NewNames(doc)
	return n
}

// A scenario is a txtar archive: old/main.rpc.yaml and new/main.rpc.yaml, what they import, and `want`: the report as text.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) { scenario(t, name) })
	}
}

func scenario(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	want := -1
	for i, f := range archive.Files {
		if f.Name == "want" {
			want = i
		}
		files[f.Name] = string(f.Data)
	}
	var got bytes.Buffer
	if err := view(t, files).WriteText(&got); err != nil {
		t.Fatal(err)
	}
	if *update {
		if want < 0 {
			want = len(archive.Files)
			archive.Files = append(archive.Files, txtar.File{Name: "want"})
		}
		archive.Files[want].Data = got.Bytes()
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want < 0 {
		t.Fatal("no want: run go test -update and read what it says")
	}
	if d := linediff.Diff("want", archive.Files[want].Data, "got", got.Bytes()); d != nil {
		t.Errorf("%s", d)
	}
}

// view compares old/main.rpc.yaml with new/main.rpc.yaml.
func view(t testing.TB, files map[string]string) diff.View {
	t.Helper()
	old, oldLoader := load(t, files, "old/main.rpc.yaml")
	new, newLoader := load(t, files, "new/main.rpc.yaml")
	return diff.View{
		Report: diff.Compare(old, new, names),
		Old:    diff.Side{Label: "old", Source: oldLoader.Source},
		New:    diff.Side{Label: "new", Source: newLoader.Source},
	}
}
