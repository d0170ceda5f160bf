package templates_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/test/marked"
)

// server generates the code of an MCP server.
func server(t *testing.T, text string, o templates.Options) map[string]string {
	t.Helper()
	loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
	doc, diags := loader.Load("service.rpc.yaml")
	if doc == nil {
		t.Fatal(diags)
	}
	files, diags, err := templates.Generate(doc, o)
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	all := map[string]string{}
	for _, f := range files {
		all[f.Name] = string(f.Text)
	}
	return all
}

func toolbox(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../test/toolbox/toolbox.rpc.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// constants evaluates the constants of a generated file.
func constants(t *testing.T, text string) map[string]string {
	t.Helper()
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "rpc_tools.gen.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kept []ast.Decl
	for _, d := range f.Decls {
		if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.CONST {
			kept = append(kept, d)
		}
	}
	f.Decls = kept
	pkg, err := new(types.Config).Check("p", files, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range pkg.Scope().Names() {
		if c, ok := pkg.Scope().Lookup(name).(*types.Const); ok {
			all[name] = constant.StringVal(c.Val())
		}
	}
	return all
}

// TestLists reads what clients are told: lists in the author's order, whose schemas are valid, and plain objects at their roots.
func TestLists(t *testing.T) {
	all := constants(t, server(t, toolbox(t), templates.Options{})["rpc_tools.gen.go"])
	var tools []struct {
		Name                      string
		InputSchema, OutputSchema map[string]any
		Annotations               map[string]bool
		Meta                      map[string]any `json:"_meta"`
	}
	read(t, all["toolList"], &tools)
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
		compile(t, tool.Name+" input", tool.InputSchema)
		if tool.InputSchema["additionalProperties"] != false || tool.InputSchema["properties"] == nil {
			t.Errorf("%s: input %v", tool.Name, tool.InputSchema)
		}
		if tool.OutputSchema != nil {
			compile(t, tool.Name+" output", tool.OutputSchema)
		}
	}
	if got := strings.Join(names, " "); got != "search_items place_order reserve cancel_all count_stock look_up picture chart draw related introduce label frames explain measure retire" {
		t.Error(got)
	}
	if tools[0].Annotations["readOnlyHint"] != true || tools[0].Annotations["openWorldHint"] != false || tools[0].Meta["toolbox.example/cost"] != 3.0 {
		t.Error(tools[0])
	}
	region := tools[0].InputSchema["properties"].(map[string]any)["colour"].(map[string]any)
	if region["x-mcp-header"] != "Colour" || region["type"] != "string" {
		t.Error("a mirrored property does not say its type where clients look:", region)
	}
	for name, want := range map[string]int{"resourceList": 4, "templateList": 3, "promptList": 2} {
		var list []map[string]any
		read(t, all[name], &list)
		if len(list) != want {
			t.Errorf("%s has %d entries, expected %d", name, len(list), want)
		}
	}
	var form map[string]any
	read(t, all["placeOrderConfirmForm"], &form)
	compile(t, "form", form)
}

func read(t *testing.T, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err, text)
	}
}

// compile checks that s is a JSON Schema without combinators at its root.
func compile(t *testing.T, name string, s map[string]any) {
	t.Helper()
	c := validator.NewCompiler()
	c.DefaultDraft(validator.Draft2020)
	if err := c.AddResource("mem:///s.json", s); err != nil {
		t.Fatal(name, err)
	}
	if _, err := c.Compile("mem:///s.json"); err != nil {
		t.Error(name, err)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "not", "$ref"} {
		if s[key] != nil {
			t.Errorf("%s has %s at its root", name, key)
		}
	}
	if s["type"] != "object" {
		t.Errorf("%s is not an object", name)
	}
}

