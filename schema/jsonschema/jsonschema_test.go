package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	linediff "github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// forms are the sections of a golden file and the options that they are written with.
var forms = []struct {
	section string
	options jsonschema.Options
}{
	{"2020-12", jsonschema.Options{}},
	{"draft-07", jsonschema.Options{Draft: jsonschema.Draft7}},
	{"exact", jsonschema.Options{Exact: true}},
}

// load reads the schema main.rpc.yaml of an archive.
func load(t *testing.T, archive *txtar.Archive) *ir.Document {
	t.Helper()
	loader := &schema.Loader{Read: func(path string) ([]byte, error) {
		for _, f := range archive.Files {
			if f.Name == path {
				return f.Data, nil
			}
		}
		return nil, fs.ErrNotExist
	}}
	doc, faults := loader.Load("main.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	return doc
}

// TestGolden compares exports with testdata: each file holds a schema, and the sections that it is exported as. What is
// exported is a valid JSON Schema of its draft.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files")
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			doc := load(t, archive)
			for _, form := range forms {
				for i, f := range archive.Files {
					if f.Name == form.section {
						archive.Files[i].Data = golden(t, doc, form.options, f.Data)
					}
				}
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func golden(t *testing.T, doc *ir.Document, o jsonschema.Options, want []byte) []byte {
	t.Helper()
	got, err := jsonschema.Export(doc, o)
	if err != nil {
		t.Fatal(err)
	}
	compiles(t, got)
	if d := linediff.Diff("want", want, "got", got); d != nil && !*update {
		t.Errorf("%s", d)
	}
	return got
}

// compiles asks an independent validator to read every definition.
func compiles(t *testing.T, text []byte) {
	t.Helper()
	var defs struct {
		New map[string]json.RawMessage `json:"$defs"`
		Old map[string]json.RawMessage `json:"definitions"`
	}
	if err := json.Unmarshal(text, &defs); err != nil {
		t.Fatal(err)
	}
	doc, err := validator.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := validator.NewCompiler()
	if err := c.AddResource("mem:doc", doc); err != nil {
		t.Fatal(err)
	}
	for container, all := range map[string]map[string]json.RawMessage{"$defs": defs.New, "definitions": defs.Old} {
		for name := range all {
			pointer := strings.NewReplacer("~", "~0", "/", "~1", " ", "%20").Replace(name)
			if _, err := c.Compile("mem:doc#/" + container + "/" + pointer); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestAllKinds exports the schema of all kinds in every form, twice with equal bytes. What it means is tested there.
func TestAllKinds(t *testing.T) {
	doc, faults := schema.Load("../../test/allkinds/allkinds.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	for _, form := range forms {
		first, err := jsonschema.Export(doc, form.options)
		if err != nil {
			t.Fatal(err)
		}
		again, err := jsonschema.Export(doc, form.options)
		if err != nil || !bytes.Equal(first, again) {
			t.Errorf("%s: two exports differ: %v", form.section, err)
		}
		compiles(t, first)
	}
}

// TestExtensions: x-* is kept in a document, and is not in the schemas of tools and params, which clients and models read.
func TestExtensions(t *testing.T) {
	doc := load(t, &txtar.Archive{Files: []txtar.File{{Name: "main.rpc.yaml", Data: []byte(`rpcgen: v1
package: p
use: [mcp]
server: {name: s, version: "1"}
types:
  Item: {x-owner: {team: depot}, fields: {id: {type: string, x-column: item_id}}}
tools:
  find:
    description: Finds an item.
    input: {item: {type: Item, x-import: {from: body}}}
    output: {item: Item}
`)}}})
	whole, err := jsonschema.Export(doc, jsonschema.Options{})
	if err != nil || bytes.Count(whole, []byte(`"x-`)) < 3 {
		t.Error(err, string(whole))
	}
	input, err := jsonschema.ExportInput(doc, doc.Tools[0].Input)
	output, fault := jsonschema.ExportOutput(doc, doc.Tools[0].Output)
	params, failed := jsonschema.ExportType(doc, doc.Tools[0].Input, jsonschema.Options{})
	if all := slices.Concat(input, output, params); err != nil || fault != nil || failed != nil || bytes.Contains(all, []byte(`"x-`)) || !bytes.Contains(all, []byte(`"Item"`)) {
		t.Error(err, fault, failed, string(all))
	}
}

// TestPatterns exports patterns of RE2, those within the schema of a value as well, as ECMA 262 writes them.
func TestPatterns(t *testing.T) {
	doc := load(t, &txtar.Archive{Files: []txtar.File{{Name: "main.rpc.yaml", Data: []byte(`rpcgen: v1
types:
  Word: {type: string, pattern: '^\p{Greek}\x{4e00}\z'}
  Words: {type: any, schema: {patternProperties: {'^\pL': {items: {pattern: '\x{1f600}'}}}, enum: [{pattern: '\pL'}]}}
`)}}})
	got, err := jsonschema.Export(doc, jsonschema.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"^\\p{Script=Greek}\\u4e00$"`, `"^\\p{L}"`, `"\\u{1f600}"`, `"\\pL"`} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("%s is missing:\n%s", want, got)
		}
	}
}
