package typecheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/typecheck"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/templates"
)

// positions are schemas in which a name stands where authors choose one. The line with %s is repeated for every name.
var positions = []struct{ name, text string }{
	{"object", namesHead + "types:\n  %s: {fields: {a: string, b?: {type: string, default: x, pattern: ^x}}}\n"},
	{"text", namesHead + "types:\n  %s: {type: string, pattern: ^x}\n"},
	{"enum", namesHead + "types:\n  %s: {enum: [a, b]}\n"},
	{"union", namesHead + "types:\n  %s: {union: [string, {fields: {a: string}}], open: true}\n"},
	{"list", namesHead + "types:\n  %s: {list: {fields: {a: string}}}\n"},
	{"map", namesHead + "types:\n  %s: {map: {fields: {a: string}}}\n"},
	{"tuple", namesHead + "types:\n  %s: {tuple: [string, {fields: {a: {type: string, pattern: ^x}}}]}\n"},
	{"element of a tuple", namesHead + "types:\n  Several:\n    tuple:\n      - {type: string, go: %g}\n"},
	{"value of an enum", namesHead + "types:\n  Colour:\n    enum:\n      %s: {go: V%n}\n"},
	{"value of an enum by itself", namesHead + "types:\n  Colour:\n    enum:\n      %s: {}\n"},
	{"Go name of a value", namesHead + "types:\n  Colour:\n    enum:\n      v%n: {go: %g}\n"},
	{"field", namesHead + "types:\n  Holder:\n    fields:\n      %k: {type: string, pattern: ^x}\n"},
	{"field with an object", namesHead + "types:\n  Holder:\n    fields:\n      %s: {fields: {a: {type: string, pattern: ^x}}}\n"},
	{"field next to others", namesHead + "types:\n  Holder:\n    additional: string\n    fields:\n      %s: string\n"},
	{"field of params", namesHead + "methods:\n  run:\n    params:\n      %s: integer\n    result: string\n"},
	{"field of a result", namesHead + "methods:\n  run:\n    result:\n      %s: integer\n"},
	{"field of an error", namesHead + "errors:\n  Bad:\n    code: 17\n    message: bad\n    data:\n      %s: integer\n"},
	{"error", namesHead + "errors:\n  %s: {code: %n, message: bad, data: {a: string}}\n"},
	{"error without data", namesHead + "errors:\n  %s: {code: %n, message: bad}\nmethods:\n  run: {}\n"},
	{"method", namesHead + "methods:\n  %s: {params: {a: string}, result: {b: string}}\n"},
	{"method of both sides", namesHead + "methods:\n  %s: {params: {a: string}, result: string, from: both}\n"},
	{"method without batches", namesHead + "protocol: {batch: false}\nmethods:\n  %s: {params: {a: string}, result: string, from: both}\n"},
	{"method in compact code", namesHead + "go: {codec: compact}\nmethods:\n  %s: {params: {a: string}, result: {b: string}}\n"},
	{"method with all settings", namesHead + "methods:\n  %s: {idempotent: true, rate: {calls: 5, per: 1s}, cache: {ttl: 5s}, timeout: 5s, params: {a: string}, result: {b: string}}\n"},
	{"notification", namesHead + "notifications:\n  %s: {params: {a: string}}\n"},
	{"notification of a server", namesHead + "notifications:\n  %s: {params: {a: string}, from: server}\n"},
	{"method next to tools", namesServer + "methods:\n  %s: {params: {a: string}, result: {b: string}}\n"},
	{"tool", namesServer + "tools:\n  %s: {description: does it, input: {a: string}, output: {b: string}}\n"},
	{"tool with everything", namesServer + "errors:\n  Bad: {code: 17, message: bad}\ntools:\n  %s: {description: does it, input: {a: string}, output: {b: string}, content: text, errors: [Bad], rate: {calls: 5, per: 1s}, cache: {ttl: 5s}}\n"},
	{"tool that runs as a task", namesServer + "tools:\n  %s: {description: does it, task: optional, input: {a: string}, output: {b: string}}\n"},
	{"tool that asks", namesServer + "tools:\n  %s: {description: does it, input: {a: string}, output: {b: string}, asks: {sure: {message: 'Sure about {a}?', form: {c: boolean}}}}\n"},
	{"question of a tool", namesServer + "tools:\n  run:\n    description: does it\n    asks:\n      %s: {message: Sure, form: {c: boolean}}\n"},
	{"field of an input", namesServer + "tools:\n  run:\n    description: does it\n    input:\n      %s: string\n"},
	{"error of a tool", namesServer + "tools:\n  run:\n    description: does it\n    errors:\n      %s: {message: bad, data: {a: string}}\n"},
	{"resource", namesServer + "resources:\n  %s: {uri: 'shop://r%n', content: {type: object}}\n"},
	{"template", namesServer + "resources:\n  %s: {uriTemplate: 'shop://r%n/{id}', params: {id: {type: string, complete: true}}, content: string}\n"},
	{"prompt", namesServer + "prompts:\n  %s: {description: does it, arguments: {a: {type: string, complete: true}}}\n"},
	{"argument of a prompt", namesServer + "prompts:\n  ask:\n    description: does it\n    arguments:\n      %s: {type: string, complete: true}\n"},
}

