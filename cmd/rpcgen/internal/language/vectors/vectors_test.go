package vectors

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"testing"

	linediff "github.com/rogpeppe/go-internal/diff"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	schemajson "github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

var update = flag.Bool("update", false, "write the golden file")

const root = "../../../../../"

func load(t *testing.T, file string) *ir.Document {
	t.Helper()
	doc, diags := new(schema.Loader).Load(root + file)
	if doc == nil {
		t.Fatal(diags)
	}
	return doc
}

// TestGolden compares the vectors of the weather schema with a file.
func TestGolden(t *testing.T) {
	got, err := Export(load(t, "examples/weather/weather.rpc.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/weather.json"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := linediff.Diff(file, want, "got", got); d != nil {
		t.Errorf("run go test -update\n%s", d)
	}
}

// TestAgree asks an independent validator about every vector.
func TestAgree(t *testing.T) {
	for file, least := range map[string]int{
		"examples/weather/weather.rpc.yaml": 80, "examples/shop/rpc/shop.rpc.yaml": 300, "test/toolbox/toolbox.rpc.yaml": 200, "test/allkinds/allkinds.rpc.yaml": 10000,
	} {
		t.Run(file, func(t *testing.T) {
			if testing.Short() && least > 1000 {
				t.Skip("it compares many vectors")
			}
			doc := load(t, file)
			all, err := Of(doc)
			if err != nil || len(all) < least {
				t.Fatalf("%d vectors, want %d: %v", len(all), least, err)
			}
			types := map[string]ir.Type{}
			for _, d := range doc.Types {
				types[d.Name] = d.Type
			}
			validators := map[string]*jsonschema.Schema{}
			wrong := 0
			for _, v := range all {
				if validators[v.Type] == nil {
					validators[v.Type] = validator(t, doc, types[v.Type])
				}
				value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(v.JSON)))
				if err != nil {
					t.Fatalf("%+v: %v", v, err)
				}
				if err := validators[v.Type].Validate(value); (err == nil) != v.Valid {
					if wrong++; wrong < 10 {
						t.Errorf("%+v: the independent validator says %v", v, err)
					}
				}
			}
			t.Logf("%d vectors of %d types, %d wrong", len(all), len(validators), wrong)
		})
	}
}

// validator compiles the schema of a type, with formats as the schema language reads them.
func validator(t *testing.T, doc *ir.Document, typ ir.Type) *jsonschema.Schema {
	t.Helper()
	text, err := schemajson.ExportType(doc, typ, schemajson.Options{Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for _, name := range judge.Formats {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			if s, ok := v.(string); ok && !judge.HasFormat(name, s) {
				return errors.New("not of the format " + name)
			}
			return nil
		}})
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = c.AddResource("mem:type", parsed)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("mem:type")
}
