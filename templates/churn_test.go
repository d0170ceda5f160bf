package templates_test

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// Random inputs are the same in each run, so that what fails has failed by a change; -rapid.seed=0 draws others.
// The larger schema takes long to generate: few additions are tried, -rapid.checks=100 tries more.
func init() {
	for name, value := range map[string]string{"rapid.seed": "1", "rapid.checks": "8"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}

// made remembers what a schema compiles to as it is.
var made = map[string]map[string]string{}

func unchanged(t *rapid.T, name string) map[string]string {
	if made[name] == nil {
		made[name] = emit(t, loadFile(t, name))
	}
	return made[name]
}

var grown = []string{"../examples/weather/weather.rpc.yaml", "../test/allkinds/allkinds.rpc.yaml"}

func loadFile(t *rapid.T, name string) *ir.Document {
	doc, faults := schema.Load(name)
	if doc == nil {
		t.Fatal(faults)
	}
	return doc
}

func emit(t *rapid.T, doc *ir.Document) map[string]string {
	files, faults, err := templates.Generate(doc, templates.Options{})
	if err != nil || faults.HasErrors() {
		t.Fatal(err, faults)
	}
	all := map[string]string{}
	for _, f := range files {
		all[f.Name] = string(f.Text)
	}
	return all
}

// additions put one thing somewhere into a schema. Each returns the Go name of the type that it grew, if any.
var additions = map[string]func(*rapid.T, *ir.Document) string{
	"type": func(t *rapid.T, doc *ir.Document) string {
		d := &ir.Decl{Name: "ZzAdded", Document: doc, Type: &ir.Struct{Fields: []*ir.Field{
			{Name: "name", Type: &ir.String{Rules: []ir.Rule{&ir.Length{Min: 1, Max: 9}}}},
			{Name: "inner", Type: &ir.Struct{Fields: []*ir.Field{{Name: "x", Type: &ir.Int{Bits: 64}, Optional: true}}}},
		}}}
		doc.Types = slices.Insert(doc.Types, rapid.IntRange(0, len(doc.Types)).Draw(t, "at"), d)
		return ""
	},
	"error": func(t *rapid.T, doc *ir.Document) string {
		e := &ir.Error{Name: "ZzAdded", Code: 424242, Data: &ir.Struct{Fields: []*ir.Field{{Name: "x", Type: &ir.String{}}}}}
		doc.Errors = slices.Insert(doc.Errors, rapid.IntRange(0, len(doc.Errors)).Draw(t, "at"), e)
		return ""
	},
	"method": func(t *rapid.T, doc *ir.Document) string {
		m := &ir.Method{Name: "all/zzAddedWithANameThatIsLongerThanAllOthers", From: ir.Side(rapid.IntRange(0, 2).Draw(t, "from")),
			Params: &ir.Struct{Fields: []*ir.Field{{Name: "x", Type: &ir.String{}}}},
			Result: &ir.Struct{Fields: []*ir.Field{{Name: "y", Type: &ir.Bool{}}}}}
		doc.Methods = slices.Insert(doc.Methods, rapid.IntRange(0, len(doc.Methods)).Draw(t, "at"), m)
		return ""
	},
	"field": func(t *rapid.T, doc *ir.Document) string {
		var structs []*ir.Decl
		for _, d := range doc.Types {
			if _, ok := d.Type.(*ir.Struct); ok && !d.Mixin {
				structs = append(structs, d)
			}
		}
		d := rapid.SampledFrom(structs).Draw(t, "type")
		s := d.Type.(*ir.Struct)
		f := &ir.Field{Name: "zzAdded", Type: &ir.String{}, Optional: rapid.Bool().Draw(t, "optional")}
		s.Fields = slices.Insert(slices.Clone(s.Fields), rapid.IntRange(0, len(s.Fields)).Draw(t, "at"), f)
		names, _ := templates.NewNames(doc)
		return names.Declared(d)
	},
}

// TestGrowth adds one thing anywhere to a schema: what was there stays as it was, to the byte. What does change:
//
//   - lists of names, of which every name is a part: the methods that a handler knows. The last name of a list may have another end;
//   - the constants of methods, which gofmt aligns, when the new name is longer than all others: nothing but spaces;
//   - of a struct that has got a field, its own declarations: they number its fields;
//   - what counts the fields of that struct from outside, as one with a rule on how many of them there may be: it counts one more;
//   - what reads that struct from an array: after the list of its fields comes which of them may be null there.
func TestGrowth(t *testing.T) {
	unraced(t)
	for kind, add := range additions {
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				name := rapid.SampledFrom(grown).Draw(t, "schema")
				before, doc := unchanged(t, name), loadFile(t, name)
				grew := add(t, doc)
				after := emit(t, doc)
				for file, text := range before {
					for _, line := range lost(text, after[file], grew) {
						if !strings.Contains(line, "Methods = ") && !relisted(line, after[file]) && !realigned(line, after[file]) &&
							!recounted(line, after[file]) && !positioned(line, after[file], grew) {
							t.Fatalf("%s lost %q", file, line)
						}
					}
				}
			})
		})
	}
}