// TestServerHalves looks at what is generated for one side only.
func TestServerHalves(t *testing.T) {
	text := toolbox(t)
	only := server(t, text, templates.Options{Side: templates.ServerOnly})
	if only["rpc_client.gen.go"] != "" || strings.Contains(only["rpc_errors.gen.go"], "decodeToolError") {
		t.Error("a server has a client")
	}
	for name, text := range only {
		if strings.Contains(text, "mcpclient") {
			t.Errorf("%s of a server links the client of MCP", name)
		}
	}
	only = server(t, text, templates.Options{Side: templates.ClientOnly})
	for _, foreign := range []string{"declarations", "toolList", "matchItem", "AskPlaceOrderConfirm"} {
		if strings.Contains(only["rpc_tools.gen.go"], foreign) {
			t.Error("a client has", foreign)
		}
	}
	for _, own := range []string{"ToolSearchItems", "func ItemURI(", "func toolHeaders("} {
		if !strings.Contains(only["rpc_tools.gen.go"], own) {
			t.Error("a client has no", own)
		}
	}
}

// TestServerFiles looks at what holds for every generated file, and generates twice.
func TestServerFiles(t *testing.T) {
	first := server(t, toolbox(t), templates.Options{})
	for name, text := range first {
		for _, foreign := range []string{"\r", "interface{}", "[]any", "map[string]any", "reflect", "unsafe", "func init()", "\t_ \""} {
			if strings.Contains(text, foreign) {
				t.Errorf("%s has %q", name, foreign)
			}
		}
	}
	for name, text := range server(t, toolbox(t), templates.Options{}) {
		if text != first[name] {
			t.Errorf("%s differs from one run to the next", name)
		}
	}
}

// TestNewServerSiblings adds declarations to a server: nothing that was there is renamed, and hardly a line of it changes.
func TestNewServerSiblings(t *testing.T) {
	const base = `rpcgen: v1
package: service
use: [mcp]
server: {name: service, version: 1.0.0}
tools:
  a: {input: {x: string}, output: {y: string}, errors: {Bad: {message: bad}}}
  c: {input: {x: string}}
resources:
  a_file: {uri: "f:a", content: string}
  c_file: {uri: "f:c", content: {size: integer}}
prompts:
  a_prompt: {arguments: {x: string}}
  c_prompt:
`
	before := server(t, base, templates.Options{})
	for what, added := range map[string][2]string{
		"tool":     {"  c: {", "  b: {input: {x: string}, output: {y: string}, errors: {Worse: {message: worse}}}\n  c: {"},
		"resource": {"  c_file:", "  b_file: {uri: \"f:b\", content: {size: integer}}\n  c_file:"},
		"template": {"  c_file:", "  b_file: {uriTemplate: \"f:b/{x}\", content: {size: integer}}\n  c_file:"},
		"prompt":   {"  c_prompt:", "  b_prompt: {arguments: {x: string}}\n  c_prompt:"},
	} {
		t.Run(what, func(t *testing.T) {
			after := server(t, strings.Replace(base, added[0], added[1], 1), templates.Options{})
			for file, old := range before {
				for _, line := range missing(old, after[file]) {
					if !strings.Contains(line, "List = ") && !strings.Contains(line, "NotFound(") { // lists of names
						t.Errorf("%s lost %s", file, line)
					}
				}
			}
		})
	}
}

// TestServerNames lets names of a server meet.
func TestServerNames(t *testing.T) {
	for text, want := range map[string]string{
		"tools:\n  a_b:\n  a-b:\n":                                              "ToolAB",
		"tools:\n  review:\nprompts:\n  review:\n":                              "Server.Review",
		"tools:\n  read_x:\nresources:\n  x: {uri: \"f:x\", content: string}\n": "Server.ReadX",
		"tools:\n  x:\ntypes:\n  Server: string\n":                              "Server",
	} {
		loader := schema.Loader{Read: func(string) ([]byte, error) {
			return []byte("rpcgen: v1\npackage: p\nuse: [mcp]\nserver: {name: p, version: 1.0.0}\n" + text), nil
		}}
		doc, diags := loader.Load("service.rpc.yaml")
		if doc == nil {
			t.Fatal(diags)
		}
		_, diags, err := templates.Generate(doc, templates.Options{})
		if err != nil || len(diags) == 0 || !strings.Contains(diags[0].Message, " becomes "+want+" in Go") {
			t.Errorf("%q: %v %v", text, diags, err)
		}
	}
}

