package command

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/diff"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/docs"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/lint"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/openrpc"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/sample"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/typecheck"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/judge"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/templates/typescript"
)

// everyKind has a type of each kind, as it is spelled, a value in JSON that it refuses, none where it refuses nothing, and a type of the same
// kind that takes other values.
var everyKind = map[string]struct{ spelled, refused, other string }{
	"Bool":     {"boolean", `1`, ""},
	"Int":      {"{type: int32, minimum: 1}", `0`, "{type: int32, minimum: 2}"},
	"Float":    {"{type: number, maximum: 1}", `2`, "{type: number, maximum: 2}"},
	"Decimal":  {"{type: decimal, minimum: 1, multipleOf: 0.5}", `0`, "{type: decimal, minimum: 1, multipleOf: 0.25}"},
	"String":   {"{type: string, maxLength: 1}", `"ab"`, "{type: string, maxLength: 2}"},
	"Bytes":    {"bytes", `"?"`, "{type: bytes, maxLength: 8}"},
	"Time":     {"datetime", `"now"`, ""},
	"ID":       {"string | integer", `true`, ""},
	"Any":      {"any", ``, "{type: any, schema: {type: object}}"},
	"Literal":  {"{const: a}", `"b"`, "{const: b}"},
	"Enum":     {"{enum: [a, b]}", `"c"`, "{enum: [a, c]}"},
	"List":     {"{type: list<string>, maxItems: 1}", `["a", "b"]`, "{type: list<string>, maxItems: 2}"},
	"Tuple":    {"{tuple: [string, uint32]}", `["a", -1]`, "{tuple: [string, uint32, boolean]}"},
	"Map":      {"{type: map<string>, maxProperties: 1}", `{"a": "", "b": ""}`, "{type: map<string>, maxProperties: 2}"},
	"Struct":   {"{fields: {a: string}}", `{}`, "{fields: {a: string, b: string}}"},
	"Union":    {"string | boolean", `1`, "string | boolean | list<string>"},
	"Nullable": {"Other | null", `{"a": 1}`, "boolean | null"},
	"Ref":      {"Other", `{"a": 1}`, ""},
}

// TestEveryKind takes each kind of type through everything that has to know it, and names what does not. A new kind is a type of ir/type.go or ir/scalar.go
// and an entry above; the switches over kinds that miss it fail here.
func TestEveryKind(t *testing.T) {
	if raceEnabled {
		t.Skip("starts no goroutine but those of package templates")
	}
	all := kindsOf(t)
	if len(all) != len(everyKind) {
		t.Errorf("package ir has the kinds %v, and the test has %d", all, len(everyKind))
	}
	covered := kindsIn(t, "../../../test/allkinds/allkinds.rpc.yaml")
	for _, kind := range all {
		t.Run(kind, func(t *testing.T) {
			k, known := everyKind[kind]
			if !known {
				t.Fatal("add the kind to everyKind")
			}
			want := func(fine bool, what string) {
				t.Helper()
				if !fine {
					t.Errorf("%s does not know the kind %s", what, kind)
				}
			}
			try := tries(t, "the kind "+kind)
			want(covered[kind], "test/allkinds")
			doc := kindOf(t, k.spelled)
			value := doc.Types[0].Type
			want(reflect.TypeOf(value).Elem().Name() == kind, "package check")
			try(func() { want(ir.Describe(value) != "", "ir.Describe") })
			try(func() { want((ir.Word(value) != "") == (kind != "Ref" && kind != "Nullable"), "ir.Word") })
			try(func() { want((ir.KindsOf(value) == ir.EveryKind) == (kind == "Any"), "ir.KindsOf") })
			try(func() { verbs(want, reflect.TypeOf(value).Elem()) })
			try(func() {
				files, faults, err := templates.Generate(doc, templates.Options{})
				want(err == nil && !faults.HasErrors() && slices.ContainsFunc(files, func(f templates.File) bool { return strings.Contains(string(f.Text), "Value") }), "templates")
			})
			if !testing.Short() { // the go command takes longer than all else
				try(func() {
					compiled, faults := typecheck.Check(doc, 4<<20, typecheck.GoCommand{})
					want(len(faults) == 0 && compiled.Reason == "", "the code that is generated")
				})
			}

			try(func() {
				good, ok := sample.Of(value)
				want(ok && len(judge.Judge(value, good)) == 0, "package sample")
				want(judge.Equal(judge.Kept(value, good), good), "judge.Kept")
				if zero := zeroOf(t, value); zero != nil {
					want(leavesOut(t, k.spelled, good.String()) == (len(judge.Judge(value, *zero)) > 0), "zeroMeansDefault of templates")
				}
			})
			if k.refused != "" {
				try(func() {
					bad, err := ir.ParseJSON([]byte(k.refused))
					want(err == nil && len(judge.Judge(value, bad)) > 0, "package judge")
				})
			}
			try(func() {
				exported, err := jsonschema.Export(doc, jsonschema.Options{})
				want(err == nil && restricts(t, exported) == (kind != "Any"), "package jsonschema")
				back := imported(t, exported)
				want(reflect.TypeOf(back) == reflect.TypeOf(value) || kind == "Decimal", fmt.Sprintf("the importer, which makes %T of it,", back))
			})
			try(func() {
				methods, _, err := openrpc.Export(doc)
				want(err == nil && strings.Contains(string(methods), `"Value"`), "package openrpc")
			})
			try(func() {
				page, err := docs.HTML(doc)
				want(err == nil && strings.Contains(string(page), "Value") && strings.Contains(string(docs.Markdown(doc)), "Value"), "package docs")
			})
			try(func() { lint.Run(doc, nil) })
			try(func() { want(anything.MatchString(validators(doc)) == (kind == "Any"), "templates/typescript") })

			try(func() {
				want(len(diff.Compare(doc, kindOf(t, k.spelled), goNames).Changes) == 0, "package diff")
				other := kindOf(t, "{fields: {zz: string}}")
				want(len(diff.Compare(doc, other, goNames).Changes) > 0 && len(diff.Compare(other, doc, goNames).Changes) > 0, "package diff")
				either := diff.Compare(doc, kindOf(t, "{union: ["+k.spelled+", {fields: {zz: string}}], by: context}"), goNames)
				want(received(either) < diff.Break, "package diff, comparing it with a union that has it,")
			})
			if k.other != "" {
				another(try, want, doc, kindOf(t, k.other))
			}
		})
	}
}

