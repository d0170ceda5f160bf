package verdicts_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/templates/typescript"
)

// branchKind is a type that can be a branch, with the JSON of a value of it: without the braces, for what has members.
type branchKind struct{ name, typ, json string }

// Branches that have members. The other branch of their unions has the member lives.
var membered = []branchKind{
	{"plain", "{fields: {breed: string}}", `"breed":"pug"`},
	{"optional", "{fields: {breed?: string}}", ``},
	{"kept", "{fields: {breed: string}, additional: any}", `"breed":"pug","more":[1]`},
	{"texts", "{fields: {breed: string}, additional: string}", `"breed":"pug","more":"x"`},
	{"numbers", "{fields: {breed: string}, additional: integer}", `"breed":"pug","more":1`},
	{"closed", "{fields: {breed: string}, additional: false}", `"breed":"pug"`},
	{"ruled", "{fields: {breed?: {type: string, minLength: 1}, age?: integer}, require: [breed | age]}", `"breed":"pug"`},
	{"declared", "{fields: {what: string, breed: string}}", `"what":"a","breed":"pug"`},
	{"constant", "{fields: {what: {const: a}, breed: string}}", `"what":"a","breed":"pug"`},
	{"either", "{union: {left: {fields: {breed: string, left: string}}, right: {fields: {breed: string, right: string}}}, by: presence}", `"breed":"pug","left":"x"`},
	{"tagged", "{union: {left: {fields: {breed: string}}, right: {fields: {age: integer}}}, by: side}", `"side":"left","breed":"pug"`},
	{"map", "map<string>", `"breed":"pug"`},
	{"mapped", "{fields: {breed: string, inside: {map: {fields: {x?: integer}}}}}", `"breed":"pug","inside":{"a":{}}`},
}

// Branches of other kinds.
var valued = []branchKind{
	{"text", "string", `"x"`},
	{"ruledtext", "{type: string, pattern: ^x}", `"x"`},
	{"integer", "integer", `7`},
	{"unsigned", "uint64", `18446744073709551615`},
	{"number", "number", `1.5`},
	{"decimal", "decimal", `1.50`},
	{"boolean", "boolean", `true`},
	{"words", "{enum: [x, y]}", `"x"`},
	{"openwords", "{enum: [x, y], open: true}", `"z"`},
	{"numbers", "{enum: [1, 2]}", `2`},
	{"list", "list<string>", `["x"]`},
	{"objects", "{list: {fields: {x?: integer}}}", `[{}]`},
	{"tuple", "{tuple: [string, integer]}", `["x",1]`},
	{"bytes", "bytes", `"eA=="`},
	{"time", "datetime", `"2026-01-31T08:00:00Z"`},
	{"date", "date", `"2026-01-31"`},
	{"id", "string | integer", `"x"`},
}

// way is a way to tell the branches X and Y of a union apart.
type way struct {
	name, union, tag string
	every            bool // with branches in every place and each codec; else only with imported ones
}

var ways = []way{
	{"tag", "{union: {a: X, b: Y}, by: what}", `"what":"a"`, true},
	{"open", "{union: {a: X, b: Y}, by: what, open: true}", `"what":"a"`, false},
	{"absent", "{union: {a: X, b: Y}, by: what, absent: a}", `"what":"a"`, false},
	{"assumed", "{union: {a: X, b: Y}, by: what, absent: b}", `"what":"a"`, false},
	{"escaped", `{union: {"a\"é": X, b: Y}, by: "wh\"at"}`, `"wh\"at":"a\"é"`, false},
	{"nested", "{union: [{union: {a: X, b: Y}, by: what}, string], by: kind}", `"what":"a"`, false},
	{"presence", "{union: {breed: X, lives: Y}, by: presence, absent: breed}", ``, false},
	{"inferred", "X | Y", ``, false},
	{"either", "X | Z", ``, false},
	{"kind", "{union: [X, Z], by: kind}", ``, true},
}

// place is where a branch stands.
type place string

// The places of branches. What is written in place has no methods of its own besides those of a branch.
const (
	here      place = "own"
	elsewhere place = "imported"
	inPlace   place = "in place"
)

// table is one schema with a union of each branch, way and place that the language has.
type table struct {
	*testing.T
	far, types, checks           strings.Builder
	every, tools, fields, called strings.Builder // of those that each codec has
	n                            int
	used                         map[string]bool
}

