//go:build !race

package command

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/docs"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/format"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/lint"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/openrpc"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/test/cputime"
)

// each writes a part n times, with its number in place of every #.
func each(n int, between, part string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(part, "#-1", fmt.Sprint(max(0, i-1))), "#", fmt.Sprint(i)))
	}
	return b.String()
}

const server = "use: [mcp]\nserver: {name: s, version: 1.0.0}\n"

// large are schemas with n parts of one kind.
var large = map[string]func(n int) string{
	"types":           func(n int) string { return "types:\n" + each(n, "", "  T#: {fields: {a: string, b: int32}}\n") },
	"types on a line": func(n int) string { return "types: {" + each(n, ", ", "T#: string") + "}" },
	"chain of types": func(n int) string {
		return "types:\n  T0: {type: string, maxLength: 3}\n" + each(n, "", "  U#: {fields: {a: list<T0>, b: list<U#-1>}}\n")
	},
	"names":          func(n int) string { return "types:\n  N0: string\n" + each(n, "", "  A#: N0\n") },
	"lists of lists": func(n int) string { return "types:\n" + each(n, "", "  B#: {list: B#-1}\n") },
	"fields":         func(n int) string { return "types: {T: {fields: {" + each(n, ", ", "f#: string") + "}}}" },
	"wrong":          func(n int) string { return "types: {T: {fields: {" + each(n, ", ", "f#: strin#") + "}}}" },
	"required": func(n int) string {
		return "types: {T: {properties: {" + each(n, ", ", "f#: string") + "}, required: [" + each(n, ", ", "f#") + "]}}"
	},
	"misspelt": func(n int) string {
		return "types: {T: {properties: {" + each(n, ", ", "f#: string") + "}, required: [" + each(n, ", ", "g#") + "]}}"
	},
	"enum":            func(n int) string { return "types: {T: {enum: [" + each(n, ", ", "v#") + "]}}" },
	"enum with words": func(n int) string { return "types:\n  T:\n    enum:\n" + each(n, "", "      v#: Word #.\n") },
	"quoted":          func(n int) string { return "types: {T: {enum: [" + each(n, ", ", `"é\u0061#"`) + "]}}" },
	"default": func(n int) string {
		return "types:\n  T:\n    fields:\n      a?: {type: list<int32>, default: [" + each(n, ", ", "#") + "]}\n"
	},
	"examples": func(n int) string { return "types: {T: {type: int32, examples: [" + each(n, ", ", "#") + "]}}" },
	"mixins": func(n int) string {
		return "types:\n  B: {mixin: true, fields: {a: string, b: string}}\n" + each(n, "", "  T#: {extends: B, fields: {c#: string}}\n")
	},
	"extends": func(n int) string {
		return "types:\n  T0: {fields: {a: string}}\n" + each(n, "", "  U#: {extends: T0, fields: {c#: string}}\n")
	},
	"methods": func(n int) string {
		return "methods:\n" + each(n, "", "  m/v#: {params: {a: string}, result: {b: string}}\n")
	},
	"methods on a line": func(n int) string { return "methods: {" + each(n, ", ", "m/v#: {}") + "}" },
	"errors": func(n int) string {
		return "errors:\n" + each(n, "", "  E#: {code: #, message: 'no {a}', data: {a: string}}\n") + "methods: {m/v: {errors: [" + each(n, ", ", "E#") + "]}}\n"
	},
	"one code": func(n int) string { return "errors:\n" + each(n, "", "  E#: {code: 7}\n") },
	"tools": func(n int) string {
		return server + "tools:\n" + each(n, "", "  t#: {input: {a: string}, output: {b: string}}\n")
	},
	"resources": func(n int) string {
		return server + "resources:\n" + each(n, "", "  r#: {uriTemplate: 's://#/{a}', content: string}\n")
	},
	"prompts": func(n int) string { return server + "prompts:\n" + each(n, "", "  p#: {arguments: {a: string}}\n") },
	"union": func(n int) string {
		return "types:\n" + each(n/10, "", "  T#: {fields: {k: {const: v#}}}\n") + "  U: {union: [" + each(n/10, ", ", "T#") + "]}\n"
	},
	"reserved": func(n int) string { return "reserved: {names: [" + each(n, ", ", "N#") + "]}\n" },
	"ignored": func(n int) string {
		return "methods:\n" + each(n, "", "  m/v#: {}\n") + "lint:\n  ignore:\n" + each(n, "", "    - {rule: UndescribedMethod, at: methods.m/v#, reason: x}\n")
	},
	"ignored badly": func(n int) string {
		return "methods:\n" + each(n, "", "  m/v#: {}\n") + "lint:\n  ignore:\n" + each(n, "", "    - {rule: UndescribedMethod, at: methods.m/w#, reason: x}\n")
	},
	"comments": func(n int) string {
		return each(n, "", "# Comment #.\n") + "types:\n" + each(n, "", "  # One.\n  T#: string\n")
	},
	"description": func(n int) string { return "description: |\n" + each(n, "", "  Line #.\n") },
	"message": func(n int) string {
		return "errors: {E: {code: 1, data: {a: string}, message: '" + each(n, " ", "{a}") + "'}}\n"
	},
}

