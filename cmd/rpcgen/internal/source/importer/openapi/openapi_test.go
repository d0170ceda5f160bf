//test:by ./cmd/rpcgen/internal/source/importer TestFields|TestUsedFields|TestTables|TestScenarios/^openapi

package openapi_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	linediff "github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"
	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/openapi"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/test/cputime"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestScenarios reads the description source.yaml of each archive with its options, and compares the words http and backends of the result, what the report
// says and the faults with what the archive has.
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
				if d := linediff.Diff("want", textOf(archive, section), "got", []byte(got[section])); d != nil {
					t.Errorf("%s:\n%s", section, d)
				}
			}
		})
	}
}

var outputs = []string{"want", "report", "faults"}

func run(t *testing.T, archive *txtar.Archive) map[string]string {
	t.Helper()
	from := source.Source{Name: "source.yaml", Text: textOf(archive, "source.yaml")}
	root, _, faults := source.Read(from)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	folder := source.Folder{Source: "source.yaml", Read: func(path string) (source.Source, error) {
		if text := textOf(archive, path); text != nil {
			return source.Source{Name: path, Text: text}, nil
		}
		return source.Source{}, fs.ErrNotExist
	}}
	var before *openapi.Before
	if out := textOf(archive, "out.yaml"); out != nil {
		before = openapi.ReadBefore(&source.Source{Name: "out.yaml", Text: out})
	}
	plan, err := openapi.Read(from, root, folder, options(t, textOf(archive, "options")), before)
	switch {
	case errors.As(err, &faults):
		return map[string]string{"faults": faults.Error() + "\n"}
	case err != nil:
		t.Fatal(err)
	}
	var report strings.Builder
	plan.Said.Write(&report)
	return map[string]string{"want": string(tree.Encode(words(plan))), "report": report.String()}
}

// words are the words http and backends of a plan.
func words(p *openapi.Plan) *yaml.Node {
	root, tools := tree.Mapping(), tree.Mapping()
	tree.Each(p.Head, func(key, value *yaml.Node) {
		if key.Value == "backends" || key.Value == "server" {
			tree.Set(root, key.Value, value)
		}
	})
	for _, t := range p.Tools {
		m := tree.Mapping()
		tree.Set(m, "description", tree.Text(t.Description))
		tree.Set(m, "hints", t.Hints)
		tree.Set(m, "http", t.HTTP)
		for _, half := range []struct {
			key string
			all map[string]*yaml.Node
		}{{"input", t.Places}, {"output", t.Read}} {
			names := make([]string, 0, len(half.all))
			for name := range half.all {
				names = append(names, name)
			}
			slices.Sort(names)
			places := tree.Mapping()
			for _, name := range names {
				tree.Set(places, name, half.all[name])
			}
			if len(names) > 0 {
				tree.Set(m, half.key, places)
			}
		}
		tree.Set(tools, t.Name, m)
	}
	tree.Set(root, "tools", tools)
	return root
}

// options reads options: a key and a value a line.
func options(t *testing.T, text []byte) openapi.Options {
	t.Helper()
	var o openapi.Options
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		number, _ := strconv.Atoi(value)
		switch key {
		case "take":
			o.Take = append(o.Take, value)
		case "leave":
			o.Leave = append(o.Leave, value)
		case "keep":
			o.Keep = append(o.Keep, value)
		case "scheme":
			o.Schemes = append(o.Schemes, value)
		case "server":
			o.Server = value
		case "most":
			o.Most = number
		case "depth":
			o.Depth = number
		case "all":
			o.All = true
		case "read-only":
			o.ReadOnly = true
		case "strict":
			o.Strict = true
		case "new":
			o.New = true
		case "prune":
			o.Prune = true
		default:
			t.Fatalf("unknown option %q", line)
		}
	}
	return o
}

func textOf(archive *txtar.Archive, name string) []byte {
	for _, f := range archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func write(t *testing.T, name string, archive *txtar.Archive, got map[string]string) {
	t.Helper()
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return slices.Contains(outputs, f.Name) })
	for _, section := range outputs {
		if got[section] != "" {
			archive.Files = append(archive.Files, txtar.File{Name: section, Data: []byte(got[section])})
		}
	}
	if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestManyValues reads an enum of many values in the time of its size.
func TestManyValues(t *testing.T) {
	read := func(n int) func() {
		var b strings.Builder
		b.WriteString("openapi: 3.0.3\ninfo: {title: Many, version: '1'}\npaths:\n  /a:\n    get: {responses: {'200': {description: '', content: {application/json: {schema: {type: string, enum: [x")
		for i := range n {
			fmt.Fprintf(&b, ", v%d", i)
		}
		b.WriteString("]}}}}}}\n")
		from := source.Source{Name: "source.yaml", Text: []byte(b.String())}
		root, _, faults := source.Read(from)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		return func() {
			if _, err := openapi.Read(from, root, source.Folder{}, openapi.Options{Server: "https://many.example.com"}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	cputime.Linear(t, "an enum", read(5_000), read(40_000))
}