// lost lists the lines that are no longer there. Declarations whose name shows that they belong to the type that grew do not count.
func lost(before, after, grew string) []string {
	have := map[string]int{}
	for line := range strings.Lines(after) {
		have[line]++
	}
	var all []string
	for part := range strings.SplitSeq(before, "\n\n") {
		if grew != "" && concerns(part, grew) {
			continue
		}
		for line := range strings.Lines(part + "\n") {
			if have[line]--; have[line] < 0 {
				all = append(all, line)
			}
		}
	}
	return all
}

// concerns reports whether a top-level declaration belongs to a type.
func concerns(part, name string) bool {
	for line := range strings.Lines(part) {
		for _, key := range []string{"type ", "func ", "const ", "var "} {
			if strings.HasPrefix(line, key) {
				return strings.Contains(strings.ToLower(line), strings.ToLower(name))
			}
		}
	}
	return false
}

// realigned reports whether a constant of a method is still there, with other spaces.
func realigned(line, after string) bool {
	return strings.HasPrefix(line, "\tMethod") && strings.Contains(squeezeLines(after), squeeze(line)+"\n")
}

// recounted reports whether a count of fields is still there, with the new field among them.
func recounted(line, after string) bool {
	const counts = "rule.Properties("
	for now := range strings.Lines(after) {
		if !strings.Contains(line, counts) || !strings.Contains(now, counts) {
			continue
		}
		for _, at := range addedField.FindAllStringIndex(now, -1) {
			before, behind := now[:at[0]], now[at[1]:]
			if line == before+strings.TrimPrefix(behind, ", ") || line == strings.TrimSuffix(before, ", ")+behind {
				return true
			}
		}
	}
	return false
}

// positioned reports whether a line that reads a type from an array is still there, with other fields that may be null.
func positioned(line, after, grew string) bool {
	if grew == "" {
		return false
	}
	nulls := regexp.MustCompile(`(?i)(\b` + grew + `Keys) \+ "[^"]*"`)
	return strings.Contains(nulls.ReplaceAllString(after, "$1"), nulls.ReplaceAllString(line, "$1"))
}

// relisted reports whether a line of a list of names is still there: the last one has neither a line break nor an operator.
func relisted(line, after string) bool {
	m := listed.FindStringSubmatch(line)
	return m != nil && (strings.Contains(after, `"`+m[1]+`\n"`) || strings.Contains(after, `"`+m[1]+`"`))
}

var listed = regexp.MustCompile(`^\t"([^"\\]*)(?:\\n)?"(?: \+)?\n?$`)

// addedField is what a field that was added counts as: one that is required is always there.
var addedField = regexp.MustCompile(`\btrue\b|\b[\w.]+\.ZzAdded\.IsSet\(\)`)

func squeezeLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(squeeze(line) + "\n")
	}
	return b.String()
}

// TestReordered moves declarations: nothing is renamed, and every line of every file is still there.
func TestReordered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(grown).Draw(t, "schema")
		before, doc := unchanged(t, name), loadFile(t, name)
		doc.Types = rapid.Permutation(doc.Types).Draw(t, "types")
		doc.Errors = rapid.Permutation(doc.Errors).Draw(t, "errors")
		doc.Methods = rapid.Permutation(doc.Methods).Draw(t, "methods")
		after := emit(t, doc)
		for file, text := range before {
			for _, line := range lost(text, after[file], "") {
				if !strings.Contains(line, "Methods = ") && !relisted(line, after[file]) {
					t.Fatalf("%s lost %q", file, line)
				}
			}
		}
	})
}

// TestCuts generates a file of many parts: the first comment of each part keeps its empty line.
func TestCuts(t *testing.T) {
	unraced(t)
	const types = 1500
	var text strings.Builder
	text.WriteString("rpcgen: v1\npackage: service\ntypes:\n")
	for i := range types {
		fmt.Fprintf(&text, "  T%d: {description: \"First.\\n\\nSecond.\", fields: {a: string}}\n", i)
	}
	if n := strings.Count(generate(t, text.String())["rpc_types.gen.go"], "\n// First.\n//\n// Second.\n"); n != types {
		t.Errorf("%d of %d comments are whole", n, types)
	}
}
