package verdicts_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer"
	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
	"github.com/rpcgen-go/rpcgen/templates"
)

var suite = flag.String("suite", "", "the folder of the files of the JSON Schema Test Suite, draft 2020-12")

// TestSuite asks for the verdicts of the official JSON Schema Test Suite, of raw values, of imported types and of the code that is generated of
// them, where the schema is taken.
func TestSuite(t *testing.T) {
	if *suite == "" {
		t.Skip("the suite is not part of this module; make jsonschema fetches it")
	}
	files, err := filepath.Glob(filepath.Join(*suite, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files in", *suite)
	}
	groups, raw, types := 0, 0, 0
	generated := newBuilt(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all, err := ir.ParseJSON(text)
		if err != nil {
			t.Fatal(file, err)
		}
		for _, g := range all.Items {
			groups++
			group := official{t, filepath.Base(file), g, generated}
			raw += group.raw()
			types += group.imported()
		}
	}
	generated.run()
	t.Logf("of %d groups, %d are taken as raw values and %d as types", groups, raw, types)
	if raw == 0 || types == 0 {
		t.Error("none is taken")
	}
}

// official is a schema of the suite, with the values that it is tested by.
type official struct {
	*testing.T
	file string
	ir.Value
	generated *built
}

func member(v ir.Value, name string) ir.Value {
	for _, m := range v.Fields {
		if m.Name == name {
			return m.Value
		}
	}
	return ir.Value{}
}

// raw judges the values as raw ones. It returns 1 if the schema is taken.
func (g official) raw() int {
	schema := member(g.Value, "schema")
	if len(judge.SchemaFaults(schema)) > 0 {
		return 0
	}
	ours := conform.Schema{Text: schema.String()}
	return g.compare("raw", func(v ir.Value) bool {
		var vs rule.Violations
		ours.Check(&vs, "", v.String())
		return vs.Len() == 0
	})
}

// imported judges the values by the type that the schema is imported as. It returns 1 if the schema is taken, and all of it checked.
func (g official) imported() int {
	schema := member(g.Value, "schema")
	if schema.Kind == ir.Boolean {
		schema = source([]ir.Member{{Name: "Suite", Value: schema}})
	}
	result, err := importer.Import(importer.Source{Name: "Suite.json", Text: []byte(schema.String())}, importer.Options{})
	if err != nil || len(result.Report.Opaque) > 0 {
		return 0
	}
	doc, err := compiled(result.Text)
	if err != nil {
		g.Errorf("%s: %v", g.file, err)
		return 0
	}
	at := slices.IndexFunc(doc.Types, func(decl *ir.Decl) bool { return decl.Name == "Suite" })
	if at < 0 {
		return 0
	}
	one := batch{text: result.Text, types: []string{"Suite"}, asked: map[string][]question{}}
	for _, test := range member(g.Value, "tests").Items {
		of := g.file + ": " + schema.String()
		one.asked["Suite"] = append(one.asked["Suite"], question{of: of, value: member(test, "data"), valid: member(test, "valid").Text == "true"})
	}
	g.generated.add(one, templates.Full)
	return g.compare("imported", func(v ir.Value) bool { return len(judge.Judge(doc.Types[at].Type, v)) == 0 })
}

// compare compares the verdicts on all values. It returns 1.
func (g official) compare(how string, fits func(ir.Value) bool) int {
	for _, test := range member(g.Value, "tests").Items {
		data := member(test, "data")
		if got, want := fits(data), member(test, "valid").Text == "true"; got != want {
			g.Errorf("%s: %s: %s: %s: %s is taken: %v, want %v", g.file, how, member(g.Value, "description").Text, member(test, "description").Text, data, got, want)
		}
	}
	return 1
}