// zeroes are the zero values of types in Go, as they are written.
var zeroes = map[string]string{"bool": `false`, "int32": `0`, "int64": `0`, "uint32": `0`, "uint64": `0`, "float64": `0`, "string": `""`, "Number": `0`,
	"Time": `"0001-01-01T00:00:00Z"`, "ID": `null`, "Raw": `null`}

// zeroOf returns the zero value in Go of a type that says all in one word, or lists values; nil for others, and for one that is nil in Go.
func zeroOf(t *testing.T, value ir.Type) *ir.Value {
	t.Helper()
	name := "string"
	if s := ir.ScalarOf(value); s != nil {
		name = s.Go.Type
	} else if !ir.Is[*ir.Enum](value) {
		return nil
	}
	if strings.HasPrefix(name, "[]") {
		return nil
	}
	zero, err := ir.ParseJSON([]byte(zeroes[name]))
	if err != nil {
		t.Errorf("add the zero value of %s to zeroes: %v", name, err)
		return nil
	}
	return &zero
}

// leavesOut reports whether code in Go leaves out a field with a default whose value is the zero value of its type.
func leavesOut(t *testing.T, spelled, byDefault string) bool {
	t.Helper()
	doc := kindOf(t, spelled+"\n  Holder: {fields: {held?: {type: Value, default: "+byDefault+"}}}")
	files, _, _ := templates.Generate(doc, templates.Options{})
	return slices.ContainsFunc(files, func(f templates.File) bool { return strings.Contains(string(f.Text), "if v.Held != ") })
}

// anything finds a validator of type Value in TypeScript that takes anything.
var anything = regexp.MustCompile(`const ValueCheck\b[^;]*=>\s*(r\.straight\(ValueFits, )?r\.(any|unknown\(\))\)?;`)

// validators returns the validators of a schema in TypeScript.
func validators(doc *ir.Document) string {
	files, _ := typescript.Generate(doc, typescript.Options{})
	i := slices.IndexFunc(files, func(f templates.File) bool { return f.Name == "validate.ts" })
	if i < 0 {
		return ""
	}
	return string(files[i].Text)
}

// received is the worst verdict on what old peers send to new ones.
func received(r *diff.Report) diff.Verdict {
	worst := diff.NotApplicable
	for _, change := range r.Changes {
		for _, d := range change.Wire {
			worst = max(worst, d.Received.Verdict)
		}
	}
	return worst
}

