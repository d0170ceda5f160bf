package importer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/openrpc"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// TestOpenRPCRoundTrip exports schemas as OpenRPC and imports the export: every method is there. Where no union needs more than
// JSON Schema can say, exporting the result and importing that changes nothing more.
func TestOpenRPCRoundTrip(t *testing.T) {
	for _, name := range []string{"../../../../examples/weather/weather.rpc.yaml", "../../../../examples/allkinds/allkinds.rpc.yaml"} {
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
