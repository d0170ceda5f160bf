package schema_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	linediff "github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

var update = flag.Bool("update", false, "rewrite what the scenarios expect")

// load loads a schema from files in memory.
func load(files map[string]string, name string) (*ir.Document, diag.List, *schema.Loader) {
	loader := &schema.Loader{Modules: modules(files), Read: func(path string) ([]byte, error) {
		text, ok := files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}}
	doc, faults := loader.Load(name)
	return doc, faults, loader
}

// modules are the modules of the language that a test brings along.
func modules(files map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

// A scenario is a txtar archive: the schema, what it imports, and `want`: the diagnostics, then the printed model.
func TestScenarios(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, name := range names {
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
			continue
		}
		files[f.Name] = string(f.Data)
	}
	got := outcome(t, files, archive.Files[0].Name)
	if *update {
		if want < 0 {
			want = len(archive.Files)
			archive.Files = append(archive.Files, txtar.File{Name: "want"})
		}
		archive.Files[want].Data = got
		if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want < 0 {
		t.Fatal("no want: run go test -update and read what it says")
	}
	if d := linediff.Diff("want", archive.Files[want].Data, "got", got); d != nil {
		t.Errorf("%s", d)
	}
}

func outcome(t *testing.T, files map[string]string, name string) []byte {
	var b bytes.Buffer
	doc, faults, loader := load(files, name)
	if err := faults.WriteText(&b, loader.Source); err != nil {
		t.Fatal(err)
	}
	if (doc == nil) != faults.HasErrors() {
		t.Error("a document comes with errors, or neither is there")
	}
	if doc != nil {
		if err := printModel(&b, doc); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}