// try adds a union, if the compiler takes it.
func (c *table) try(w way, b branchKind, at place, bare, value string) {
	c.n++
	x, far := fmt.Sprintf("X%d", c.n), ""
	types := ""
	switch at {
	case here:
		types = "  " + x + ": " + b.typ + "\n"
	case elsewhere:
		far, x = "  "+x+": "+b.typ+"\n", "far."+x
	case inPlace:
		x = b.typ
		if strings.Contains(w.union, " | ") {
			return // there, only names stand
		}
	}
	y, z := fmt.Sprintf("Y%d", c.n), fmt.Sprintf("Z%d", c.n)
	other := "{fields: {lives: integer}}"
	if b.name == "constant" {
		other = "{fields: {what: {const: b}, lives: integer}}"
	}
	types += "  " + y + ": " + other + "\n  " + z + ": boolean\n"
	types += fmt.Sprintf("  U%d: %s\n", c.n, strings.NewReplacer("X", x, "Y", y, "Z", z).Replace(w.union))
	files := map[string]string{"main": "rpcgen: v1\npackage: p\n" + imports + "types:\n" + types, "far": farHead + far}
	if _, faults := loaded(files); faults != nil {
		return
	}
	c.used[w.name], c.used[b.name] = true, true
	c.far.WriteString(far)
	c.types.WriteString(types)
	name := fmt.Sprint(w.name, " ", b.name, " ", at)
	if strings.HasPrefix(b.typ, "{union") && w.tag != "" && at != elsewhere {
		name += ", of two unions"
	}
	check := fmt.Sprintf("\tcheck(%q, `%s`, `%s`, P.DecodeU%d, P.AppendU%d, P.CheckU%d)\n", name, bare, value, c.n, c.n, c.n)
	c.checks.WriteString(check)
	if w.every {
		c.called.WriteString(check)
		c.every.WriteString(types)
		fmt.Fprintf(&c.fields, "      v%d: U%d\n", c.n, c.n)
		fmt.Fprintf(&c.tools, "  t%d: {hints: {readOnly: true}, output: {item: U%d}, view: {choose: fields}}\n", c.n, c.n)
	}
}

const (
	imports = "import: {far: far}\ngo: {import: {far: batches/far}}\n"
	farHead = "rpcgen: v1\npackage: far\ntypes:\n  Last: string\n"
)

// loaded compiles a schema of two files in memory.
func loaded(files map[string]string) (*ir.Document, error) {
	loader := schema.Loader{Read: func(name string) ([]byte, error) {
		if text, ok := files[path.Base(name)]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}}
	doc, faults := loader.Load("main")
	if doc == nil || faults.HasErrors() {
		return nil, fmt.Errorf("%v", faults)
	}
	return doc, nil
}

// members are two lists of members as one.
func members(a, b string) string { return "{" + strings.Trim(a+","+b, ",") + "}" }

// TestUnions generates every kind of branch in every way to tell branches apart, declared where its union is, imported and written in place; with
// each codec, with views, a test kit and as TypeScript. All of it compiles, and a value that no message holds is written and read with its tag. A branch
// that an inner union writes without the outer one's tag has no JSON of its own: encoding/json says so.
func TestUnions(t *testing.T) {
	c := &table{T: t, used: map[string]bool{}}
	for _, w := range ways {
		for _, at := range []place{elsewhere, here, inPlace} {
			if at == here && !w.every {
				break
			}
			for _, b := range membered {
				tag := w.tag
				if strings.HasPrefix(b.json, tag) {
					tag = ""
				}
				c.try(w, b, at, "{"+b.json+"}", members(tag, b.json))
			}
			for _, b := range valued {
				if w.tag != "" {
					break // which only members have
				}
				c.try(w, b, at, b.json, b.json)
			}
		}
	}
	for _, list := range [][]branchKind{membered, valued} {
		for _, b := range list {
			if !c.used[b.name] {
				t.Errorf("no union has a branch of the kind %s", b.name)
			}
		}
	}
	for _, w := range ways {
		if !c.used[w.name] {
			t.Errorf("there is no union by %s", w.name)
		}
	}
	c.build()
}