// another expects everything that is made of a type to differ from what is made of another type of its kind.
func another(try func(func()), want func(bool, string), doc, other *ir.Document) {
	for what, made := range map[string]func(*ir.Document) string{
		"templates": func(d *ir.Document) string {
			files, _, _ := templates.Generate(d, templates.Options{})
			var b strings.Builder
			for _, f := range files {
				b.Write(f.Text)
			}
			return b.String()
		},
		"package jsonschema": func(d *ir.Document) string {
			text, _ := jsonschema.Export(d, jsonschema.Options{})
			return string(text)
		},
		"docs.Markdown":        func(d *ir.Document) string { return string(docs.Markdown(d)) },
		"templates/typescript": validators,
	} {
		try(func() {
			one, two := made(doc), made(other)
			want(one != "" && two != "" && one != two, what+", telling two types apart,")
		})
	}
	try(func() {
		changes := diff.Compare(doc, other, goNames).Changes
		want(len(changes) > 0, "package diff")
		for _, change := range changes {
			want(change.Kind != diff.TypeChanged || ir.RulesOf(doc.Types[0].Type) == nil, "package diff, comparing rules,")
		}
	})
}

// tries returns a function that runs one step of a test of a kind or a rule. A switch that lacks a case may panic: that is reported with its place, and the
// steps after it run.
func tries(t *testing.T, thing string) func(step func()) {
	return func(step func()) {
		t.Helper()
		defer func() {
			if r := recover(); r != nil {
				t.Errorf("%s does not know %s: %v", panickedAt(), thing, r)
			}
		}()
		step()
	}
}

