package templates_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/templates"
)

// TestReserved gives types of a schema the names that its generated files declare. Each is reported as taken: no artefact declares a name
// that a schema can have at the same time, so that the Go compiler would be the first to notice.
func TestReserved(t *testing.T) {
	unraced(t)
	for _, file := range []string{"test/allkinds/allkinds", "test/jsonrpc/jsonrpc", "examples/lsp/lsp", "test/toolbox/toolbox", "cmd/mcpgateway/rpc/gateway", "examples/shop/rpc/shop", "test/conformance/conformance"} {
		t.Run(file, func(t *testing.T) {
			path := filepath.Join("..", filepath.FromSlash(file)+".rpc.yaml")
			doc, faults := schema.Load(path)
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
			faulty := taken(t, path, text.String())
			if len(names) < 3 {
				t.Errorf("%d names are declared besides those of types", len(names))
			}
			for _, name := range names {
				if !faulty[name] {
					t.Errorf("a type %s is accepted, and the generated files declare that name", name)
				}
			}
		})
	}
}

// taken generates a schema with further types, and returns the names that are reported as taken.
func taken(t *testing.T, file, types string) map[string]bool {
	t.Helper()
	loader := schema.Loader{Read: func(name string) ([]byte, error) {
		text, err := os.ReadFile(name)
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
