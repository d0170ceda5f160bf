package verdicts_test

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

const dialect = "https://json-schema.org/draft/2020-12/schema"

// drawn are definitions of which the first is the one that values are judged by.
type drawn struct {
	name string
	defs []ir.Member
}

// drawnAs draws a schema that refers to itself and to two more, under names that begin alike.
func drawnAs(t *rapid.T, name string) drawn {
	g := generator{t: t, refs: []string{"#/$defs/" + name, "#/$defs/" + name + "Left", "#/$defs/" + name + "Right"}}
	if g.chance(4) {
		narrow, of := g.narrowing(name + "Right")
		return drawn{name, []ir.Member{{Name: name, Value: narrow}, {Name: name + "Right", Value: of}}}
	}
	defs := []ir.Member{{Name: name, Value: g.object()}}
	return drawn{name, append(defs, g.definitions(name+"Left", name+"Right")...)}
}

// source is a file of definitions.
func source(defs []ir.Member) ir.Value {
	return ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "$schema", Value: textual(dialect)}, {Name: "$defs", Value: definitions(defs)}}}
}

// checker is what the independent validator judges values by.
func (d drawn) checker() ir.Value {
	s := source(d.defs)
	s.Fields = append(s.Fields, ir.Member{Name: "$ref", Value: textual("#/$defs/" + d.name)})
	return s
}

// imported imports definitions; nil when they are refused, or when the report says that not all is checked, or that oneOf is read as something else.
func imported(defs []ir.Member) []byte {
	result, err := importer.Import(importer.Source{Name: "source.json", Text: []byte(source(defs).String())}, importer.Options{})
	if err != nil || len(result.Report.Opaque) > 0 || slices.ContainsFunc(result.Report.Weakened, func(o importer.Opaque) bool { return strings.Contains(o.Reason, " read as ") }) {
		return nil
	}
	return result.Text
}

// compiled compiles an imported schema.
func compiled(text []byte) (*ir.Document, error) {
	loader := schema.Loader{Read: func(path string) ([]byte, error) {
		switch path {
		case "imported.yaml":
			return text, nil
		case "parts.rpc.yaml": // which the schema of all kinds imports
			return os.ReadFile(allkinds + path)
		}
		return nil, fs.ErrNotExist
	}}
	doc, faults := loader.Load("imported.yaml")
	if doc == nil {
		return nil, fmt.Errorf("%v\n%s", faults, text)
	}
	return doc, nil
}

// TestImport draws schemas and values, and asks both the types that the schemas are imported as and the independent validator whether they fit.
func TestImport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawnAs(t, "S")
		text := imported(d.defs)
		if text == nil || len(judge.SchemaFaults(d.checker())) > 0 { // such as one that refers to itself for the same value
			return
		}
		doc, err := compiled(text)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(doc.Types, func(decl *ir.Decl) bool { return decl.Name == d.name })
		independent, g := independent(t, d.checker()), generator{t: t}
		for range 6 {
			v := g.small(0)
			want := valid(t, independent, v)
			if faults := judge.Judge(doc.Types[at].Type, v); (len(faults) == 0) != want {
				t.Fatalf("%s\n%s\n%s: the type says %v, the independent validator %v", source(d.defs), text, v, faults, want)
			}
		}
	})
}
