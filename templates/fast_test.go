package templates_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// functions generates code of doc, and returns its functions by receiver and name.
func functions(t *testing.T, doc *ir.Document) map[string]string {
	t.Helper()
	files, diags, err := templates.Generate(doc, templates.Options{})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	all, set := map[string]string{}, token.NewFileSet()
	for _, f := range files {
		parsed, err := parser.ParseFile(set, f.Name, f.Text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				var name, text bytes.Buffer
				if f.Recv != nil {
					printer.Fprint(&name, set, f.Recv.List[0].Type)
				}
				printer.Fprint(&text, set, f)
				all[strings.TrimPrefix(name.String(), "*")+"."+f.Name.Name] = text.String()
			}
		}
	}
	return all
}

// withCodecs loads a schema, has a method carry each of its types, and gives it and all of its methods and tools a codec.
func withCodecs(t *testing.T, name string, compact, fast bool) *ir.Document {
	t.Helper()
	doc, faults := schema.Load(name)
	if doc == nil {
		t.Fatal(faults)
	}
	doc.Compact = compact
	for _, d := range doc.Types {
		if !d.Mixin {
			carried := &ir.Struct{Fields: []*ir.Field{{Name: "value", Type: &ir.Ref{Decl: d}}}}
			doc.Methods = append(doc.Methods, &ir.Method{Name: "carry/" + d.Name, Params: carried})
		}
	}
	for _, m := range doc.Methods {
		m.Fast = fast
	}
	for _, o := range doc.Tools {
		o.Fast = fast
	}
	return doc
}

var codecSchemas = []string{"../test/allkinds/allkinds.rpc.yaml", "../test/toolbox/toolbox.rpc.yaml", "../examples/weather/weather.rpc.yaml"}

// TestFast compares code of the compact codec, where all is fast, with that of the full one: each function is the same. What MCP carries for
// resources, prompts and questions cannot be fast.
func TestFast(t *testing.T) {
	for _, name := range codecSchemas {
		full, fast := functions(t, withCodecs(t, name, false, false)), functions(t, withCodecs(t, name, true, true))
		same := 0
		for name, text := range fast {
			if receiver, _, _ := strings.Cut(name, "."); len(full[".NewServer"]) > 0 && !strings.HasSuffix(receiver, "Input") && !strings.HasSuffix(receiver, "Output") {
				continue
			}
			if strings.HasSuffix(name, ".WalkJSON") {
				t.Errorf("%s is not fast", name)
			}
			if full[name] != text {
				t.Errorf("full:\n%s\nfast:\n%s", full[name], text)
			}
			same++
		}
		if same == 0 {
			t.Error("no functions")
		}
	}
}

// TestFastMethod has one fast method: what it carries is as in the full codec, and the rest is as in the compact one.
func TestFastMethod(t *testing.T) {
	const text = `rpcgen: v1
package: service
go: {codec: compact}
types:
  Day: {fields: {high: {type: number, minimum: 0}, level: Level}}
  Level: {enum: [low, high]}
  Week: {fields: {days: list<Day>, tags: {fields: {a: {type: string, minLength: 1}}}}}
  Month: {fields: {days: list<Day>}}
  Hot: {union: [Cold, Month]}
  Cold: {fields: {celsius: number}}
methods:
  week/get: {codec: fast, params: {n: integer}, result: {week: Week, hot?: Hot}}
  month/get: {params: {n: integer}, result: {month: Month, inner: {fields: {n: integer}}}}
  cold/get: {params: Cold, result: {hot: list<Hot>}}
`
	got := functions(t, load(t, text))
	compact := functions(t, load(t, strings.Replace(text, "codec: fast, ", "", 1)))
	full := functions(t, load(t, strings.NewReplacer("codec: fast, ", "", "go: {codec: compact}\n", "").Replace(text)))
	for of, names := range map[*map[string]string]string{
		&full: "handler.serveWeekGet Client.WeekGet WeekGetParams.DecodeJSON WeekGetParams.AppendJSON WeekGetResult.DecodeJSON Day.DecodeJSON Day.AppendJSON Day.CheckRules " +
			"Level.CheckAt Week.DecodeJSON WeekTags.DecodeJSON WeekTags.CheckRules Month.DecodeJSON Cold.AppendJSON .DecodeHot .AppendHot .CheckHot",
		&compact: "handler.serveMonthGet Client.MonthGet MonthGetParams.WalkJSON MonthGetResultInner.WalkJSON",
	} {
		for _, name := range strings.Fields(names) {
			if got[name] == "" || got[name] != (*of)[name] {
				t.Errorf("%s is\n%s\nwant\n%s", name, got[name], (*of)[name])
			}
		}
	}
	for _, gone := range []string{"Day.WalkJSON", "Week.WalkJSON", "Month.WalkJSON", "Day.MarshalJSON"} {
		if got[gone] != "" {
			t.Errorf("there is %s", gone)
		}
	}
}

// TestWithoutJSON: types without methods for encoding/json have all others as they are.
func TestWithoutJSON(t *testing.T) {
	text := strings.Replace(service(3), "\npackage: ", "\ngo: {json: false}\npackage: ", 1)
	without, full := functions(t, load(t, text)), functions(t, load(t, service(3)))
	gone := 0
	for name, body := range full {
		if strings.HasSuffix(name, ".MarshalJSON") || strings.HasSuffix(name, ".UnmarshalJSON") {
			body = ""
			gone++
		}
		if without[name] != body {
			t.Errorf("%s is\n%s\nwant\n%s", name, without[name], body)
		}
	}
	if gone == 0 || len(without) != len(full)-gone {
		t.Errorf("there are %d functions, of %d with %d for encoding/json", len(without), len(full), gone)
	}
}
