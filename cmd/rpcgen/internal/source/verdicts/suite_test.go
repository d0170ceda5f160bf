package verdicts_test

import (
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
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

// remotes are the files that schemas of the suite refer to: a folder next to that of the draft, which the suite takes to be published at a fixed address.
func remotes() importer.Folder {
	return importer.Folder{Source: "Suite.json", URL: &url.URL{Scheme: "http", Host: "localhost:1234"}, Read: func(path string) (importer.Source, error) {
		text, err := os.ReadFile(filepath.Join(*suite, "../remotes", filepath.FromSlash(path)))
		return importer.Source{Name: path, Text: text}, err
	}}
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
		var vs violation.List
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
	if text, doc := g.typed(schema); text != nil {
		return g.judged(schema, text, doc, func(v ir.Value) ir.Value { return v })
	}
	text, doc := g.typed(propertyOf(schema))
	if text == nil {
		return 0
	}
	return g.judged(schema, text, doc, func(v ir.Value) ir.Value {
		return ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "value", Value: v}}}
	})
}

// propertyOf is an object with a property that a schema refers to, which is not a type of its own if it does nothing but refer.
func propertyOf(schema ir.Value) ir.Value {
	ref := ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "$ref", Value: member(schema, "$ref")}}}
	fields := slices.DeleteFunc(slices.Clone(schema.Fields), func(m ir.Member) bool { return m.Name == "$ref" })
	schema.Fields = append(fields, ir.Member{Name: "type", Value: textual("object")},
		ir.Member{Name: "properties", Value: ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "value", Value: ref}}}})
	return schema
}

// typed imports a schema. It returns nil unless the schema becomes the type Suite, with all that it says.
func (g official) typed(schema ir.Value) ([]byte, *ir.Document) {
	result, err := importer.Import(importer.Source{Name: "Suite.json", Text: []byte(schema.String())}, importer.Options{Folder: remotes()})
	if err != nil || len(result.Report.Opaque)+len(result.Report.Weakened) > 0 {
		return nil, nil
	}
	doc, err := compiled(result.Text)
	if err != nil {
		g.Fatalf("%s: %v", g.file, err)
	}
	if suiteOf(doc) < 0 {
		return nil, nil
	}
	return result.Text, doc
}

// suiteOf is where the type Suite stands; -1 if there is none.
func suiteOf(doc *ir.Document) int {
	return slices.IndexFunc(doc.Types, func(decl *ir.Decl) bool { return decl.Name == "Suite" })
}

// judged judges the values of the group, each as a part of another one, by an imported type and by its code. It returns 1.
func (g official) judged(schema ir.Value, text []byte, doc *ir.Document, within func(ir.Value) ir.Value) int {
	one := batch{text: text, types: []string{"Suite"}, asked: map[string][]question{}}
	for _, test := range member(g.Value, "tests").Items {
		of := g.file + ": " + schema.String()
		one.asked["Suite"] = append(one.asked["Suite"], question{of: of, value: within(member(test, "data")), valid: member(test, "valid").Text == "true"})
	}
	g.generated.add(one, full)
	return g.compare("imported", func(v ir.Value) bool { return len(judge.Judge(doc.Types[suiteOf(doc)].Type, within(v))) == 0 })
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
