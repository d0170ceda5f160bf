package templates_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/templates"
)

// TestReserved gives types of a schema the names that its generated files declare. Each is reported as taken: no artefact declares a name
// that a schema can have at the same time, so that the Go compiler would be the first to notice.
func TestReserved(t *testing.T) {
	unraced(t)
	keys, err := filepath.Glob("../cmd/rpcgen/internal/source/hostile/testdata/keys_*.txtar") // every key of the language
	if err != nil || len(keys) == 0 {
		t.Fatal("no schemas of keys", err)
	}
	for _, file := range append(keys, "test/allkinds/allkinds", "test/jsonrpc/jsonrpc", "examples/lsp/lsp", "test/toolbox/toolbox", "cmd/mcpgateway/rpc/gateway", "examples/shop/rpc/shop", "test/conformance/conformance") {
		t.Run(file, func(t *testing.T) {
			path, read := filepath.Join("..", filepath.FromSlash(file)+".rpc.yaml"), os.ReadFile
			if strings.HasSuffix(file, ".txtar") {
				path, read = archived(t, file)
			}
			loader := schema.Loader{Read: read}
			doc, faults := loader.Load(path)
			if doc == nil {
				t.Fatal(faults)
			}
			var own []string
			for _, d := range doc.Types {
				own = append(own, d.Name)
			}
			files, faults, err := templates.Generate(doc, templates.Options{Schemas: true})
			if err != nil || faults.HasErrors() {
				t.Fatal(err, faults)
			}
			var text strings.Builder
			var names []string
			for _, name := range exportedBy(t, files) {
				if !slices.Contains(own, name) {
					names = append(names, name)
					text.WriteString("  Taken" + strconv.Itoa(len(names)) + ": {type: string, go: " + name + "}\n")
				}
			}
			faulty := taken(t, path, read, text.String())
			if len(names) < 3 {
				t.Errorf("%d names are declared besides those of types", len(names))
			}
			for _, name := range names {
				if !faulty[name] {
					t.Errorf("a type %s is accepted, and the generated files declare that name: reserved.go needs it", name)
				}
			}
		})
	}
}

// archived returns the name of the first file of an archive, and what reads it and the others.
func archived(t *testing.T, file string) (name string, read func(string) ([]byte, error)) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return archive.Files[0].Name, func(name string) ([]byte, error) {
		for _, f := range archive.Files {
			if f.Name == name {
				return f.Data, nil
			}
		}
		return nil, fs.ErrNotExist
	}
}

// taken generates a schema with further types, and returns the names that are reported as taken.
func taken(t *testing.T, file string, read func(string) ([]byte, error), types string) map[string]bool {
	t.Helper()
	loader := schema.Loader{Read: func(name string) ([]byte, error) {
		text, err := read(name)
		if err != nil || filepath.Base(name) != filepath.Base(file) {
			return text, err
		}
		if before, after, ok := strings.Cut(string(text), "\ntypes:\n"); ok {
			return []byte(before + "\ntypes:\n" + types + after), nil
		}
		return append(text, "\ntypes:\n"+types...), nil
	}}
	doc, faults := loader.Load(file)
	if doc == nil {
		t.Fatal(faults)
	}
	_, faults, err := templates.Generate(doc, templates.Options{Schemas: true})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range faults {
		if _, rest, ok := strings.Cut(f.Message, " becomes "); ok {
			name, _, _ := strings.Cut(rest, " in Go")
			names[name] = true
		}
	}
	return names
}

// exportedBy lists the exported names that files declare in their package.
func exportedBy(t *testing.T, files []templates.File) (names []string) {
	t.Helper()
	for _, f := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names = append(names, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						names = append(names, spec.Name.Name)
					case *ast.ValueSpec:
						for _, id := range spec.Names {
							names = append(names, id.Name)
						}
					}
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !ast.IsExported(name) })
}