const (
	namesHead   = "rpcgen: v1\npackage: service\n"
	namesServer = namesHead + "use: [mcp]\nserver: {name: service, version: v1}\n"
)

// TestIdentifiers puts every identifier of generated packages, of the runtime and of Go at every place where authors choose a name. Each is
// refused at its place with a way out, or the code of all the others compiles.
func TestIdentifiers(t *testing.T) {
	names, used := identifiers(t), ofRuntime(t)
	for at, p := range positions {
		t.Run(p.name, func(t *testing.T) {
			left := slices.Clone(names)
			if testing.Short() { // other names at each position, and those that were found to clash
				left = slices.DeleteFunc(left, func(name string) bool { return (len(name)+at)%5 > 0 && !slices.Contains(found, name) })
			}
			for _, name := range used { // generated code declares none of them: a few at each position
				if (len(name)+at)%7 == 0 && !slices.Contains(names, name) {
					left = append(left, name)
				}
			}
			for all, refused := len(left), []string{""}; len(refused) > 0; {
				refused = compileNames(t, p.text, left)
				left = slices.DeleteFunc(slices.Clone(left), func(name string) bool { return slices.Contains(refused, name) })
				if len(left) < all/2 {
					t.Fatalf("of %d names, %d are left, without %q", all, len(left), refused)
				}
			}
		})
	}
}

// found are names with which generated code did not compile once.
var found = []string{"Batch", "Send", "taskResultChart", "matchItem", "chart", "item"}

// TestPackageNames imports schemas and binds types from packages with every lower-case identifier of generated packages as their name.
func TestPackageNames(t *testing.T) {
	files := map[string]string{"go.mod": "module example.com/names\n"}
	var imports, uses strings.Builder
	types := "types:\n"
	at := 0
	for _, name := range identifiers(t) {
		if strings.ContainsFunc(name, func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') }) || token.IsKeyword(name) {
			continue
		}
		at++
		n := strconv.Itoa(at)
		files["p"+n+"/"+name+"/part.rpc.yaml"] = "rpcgen: v1\npackage: " + name + "\ntypes:\n  Code: {type: string, pattern: ^x}\n" +
			"  Part: {fields: {a: Code, c?: {type: string, default: x}}}\n  Either: {union: [string, Part]}\n  Many: list<Part>\n"
		imports.WriteString("  a" + n + ": p" + n + "/" + name + "/part.rpc.yaml\n")
		part := "a" + n + "."
		fields := strings.NewReplacer("%", part, "#", n).Replace("{a: %Code, b: '%Code | null', c: %Part, d?: %Part, e: list<%Part>, f: map<%Either>, " +
			"g: {union: [string, %Part]}, h: %Many, i: {tuple: [%Code, %Part]}, j: Bound#}")
		types += "  Bound" + n + ": {type: string, go: {type: Text, import: example.com/other/" + name + "}}\n  Holder" + n + ": {fields: " + fields + "}\n"
		uses.WriteString("  run" + n + ": {from: both, params: " + fields + ", result: " + fields + "}\n" +
			"  part" + n + ": {from: both, params: " + part + "Part, result: " + part + "Part}\n" +
			"  many" + n + ": {from: both, params: " + part + "Many, result: " + part + "Either}\n" +
			"  text" + n + ": {result: Bound" + n + "}\n")
	}
	for _, head := range []string{namesHead, namesHead + "go: {codec: compact}\n"} {
		files["service.rpc.yaml"] = head + "import:\n" + imports.String() + types + "methods:\n" + uses.String()
		loader := schema.Loader{Read: func(name string) ([]byte, error) {
			if text, ok := files[name]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		}}
		doc, faults := loader.Load("service.rpc.yaml")
		if !faults.HasErrors() {
			_, faults = typecheck.Check(doc, 4<<20, typecheck.GoCommand{})
		}
		for _, f := range faults {
			t.Error(f)
		}
	}
	if at < 100 {
		t.Errorf("%d names of packages are tried", at)
	}
}