// TestServerCompiles builds what is generated of the toolbox, in every way that it can be generated, and of schemas that leave most of it
// out.
func TestServerCompiles(t *testing.T) {
	unraced(t)
	text := toolbox(t)
	for name, o := range map[string]templates.Options{
		"both": {}, "server": {Side: templates.ServerOnly}, "client": {Side: templates.ClientOnly}, "schemas": {Schemas: true},
	} {
		t.Run(name, func(t *testing.T) { build(t, server(t, text, o)) })
		t.Run("compact "+name, func(t *testing.T) { build(t, server(t, compacted(text), o)) })
	}
	for name, part := range map[string]string{
		"nothing":   "",
		"tool":      "tools:\n  2fa:\n",
		"output":    "tools:\n  a: {output: {x: string}}\n  b: {output: map<mcp.Role>}\n",
		"imported":  "tools:\n  a: {input: mcp.TextContent, output: mcp.Icon}\n",
		"errors":    "errors:\n  Bad: {code: 1, data: list<string>}\ntools:\n  a: {errors: [Bad]}\n",
		"asks":      "tools:\n  a: {asks: {sure: {message: sure, form: {}}}, input: {x: {type: string, sensitive: true}}}\n",
		"sensitive": "tools:\n  a: {asks: {sure: {message: \"{x}?\", form: {y: number}}}, input: {x: {type: string, sensitive: true}}}\n",
		"resource":  "resources:\n  a: {uri: \"f:a\", content: bytes}\n",
		"template":  "types:\n  N: int64\nresources:\n  a: {uriTemplate: \"f:{a}/{b}/{c}/{d}\", params: {a: N, b: uint64, c: int32, d: {enum: [x]}}, content: N}\n",
		"prompt":    "prompts:\n  a:\n",
		"arguments": "prompts:\n  a: {arguments: {x: string, y: email}}\n",
		"method":    "methods:\n  a/b: {}\n",
	} {
		t.Run(name, func(t *testing.T) {
			text := "rpcgen: v1\npackage: toolbox\nuse: [mcp]\nserver: {name: a, version: 1.0.0}\n" + part
			for _, side := range []templates.Side{templates.Both, templates.ServerOnly, templates.ClientOnly} {
				build(t, server(t, text, templates.Options{Side: side}))
			}
		})
	}
}

// exported finds the export data of a package and of all that generated code may import, as the Go command compiles it.
var exported = sync.OnceValues(func() (map[string]string, error) {
	marked.Watch("..")
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./generated/toolbox", "./runtime/...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return files, err
})

// build type-checks generated files as a package.
func build(t *testing.T, files map[string]string) {
	t.Helper()
	exports, err := exported()
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var parsed []*ast.File
	for name, text := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	config := types.Config{
		Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
			if exports[path] == "" {
				return nil, fmt.Errorf("generated code imports %s", path)
			}
			return os.Open(exports[path])
		}),
		Error: func(err error) { t.Error(err) },
	}
	config.Check("toolbox", fset, parsed, nil) // tells Error
}

// TestSharedDefinitions: large definitions that several tools have are written once, and each entry of the list has them.
func TestSharedDefinitions(t *testing.T) {
	declared := "rpcgen: v1\nuse: [mcp]\nserver: {name: s, version: 1.0.0}\ntypes:\n  Item:\n    fields:\n"
	for i := range 20 {
		declared += fmt.Sprintf("      field%d: {type: string, description: 'A \"$defs\":{ of %d \\\\'}\n", i, i)
	}
	declared += "  Small: {fields: {a: string, next?: Small}}\ntools:\n"
	for _, name := range []string{"first", "second", "third"} {
		declared += "  " + name + ": {description: Does it, input: {small: Small}, output: {items: list<Item>, item: Item, small: Small}}\n"
	}
	doc := load(t, declared)
	text := server(t, declared, templates.Options{})["rpc_tools.gen.go"]
	if n := strings.Count(text, `field19"`); n != 2 { // among properties and in required
		t.Errorf("the definition is written %d times", n/2)
	}
	var tools []struct{ OutputSchema json.RawMessage }
	read(t, constants(t, text)["toolList"], &tools)
	for i, tool := range tools {
		want, err := jsonschema.ExportOutput(doc, doc.Tools[i].Output)
		if err != nil {
			t.Fatal(err)
		}
		if string(tool.OutputSchema) != string(want) {
			t.Errorf("%s:\n%s\nis not\n%s", doc.Tools[i].Name, tool.OutputSchema, want)
		}
	}
}
