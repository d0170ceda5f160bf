package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/docs"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/lint"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/sample"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/judge"
	"github.com/rpcgen-go/rpcgen/templates"
)

// TestEveryFormat takes each format through everything that has to know it, and names what does not. A new format is an entry of ir.Formats, a
// function of runtime/gen/format, and a case of package judge, which is the second opinion; docs/language.md and test/allkinds have it too.
func TestEveryFormat(t *testing.T) {
	if raceEnabled {
		t.Skip("starts no goroutine but those of package templates")
	}
	if all := formatNames(); !slices.Equal(all, judge.Formats) {
		t.Errorf("ir.Formats are %v, and judge.Formats %v", all, judge.Formats)
	}
	checks := functions(t, "../../../runtime/gen/format/format.go")
	language := read(t, "../../../docs/language.md")
	allkinds := read(t, "../../../test/allkinds/allkinds.rpc.yaml")
	for _, f := range ir.Formats {
		t.Run(f.Name, func(t *testing.T) {
			want := func(fine bool, what string) {
				t.Helper()
				if !fine {
					t.Errorf("%s does not know the format %s", what, f.Name)
				}
			}
			want(judge.HasFormat(f.Name, f.Sample) && !judge.HasFormat(f.Name, "\x00"), "package judge")
			want(checks[f.Check], "runtime/gen/format")
			written := f.Builtin
			if written == "" {
				written = "string, format: " + f.Name + ", pattern: ."
			} else {
				want(slices.Contains(grammar.Builtins, f.Builtin), "package grammar")
			}
			want(strings.Contains(language, "`"+f.Builtin+"`") || strings.Contains(language, f.Builtin), "docs/language.md")
			want(strings.Contains(allkinds, ": "+written+"\n") || strings.Contains(allkinds, "format: "+f.Name), "test/allkinds")
			doc := formatted(t, written)
			files, _, err := templates.Generate(doc, templates.Options{})
			want(err == nil && slices.ContainsFunc(files, func(file templates.File) bool {
				return strings.Contains(string(file.Text), "format."+f.Check+"(")
			}), "templates")
			exported, err := jsonschema.Export(doc, jsonschema.Options{})
			want(err == nil && strings.Contains(string(exported), `"format": "`+f.Name+`"`), "package jsonschema")
			result, err := importer.Import(importer.Source{Name: "x.json", Text: exported}, importer.Options{})
			want(err == nil && strings.Contains(string(result.Text), f.Builtin) && !strings.Contains(string(result.Text), "x-format"), "the importer")
			want(strings.Contains(string(docs.Markdown(doc)), f.Words), "package docs")
			text, ok := sample.Of(doc.Types[0].Type)
			want(ok && judge.HasFormat(f.Name, text.Text), "package sample")
			findings, _ := lint.Run(doc, nil)
			unbounded := slices.ContainsFunc(findings, func(d diag.Diagnostic) bool { return d.Code == lint.UnboundedString })
			want(unbounded != f.Bounded, "package lint")
		})
	}
}

func formatNames() []string {
	var all []string
	for _, f := range ir.Formats {
		all = append(all, f.Name)
	}
	return all
}

// formatted is a schema with a method whose params have a field of a type.
func formatted(t *testing.T, written string) *ir.Document {
	t.Helper()
	text := "rpcgen: v1\npackage: formats\ntypes:\n  Value: {type: " + written + "}\nmethods:\n  value/set: {params: {value: Value}}\n"
	loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
	doc, faults := loader.Load("formats.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	return doc
}

// functions are the names of the functions of a Go file.
func functions(t *testing.T, file string) map[string]bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(file), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			names[f.Name.Name] = true
		}
	}
	return names
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
