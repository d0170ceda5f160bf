package importer_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/openrpc"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// TestOpenRPCRoundTrip exports schemas as OpenRPC and imports the export: every method is there. Where no union needs more than
// JSON Schema can say, exporting the result and importing that changes nothing more.
func TestOpenRPCRoundTrip(t *testing.T) {
	for _, name := range []string{"../../../../../examples/weather/weather.rpc.yaml", "../../../../../test/allkinds/allkinds.rpc.yaml"} {
		doc, faults := schema.Load(name)
		if doc == nil {
			t.Fatal(faults)
		}
		once := reimported(t, doc)
		if d := cmp.Diff(len(doc.Methods), len(once.Methods)); d != "" {
			t.Errorf("%s: methods (-original +imported):\n%s", name, d)
		}
		if d := cmp.Diff(structures(doc), structures(once)); d != "" {
			t.Errorf("%s: structures of params (-original +imported):\n%s", name, d)
		}
		if len(doc.Imports) > 0 {
			continue
		}
		if d := cmp.Diff(exported(t, once), exported(t, reimported(t, once))); d != "" {
			t.Errorf("%s (-once +twice):\n%s", name, d)
		}
	}
}

// structures are how the params of methods are sent.
func structures(doc *ir.Document) map[string]string {
	all := map[string]string{}
	for _, m := range doc.Methods {
		all[m.Name] = m.ParamsBy.String()
	}
	return all
}

func exported(t *testing.T, doc *ir.Document) string {
	t.Helper()
	text, _, err := openrpc.Export(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func reimported(t *testing.T, doc *ir.Document) *ir.Document {
	t.Helper()
	result, err := importer.Import(importer.Source{Name: "source.json", Text: []byte(exported(t, doc))}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return load(t, result.Text)
}

// TestKept exports what an import of OpenRPC keeps: it is written back under its own names, and imported again as before.
func TestKept(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/openrpc_components.txtar")
	if err != nil {
		t.Fatal(err)
	}
	once, err := importer.Import(importer.Source{Name: "source.json", Text: []byte(textOf(archive, "source.json"))}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := exported(t, load(t, once.Text))
	for _, want := range []string{`"version": "2.1.0"`, `"license": {`, `"servers": [`, `"externalDocs": {`, `"tags": [`, `"links": [`, `"name": "two"`, `"data": {`, `"x-team": "core"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	if strings.Contains(out, "x-tags") {
		t.Error("tags are written as x-tags")
	}
	again, err := importer.Import(importer.Source{Name: "again.json", Text: []byte(out)}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(exported(t, load(t, again.Text)), out); d != "" {
		t.Errorf("exporting again (-again +once):\n%s", d)
	}
}