// panickedAt returns the file and the line that the caller, a deferred function, recovers from.
func panickedAt() string {
	callers := make([]uintptr, 50)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for panicked := false; ; {
		f, more := frames.Next()
		if panicked && !strings.HasPrefix(f.Function, "runtime.") || !more {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		panicked = panicked || f.Function == "runtime.gopanic"
	}
}

// verbs takes a type of a kind, filled in by reflection, through what package ir answers about the parts and rules of types.
func verbs(want func(bool, string), kind reflect.Type) {
	made := reflect.New(kind)
	parts, ruled := 0, false
	for i := range kind.NumField() {
		f := made.Elem().Field(i)
		switch {
		case f.Type() == reflect.TypeFor[ir.Type]():
			f.Set(reflect.ValueOf(&ir.Bool{}))
			parts++
		case f.Type() == reflect.TypeFor[[]*ir.Field]():
			f.Set(reflect.ValueOf([]*ir.Field{{Type: &ir.Bool{}}}))
			parts++
		case f.Type() == reflect.TypeFor[[]*ir.Branch]():
			f.Set(reflect.ValueOf([]*ir.Branch{{Type: &ir.Bool{}}}))
			parts++
		case f.Type() == reflect.TypeFor[[]ir.Rule]():
			ruled = true
		}
	}
	t := made.Interface().(ir.Type)
	want(len(slices.Collect(ir.Parts(t))) == parts, "ir.Parts")
	one := []ir.Rule{&ir.Unique{}}
	want(len(ir.RulesOf(t)) == 0, "ir.RulesOf")
	want(ir.AddRules(t, one) == ruled && len(ir.RulesOf(t)) == len(one) == ruled, "ir.AddRules")
	t = reflect.New(kind).Interface().(ir.Type)
	plain := scalar(kind)
	want(ir.Scalar(t) == plain, "ir.Scalar")
	want(ir.Numeric(t) == (plain && ir.Within(t, &ir.Float{})), "ir.Numeric")
	want(!plain || ir.TakesKinds(t) == takesKinds(t), "ir.TakesKinds")
}

// scalar reports whether the struct of a kind holds nothing but where it was written, rules, and how large its values are.
func scalar(kind reflect.Type) bool {
	for i := range kind.NumField() {
		switch f := kind.Field(i).Type; {
		case f == reflect.TypeFor[ir.At](), f == reflect.TypeFor[[]ir.Rule](), f.Kind() == reflect.Int, f.Kind() == reflect.Bool:
		default:
			return false
		}
	}
	return true
}

// takesKinds asks package judge for values of each JSON kind that types with a syntax or a range of their own refuse.
func takesKinds(t ir.Type) bool {
	for _, text := range []string{`null`, `true`, `""`, `"?"`, `0`, `-1`, `123456789012345678901234567890`, `0.5`, `1.5e999`, `[]`, `[1]`, `{}`, `{"a": 1}`} {
		v, err := ir.ParseJSON([]byte(text))
		if err != nil || ir.KindsOf(t).Has(v.Kind) && len(judge.Judge(t, v)) > 0 {
			return false
		}
	}
	return true
}

// filesOfAKind is how many files may name a kind of type or of rule: decimal and datetime stand for kinds without parts, whose type in Go is one of the runtime.
// A number may fall. A second language that schemas become has files of its own: what a value is there, how it is checked, and how it is called.
var (
	filesOfAKind      = map[string]int{"Decimal": 7, "Time": 7, "Unique": 6, "MultipleOf": 7, "Map": 17, "Tuple": 20, "Union": 20}
	filesOfTypeScript = 3 // in templates/typescript
)

// TestFilesOfAKind counts the files that name a kind of type: those that another kind of its like touches. What several packages ask of types
// is a verb of package ir.
func TestFilesOfAKind(t *testing.T) {
	named := map[string][]string{}
	for _, root := range []string{"../../../schema", "../../../templates", ".."} {
		err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
				return err
			}
			text, err := os.ReadFile(file)
			for kind := range filesOfAKind {
				pattern := `\bir\.` + kind + `\b`
				if filepath.Base(filepath.Dir(file)) == "ir" {
					pattern = `\*` + kind + `\b|\b` + kind + ` struct`
				}
				if regexp.MustCompile(pattern).Match(text) {
					if filepath.Base(filepath.Dir(file)) == "typescript" {
						kind += " of TypeScript"
					}
					named[kind] = append(named[kind], file)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for kind, most := range filesOfAKind {
		if n := len(named[kind]); n > most || n < 5 {
			t.Errorf("%d files name ir.%s, and not at most %d: %v", n, kind, most, named[kind])
		}
		if files := named[kind+" of TypeScript"]; len(files) > filesOfTypeScript {
			t.Errorf("%d files name ir.%s for TypeScript, and not at most %d: %v", len(files), kind, filesOfTypeScript, files)
		}
	}
}

// kindsOf reads the kinds of types from their declarations.
func kindsOf(t *testing.T) []string {
	return append(embedding(t, "../../../schema/ir/type.go", "At"), embedding(t, "../../../schema/ir/scalar.go", "At")...)
}

// embedding returns the structs of a file that begin with an embedded struct.
func embedding(t *testing.T, file, first string) (all []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok && len(s.Fields.List) > 0 {
			if embedded, ok := s.Fields.List[0].Type.(*ast.Ident); ok && len(s.Fields.List[0].Names) == 0 && embedded.Name == first {
				all = append(all, spec.Name.Name)
			}
		}
		return true
	})
	return all
}

// kindOf is a schema whose type Value is of a kind.
func kindOf(t *testing.T, spelled string) *ir.Document {
	t.Helper()
	text := "rpcgen: v1\npackage: kinds\ntypes:\n  Value: " + spelled + "\n  Other: {fields: {a: string}}\n" +
		"methods:\n  value/set: {params: {value: Value, other: list<Value>}, result: Value}\n"
	loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
	doc, faults := loader.Load("kinds.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	return doc
}

// kindsIn are the kinds that the types and fields of a schema have.
func kindsIn(t *testing.T, file string) map[string]bool {
	t.Helper()
	doc, faults := new(schema.Loader).Load(file)
	if doc == nil {
		t.Fatal(faults)
	}
	kinds := map[string]bool{}
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			if !v.IsNil() {
				visit(v.Elem())
			}
		case reflect.Pointer:
			if _, ok := v.Interface().(ir.Type); ok {
				kinds[v.Type().Elem().Name()] = true
			}
			if v.Type() != reflect.TypeFor[*ir.Decl]() && v.Type() != reflect.TypeFor[*ir.Import]() && !v.IsNil() {
				visit(v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					visit(v.Field(i))
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				visit(v.Index(i))
			}
		}
	}
	for _, d := range doc.Types {
		visit(reflect.ValueOf(d.Type))
	}
	return kinds
}

// restricts reports whether the exported definition of Value says anything of values.
func restricts(t *testing.T, exported []byte) bool {
	t.Helper()
	var all struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(exported, &all); err != nil {
		t.Fatal(err)
	}
	return len(all.Defs["Value"]) > 0
}