// eachNext repeats a part that says its number and the one before.
func eachNext(n int, part string) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(part, i+1, i))
	}
	return strings.Join(all, ", ")
}

// imports are sources of imports with n parts of one kind.
var imports = map[string]func(n int) string{
	"definitions": func(n int) string {
		return `{"$defs": {` + each(n, ", ", `"T#": {"type": "object", "properties": {"a": {"type": "string"}}}`) + `}}`
	},
	"bases": func(n int) string {
		return `{"$defs": {` + each(n, ", ", `"T#": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c#": {"type": "string"}}}`) + `, "T": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}}}`
	},
	"chain": func(n int) string {
		return `{"$defs": {"U0": {"type": "string"}, ` + eachNext(n, `"U%d": {"type": "object", "properties": {"a": {"$ref": "#/$defs/U%d"}}}`) + `}}`
	},
	"doubling": func(n int) string {
		return `{"$defs": {"U0": {"type": "string"}, ` + eachNext(n, `"U%d": {"anyOf": [{"$ref": "#/$defs/U%d"}, {"$ref": "#/$defs/U%[2]d"}]}`) + `}}`
	},
	"properties": func(n int) string {
		return `{"$defs": {"T": {"type": "object", "properties": {` + each(n, ", ", `"p#": {"type": "string"}`) + `}, "required": [` + each(n, ", ", `"p#"`) + `]}}}`
	},
	"enum": func(n int) string { return `{"$defs": {"T": {"enum": [` + each(n, ", ", `"v#"`) + `]}}}` },
	"constants": func(n int) string {
		return `{"$defs": {"T": {"oneOf": [` + each(n, ", ", `{"const": "v#", "title": "Word #"}`) + `]}}}`
	},
	"branches": func(n int) string {
		return `{"$defs": {"T": {"anyOf": [` + each(n, ", ", `{"type": "object", "properties": {"k": {"const": "v#"}}, "required": ["k"]}`) + `]}}}`
	},
	"allOf": func(n int) string {
		return `{"$defs": {"T": {"allOf": [` + each(n, ", ", `{"type": "object", "properties": {"p#": {"type": "string"}}}`) + `]}}}`
	},
	"one base": func(n int) string {
		return `{"$defs": {"B": {"type": "object", "properties": {"a": {"type": "string"}}}, "T": {"allOf": [` + strings.Repeat(`{"$ref": "#/$defs/B"}, `, n) + "true" + `]}}}`
	},
	"opaque": func(n int) string { return `{"$defs": {` + each(n, ", ", `"T#": {"not": {"type": "string"}}`) + `}}` },
	"unknown": func(n int) string {
		return `{"$defs": {"T": {"type": "string", ` + each(n, ", ", `"unknown#": true`) + `}}}`
	},
	"openrpc": func(n int) string {
		return `{"openrpc": "1.3.2", "info": {"title": "t", "version": "1"}, "methods": [` + each(n, ", ", `{"name": "m#", "params": [], "result": {"name": "r", "schema": {"type": "string"}}}`) + `]}`
	},
	"tools": func(n int) string {
		return `{"tools": [` + each(n, ", ", `{"name": "t#", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}`) + `]}`
	},
}

// loadText loads one text.
func loadText(text string) (*ir.Document, diag.List) {
	l := schema.Loader{Read: func(path string) ([]byte, error) {
		if path == "main.rpc.yaml" {
			return []byte("rpcgen: v1\npackage: scale\n" + text), nil
		}
		return nil, fs.ErrNotExist
	}}
	doc, faults := l.Load("main.rpc.yaml")
	var b strings.Builder
	faults.WriteText(&b, l.Source)
	return doc, faults
}

// commands are what is done with a schema.
var commands = map[string]func(text string, doc *ir.Document){
	"load": func(text string, _ *ir.Document) {
		if doc, faults := loadText(text); doc != nil {
			lint.Run(doc, faults)
		}
	},
	"fmt": func(text string, _ *ir.Document) {
		format.Source("main.rpc.yaml", []byte("rpcgen: v1\npackage: scale\n"+text))
	},
	"generate": func(_ string, doc *ir.Document) { templates.Generate(doc, templates.Options{}) },
	"diff": func(text string, doc *ir.Document) {
		other, _ := loadText(strings.ReplaceAll(text, "string", "boolean"))
		if other != nil {
			diff.Compare(doc, other, goNames)
		}
	},
	"export": func(_ string, doc *ir.Document) {
		jsonschema.Export(doc, jsonschema.Options{})
		openrpc.Export(doc)
		docs.HTML(doc)
		docs.Markdown(doc)
	},
}

