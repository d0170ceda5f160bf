package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/docs"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/lint"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/sample"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
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
	library := read(t, "../../../templates/typescript/lib/rules_formats.ts")
	for _, f := range ir.Formats {
		t.Run(f.Name, func(t *testing.T) {
			want := func(fine bool, what string) {
				t.Helper()
				if !fine {
					t.Errorf("%s does not know the format %s", what, f.Name)
				}
			}
			want(judge.HasFormat(f.Name, f.Sample) && !judge.HasFormat(f.Name, "\x00"), "package judge")
			want(judge.HasFormat(f.Name, "") == f.Empty, "Empty of ir.Formats")
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
			want(checkedInTypeScript(doc, library, f.Name), "templates/typescript")
			want(toldApart(t, f.Name), "formatPatterns of the importer, for unions that are kept,")
			want(namedLike(t, f.Builtin), "NameOf of the importer")
			want(drawn(t, f.Name), "runtime/x/contract/values")
		})
	}
}

// checkedInTypeScript reports whether the validator of a schema has a check of a format, which the library of validators has.
func checkedInTypeScript(doc *ir.Document, library, format string) bool {
	check := regexp.MustCompile(`format: r\.(\w+)`).FindStringSubmatch(validators(doc))
	return check != nil && regexp.MustCompile(`\nexport const `+check[1]+`: Format = /\* @__PURE__ \*/ format\(\s*"`+format+`"`).MatchString(library)
}

// toldApart reports whether a format tells a text from one of another format in a union that is kept as a schema.
func toldApart(t *testing.T, format string) bool {
	t.Helper()
	text := `{"$defs": {"Value": {"oneOf": [{"type": "string", "format": "` + format + `"}, {"type": "string", "format": "ipv4"}]}}}`
	result, err := importer.Import(importer.Source{Name: "x.json", Text: []byte(text)}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(result.Text), "pattern:") == 2
}

// namedLike reports whether a type of an imported schema that is called like a built-in type gets another name.
func namedLike(t *testing.T, builtin string) bool {
	t.Helper()
	if builtin == "" {
		return true
	}
	text := `{"$defs": {"` + builtin + `": {"type": "object", "properties": {"a": {"type": "string"}}}}}`
	result, err := importer.Import(importer.Source{Name: "x.json", Text: []byte(text)}, importer.Options{})
	return err == nil && !strings.Contains(string(result.Text), "  "+builtin+":")
}

// drawn reports whether the texts that are drawn for a format have it, and whether they are broken where it is a rule.
func drawn(t *testing.T, format string) bool {
	t.Helper()
	s, err := values.Compile([]byte(`{"type": "string", "format": "` + format + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	s.Formats = true
	for seed := range uint64(20) {
		drawn, ok := s.Draw(values.NewChoices(seed, 0))
		v, err := ir.ParseJSON(drawn)
		if !ok || err != nil || !judge.HasFormat(format, v.Text) || len(s.Judge(drawn)) > 0 {
			return false
		}
		broken := slices.DeleteFunc(s.Breaks(drawn), func(c values.Case) bool { return c.Keyword != "format" })
		if len(broken) == 0 || len(s.Judge([]byte(broken[0].JSON))) == 0 {
			return false
		}
	}
	return true
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