// compileNames compiles a schema with names, and returns those that are refused.
func compileNames(t *testing.T, text string, names []string) (refused []string) {
	t.Helper()
	var schemaText strings.Builder
	byLine := map[int]string{}
	line := 0
	for part := range strings.Lines(text) {
		if !strings.ContainsAny(part, "%") {
			schemaText.WriteString(part)
			line++
			continue
		}
		for i, name := range names {
			line++
			byLine[line] = name
			schemaText.WriteString(strings.NewReplacer("%s", strconv.Quote(name), "%k", strconv.Quote(name+"?"), "%g", name, "%n", strconv.Itoa(i+1)).Replace(part))
		}
	}
	loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(schemaText.String()), nil }}
	doc, faults := loader.Load("service.rpc.yaml")
	if !faults.HasErrors() { // Check returns the faults of generating, too
		var packages typecheck.Packages
		if !testing.Short() {
			packages = typecheck.GoCommand{}
		}
		_, faults = typecheck.Check(doc, 4<<20, packages)
	}
	for _, f := range faults {
		if f.Severity == diag.Warning {
			continue
		}
		name, ok := byLine[f.Span.Pos.Line]
		if !ok || f.Code == "" || f.Help == "" || f.Span.Pos.Col == 0 {
			t.Errorf("%v (%s)", f, name)
			continue
		}
		refused = append(refused, name)
	}
	return refused
}

// identifiers are those of generated packages, of what they import, and of Go.
func identifiers(t *testing.T) []string {
	t.Helper()
	all := map[string]bool{}
	for _, file := range []string{"test/jsonrpc/jsonrpc", "test/toolbox/toolbox", "cmd/mcpgateway/rpc/gateway"} {
		doc, faults := schema.Load(filepath.FromSlash("../../../../../" + file + ".rpc.yaml"))
		if faults.HasErrors() {
			t.Fatal(faults)
		}
		files, _, err := templates.Generate(doc, templates.Options{Schemas: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			collect(t, all, f.Name, f.Text)
		}
	}
	for at := token.BREAK; at <= token.VAR; at++ {
		all[at.String()] = true
	}
	for _, name := range types.Universe.Names() {
		all[name] = true
	}
	for name := range maps.Clone(all) {
		for i, c := range name { // toolNames is what the Names of a tool would be
			if i > 0 && c >= 'A' && c <= 'Z' {
				all[name[:i]] = true
			}
		}
	}
	delete(all, "_")
	return slices.Sorted(maps.Keys(all))
}

func collect(t *testing.T, all map[string]bool, name string, text []byte) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			all[id.Name] = true
		}
		return true
	})
}

// ofRuntime lists the methods that types of the runtime export.
func ofRuntime(t *testing.T) []string {
	t.Helper()
	all := map[string]bool{}
	for _, folder := range []string{"", "gen", "mcp", "mcp/mcpclient"} {
		sources, err := filepath.Glob(filepath.Join("../../../../../runtime", filepath.FromSlash(folder), "*.go"))
		if err != nil || len(sources) == 0 {
			t.Fatal(sources, err)
		}
		for _, name := range sources {
			parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.IsExported() && !strings.HasSuffix(name, "_test.go") {
					all[f.Name.Name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