// TestLinear does what the commands do with schemas and sources of one size and of four times that, and compares what it costs: memory,
// which is counted, and time, of which the shortest counts. The race detector would cost more than the work.
func TestLinear(t *testing.T) {
	i := 0
	for _, construct := range slices.Sorted(maps.Keys(large)) {
		text := large[construct]
		for _, name := range slices.Sorted(maps.Keys(commands)) {
			command := commands[name]
			if i++; !*exhaustive && i%every(name == "load") != 0 {
				continue
			}
			n := parts(construct)
			if name != "load" && name != "fmt" {
				n = 200
			}
			small, big := text(n), text(4*n)
			one, _ := loadText(small)
			four, _ := loadText(big)
			if (one == nil || four == nil) && name != "load" && name != "fmt" {
				continue // it has faults
			}
			linear(t, name+" "+construct, func() { command(small, one) }, func() { command(big, four) })
		}
	}
	for _, construct := range slices.Sorted(maps.Keys(imports)) {
		if i++; !*exhaustive && i%every(true) != 0 {
			continue
		}
		text, n := imports[construct], parts(construct)
		small, big := text(n), text(4*n)
		linear(t, "import "+construct, func() { importTwice(t, small) }, func() { importTwice(t, big) })
	}
}

// every returns n if one pair of a command and a construct in n is tried. More are tried of what reads the text of users.
func every(reads bool) int {
	switch {
	case testing.Short() && reads:
		return 4
	case testing.Short():
		return math.MaxInt
	case reads:
		return 3
	}
	return 13
}

// parts is how many parts of a kind are a lot: four times as many are within the limits, if there are any.
func parts(construct string) int {
	few := 400
	switch {
	case testing.Short():
		few = 200
	case *exhaustive:
		few = 800
	}
	switch construct {
	case "enum", "enum with words", "quoted", "default", "examples", "comments", "description", "message", "constants", "unknown":
		return 5 * few
	}
	return few
}

// importTwice imports a source, and once more into the result, under an overlay that says something of each type.
func importTwice(t *testing.T, text string) {
	source := importer.Source{Name: "source.json", Text: []byte(text)}
	first, err := importer.Import(source, importer.Options{})
	if err != nil {
		if !strings.Contains(err.Error(), "too ") {
			t.Error(err)
		}
		return // the source is too large
	}
	doc, faults := loadText(strings.SplitAfterN(string(first.Text), "\n", 2)[1])
	if doc == nil {
		t.Fatal(faults)
	}
	over := "types:\n"
	for _, d := range doc.Types {
		over += "  " + d.Name + ": {description: Said by the overlay.}\n"
	}
	o := importer.Options{Out: &importer.Source{Name: "out.rpc.yaml", Text: first.Text}, Last: &importer.Source{Name: "out.rpc.source.yaml", Text: first.Last}}
	if len(doc.Types) > 0 {
		o.Overlays = []importer.Source{{Name: "over.yaml", Text: []byte(over)}}
	}
	if _, err := importer.Import(source, o); err != nil {
		t.Fatal(err)
	}
}

// linear compares the costs of a piece of work and of one that is four times as large.
func linear(t *testing.T, name string, small, big func()) {
	t.Helper()
	const attempts = 12 // what is over in milliseconds says nothing
	var bytes [2]uint64
	var took [2]time.Duration
	for i := range attempts {
		for k, work := range []func(){small, big} {
			b, d := cost(work)
			if i == 0 || d < took[k] {
				took[k] = d
			}
			bytes[k] = b
		}
		if bytes[1] < 7*bytes[0] && took[1] < 12*took[0]+20*time.Millisecond {
			return
		}
	}
	t.Errorf("%s: %d bytes and %s, and for four times as much %d bytes and %s", name, bytes[0], took[0], bytes[1], took[1])
}

// cost is how many bytes a piece of work allocates, and how much processor time it takes.
func cost(work func()) (uint64, time.Duration) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := cputime.Used()
	work()
	took := cputime.Used() - start
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, took
}

// TestHundredThousand loads and imports what has 100,000 parts. All of them end long before the guard, or are refused.
func TestHundredThousand(t *testing.T) {
	n := 100_000
	if !*exhaustive {
		n /= 250
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	for construct, text := range large {
		within(ctx, t, "load "+construct, func() { commands["load"](text(n), nil) })
	}
	for construct, text := range imports {
		within(ctx, t, "import "+construct, func() {
			importer.Import(importer.Source{Name: "source.json", Text: []byte(text(n))}, importer.Options{})
		})
	}
}

// within fails when work has not ended before ctx.
func within(ctx context.Context, t *testing.T, name string, work func()) {
	t.Helper()
	done := make(chan struct{})
	start := time.Now()
	go func() {
		defer close(done)
		work()
	}()
	select {
	case <-done:
		t.Logf("%s: %s", name, time.Since(start).Round(time.Millisecond))
	case <-ctx.Done():
		t.Fatalf("%s goes on", name)
	}
}
