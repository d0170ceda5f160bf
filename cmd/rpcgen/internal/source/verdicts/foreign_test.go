package verdicts_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// TestForeign imports definitions as others write them, and asks the types and generated code of both codecs whether values fit. Each file has
// definitions under "schema", and values under "values" by the names of the types. The independent validator says what is right.
func TestForeign(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no files")
	}
	b := newBuilt(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all, err := ir.ParseJSON(text)
		if err != nil {
			t.Fatal(file, err)
		}
		b.add(foreign(t, filepath.Base(file), all), full, compact)
	}
	b.run()
}

// foreign imports the definitions of a file, and judges its values by the types.
func foreign(t *testing.T, file string, all ir.Value) batch {
	t.Helper()
	source := member(all, "schema")
	result, err := importer.Import(importer.Source{Name: file, Text: []byte(source.String())}, importer.Options{})
	if err != nil {
		t.Fatal(file, err)
	}
	if len(result.Report.Opaque) > 0 {
		t.Fatalf("%s: %+v", file, result.Report.Opaque)
	}
	doc, err := compiled(result.Text)
	if err != nil {
		t.Fatal(file, err)
	}
	one := batch{text: result.Text, asked: map[string][]question{}}
	for _, m := range member(all, "values").Fields {
		checker := source
		checker.Fields = append(append([]ir.Member{}, source.Fields...), ir.Member{Name: "$ref", Value: textual("#/$defs/" + m.Name)})
		one.types = append(one.types, m.Name)
		typ := doc.Types[indexOf(doc, m.Name)].Type
		for _, v := range m.Value.Items {
			q := question{of: file + ": " + m.Name, value: v, valid: valid(t, independent(t, checker), v)}
			one.asked[m.Name] = append(one.asked[m.Name], q)
			if faults := judge.Judge(typ, v); (len(faults) == 0) != q.valid {
				t.Errorf("%s: %s: %s: the type says %v, the independent validator %v", file, m.Name, v, faults, q.valid)
			}
		}
	}
	return one
}
