package importer_test

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	linediff "github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/typecheck"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestScenarios imports source.json, and table.json, with overlay.yaml and second.yaml into out.yaml, where an archive has them, with the other files that it refers to, and compares with want, report
// and faults; with strict, answers are taken at their word, and server is where an API is. What was imported is imported once more, which must change nothing.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios")
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := run(t, archive)
			if *update {
				write(t, name, archive, got)
				return
			}
			for _, section := range outputs {
				if d := linediff.Diff("want", []byte(textOf(archive, section)), "got", []byte(got[section])); d != nil {
					t.Errorf("%s:\n%s", section, d)
				}
			}
		})
	}
}

var outputs = []string{"want", "report", "verdicts", "faults"}

func run(t *testing.T, archive *txtar.Archive) map[string]string {
	t.Helper()
	from := importer.Source{Name: "source.json", Text: []byte(textOf(archive, "source.json"))}
	if api := optional(archive, "source.yaml"); api != nil {
		from = *api
	}
	o := importer.Options{Out: optional(archive, "out.yaml"), Last: optional(archive, "last.yaml"), Generate: generate, Folder: folder(archive), Adopt: optional(archive, "adopt") != nil}
	if table := optional(archive, "table.json"); table != nil {
		o.Tables = append(o.Tables, *table)
	}
	for _, name := range []string{"overlay.yaml", "second.yaml"} {
		if over := optional(archive, name); over != nil {
			o.Overlays = append(o.Overlays, *over)
		}
	}
	if only := optional(archive, "only"); only != nil {
		o.Only = strings.Fields(string(only.Text))
	}
	o.API.Strict, o.API.Server = optional(archive, "strict") != nil, strings.TrimSpace(textOf(archive, "server"))
	result, err := importer.Import(from, o)
	var faults importer.Faults
	switch {
	case errors.As(err, &faults):
		return map[string]string{"faults": faults.Error() + "\n"}
	case err != nil:
		t.Fatal(err)
	}
	again, err := importer.Import(from, importer.Options{Tables: o.Tables, Overlays: o.Overlays, Folder: o.Folder, Only: o.Only, Out: &importer.Source{Name: "out.yaml", Text: result.Text},
		Last: &importer.Source{Name: "out.source.yaml", Text: result.Last}})
	if err != nil {
		t.Fatalf("importing again: %v\n%s", err, result.Text)
	}
	if d := gocmp.Diff(string(result.Text), string(again.Text)); d != "" {
		t.Errorf("importing twice changes the file (-once +twice):\n%s", d)
	}
	if r := again.Report; len(r.Added)+len(r.Changed)+len(r.Removed)+len(r.Kept)+len(r.Dropped) > 0 {
		t.Errorf("importing twice reports changes: %+v", r)
	}
	var report bytes.Buffer
	if err := result.Report.WriteText(&report); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"want": string(result.Text), "report": report.String(), "verdicts": verdicts(t, result.Text, textOf(archive, "values"))}
}

// verdicts judges values by the imported types: each line has the name of a type and a value.
func verdicts(t *testing.T, text []byte, values string) string {
	t.Helper()
	if values == "" {
		return ""
	}
	loader := schema.Loader{Read: func(string) ([]byte, error) { return text, nil }}
	doc, faults := loader.Load("want")
	if doc == nil {
		t.Fatal(faults)
	}
	var out strings.Builder
	for line := range strings.Lines(values) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		v, err := ir.ParseJSON([]byte(value))
		at := slices.IndexFunc(doc.Types, func(d *ir.Decl) bool { return d.Name == name })
		if err != nil || at < 0 {
			t.Fatal(line, err)
		}
		var said []string
		for _, f := range judge.Judge(doc.Types[at].Type, v) {
			said = append(said, strings.TrimSpace(f.Pointer+" "+f.Rule))
		}
		fmt.Fprintf(&out, "%s %s: %s\n", name, value, cmp.Or(strings.Join(said, ", "), "fits"))
	}
	return out.String()
}

// folder has the files of an archive.
func folder(archive *txtar.Archive) importer.Folder {
	return importer.Folder{Source: "source.json", Read: func(path string) (importer.Source, error) {
		if s := optional(archive, path); s != nil {
			return *s, nil
		}
		return importer.Source{}, fs.ErrNotExist
	}, List: func() (all []string) {
		for _, f := range archive.Files {
			all = append(all, f.Name)
		}
		return all
	}}
}

// generate generates the code of a document and checks it, but for what it imports.
func generate(doc *ir.Document, size int) (importer.GoCode, diag.List) {
	result, faults := typecheck.Check(doc, size, nil)
	return importer.GoCode{Lines: result.Lines}, faults
}

func optional(archive *txtar.Archive, name string) *importer.Source {
	for _, f := range archive.Files {
		if f.Name == name {
			return &importer.Source{Name: name, Text: f.Data}
		}
	}
	return nil
}

func textOf(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func write(t *testing.T, name string, archive *txtar.Archive, got map[string]string) {
	t.Helper()
	var files []txtar.File
	for _, f := range archive.Files {
		if !slices.Contains(outputs, f.Name) {
			files = append(files, f)
		}
	}
	for _, section := range outputs {
		if got[section] != "" {
			files = append(files, txtar.File{Name: section, Data: []byte(got[section])})
		}
	}
	archive.Files = files
	if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