// build writes a module of all, compiles it, and runs the checks.
func (c *table) build() {
	b, far := newBuilt(c.T), farHead+c.far.String()
	c.generate(b, "far", "", far, "")
	c.generate(b, "full", imports, c.types.String(), far)
	c.generate(b, "compact", strings.Replace(imports, "go: {", "go: {codec: compact, ", 1),
		c.every.String()+"  Every:\n    fields:\n"+c.fields.String()+"methods:\n  all: {params: Every, result: Every}\n", far)
	c.generate(b, "tools", imports+"use: [mcp]\nserver: {name: p, version: 1.0.0}\n", c.every.String()+"tools:\n"+c.tools.String(), far)
	calls := "\tstandard = true\n" + strings.ReplaceAll(c.checks.String(), "P.", "full.") + "\tstandard = false\n" + strings.ReplaceAll(c.called.String(), "P.", "compact.")
	b.module()
	b.write("main.go", fmt.Appendf(nil, unionProgram, calls))
	run := exec.Command("go", "run", "-mod=mod", "-gcflags=./...=-l -dwarf=false", ".")
	run.Dir = b.dir
	if out, err := run.CombinedOutput(); err != nil {
		c.Fatalf("%v\n%.20000s", err, out)
	} else {
		c.Logf("%s", bytes.TrimSpace(out))
	}
	vet := exec.Command("go", "vet", "-mod=mod", "-gcflags=./...=-l -dwarf=false", "-bools", "./...") // which compiles only what others import
	vet.Dir = b.dir
	if out, err := vet.CombinedOutput(); err != nil {
		c.Fatalf("%v\n%.8000s", err, out)
	}
}

// generate writes one package: its Go, TypeScript and test kit.
func (c *table) generate(b *built, name, head, types, far string) {
	text := "rpcgen: v1\npackage: " + name + "\n" + head + "types:\n" + types
	if far == "" {
		text = types
	}
	doc, err := loaded(map[string]string{"main": text, "far": far})
	if err != nil {
		c.Fatal(err)
	}
	files, faults, err := templates.Generate(doc, templates.Options{})
	if err != nil || faults.HasErrors() {
		c.Fatal(name, err, faults)
	}
	kit, err := templates.GenerateKit(doc, templates.Options{}, "batches/"+name)
	if err != nil {
		c.Fatal(err)
	}
	for _, f := range slices.Concat(files, kit) {
		b.write(filepath.Join(name, f.Name), f.Text)
	}
	if _, faults := typescript.Generate(doc, typescript.Options{}); faults.HasErrors() {
		c.Error(faults)
	}
}

// unionProgram writes and reads values of unions that nothing holds.
const unionProgram = `package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"

	"batches/compact"
	"batches/full"
)

var standard, failed = false, 0

var n = 0

func fail(name, form string, args ...any) {
	failed++
	fmt.Printf(name+": "+form+"\n", args...)
}

// equal reports whether two texts are the same value, whatever the order of members.
func equal(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y) && len(a) == len(b)
}

// check is as little code as can be, for there is one of it for each type.
func check[T any](name, bare, want string, decode func(*wire.Reader) T, appendJSON func([]byte, T) []byte, rules func(*runtime.Violations, T)) {
	checkTexts(name, bare, want, func(text string) (any, error) { return runtime.UnmarshalUnion([]byte(text), decode, rules) },
		func(v any) ([]byte, error) { return runtime.MarshalUnion(v.(T), appendJSON) }, func(v any) any { return []T{v.(T)} })
}

func checkTexts(name, bare, want string, read func(string) (any, error), write func(any) ([]byte, error), list func(any) any) {
	n++
	v, err := read(want)
	if err != nil {
		fail(name, "%%s is not read: %%v", want, err)
		return
	}
	if b, err := write(v); err != nil || !equal(b, []byte(want)) {
		fail(name, "MarshalUnion writes %%s, %%v, want %%s", b, err, want)
	}
	if !standard {
		return
	}
	for _, text := range []string{want, bare} { // with the tag and without
		p := reflect.New(reflect.TypeOf(v))
		if err := json.Unmarshal([]byte(text), p.Interface()); err != nil {
			fail(name, "%%T reads %%s: %%v", v, text, err)
			continue
		}
		again := p.Elem().Interface()
		_, err := json.Marshal(again)
		if apart := strings.Contains(name, "two unions") ; apart != (err != nil && strings.Contains(err.Error(), "runtime.MarshalUnion")) {
			fail(name, "encoding/json says %%v", err)
		} else if apart {
			continue
		}
		if b, err := json.Marshal(map[string]any{"x": list(again)}); err != nil || !equal(b, []byte("{\"x\":["+want+"]}")) {
			fail(name, "encoding/json writes %%s of %%s, %%v, want %%s", b, text, err, want)
		}
		if b, err := write(again); err != nil || !equal(b, []byte(want)) {
			fail(name, "MarshalUnion writes %%s of %%s, %%v, want %%s", b, text, err, want)
		}
	}
}

func main() {
%s	fmt.Println(n, "unions,", failed, "faults")
	if failed > 0 {
		os.Exit(1)
	}
}
`
