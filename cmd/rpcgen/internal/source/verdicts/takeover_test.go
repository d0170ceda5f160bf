package verdicts_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/listed"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
	"github.com/rpcgen-go/rpcgen/templates"
)

// takenOver are lists of public servers, and how many tools they have.
var takenOver = map[string]int{"github": 85, "terraform": 9, "kubernetes": 23}

// listOf returns the list of a server.
func listOf(t *testing.T, server string) []byte {
	t.Helper()
	packed, err := os.ReadFile("testdata/takeover/" + server + ".json.gz")
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// importedList imports the list of a server.
func importedList(t *testing.T, server string) (list ir.Value, doc *ir.Document) {
	t.Helper()
	text := listOf(t, server)
	list, err := ir.ParseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	result, err := importer.Import(importer.Source{Name: server + ".json", Text: text}, importer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if doc, err = compiled(result.Text); err != nil {
		t.Fatal(err)
	}
	if n := len(doc.Tools); n != takenOver[server] {
		t.Fatalf("%d tools of %s are imported, not %d", n, server, takenOver[server])
	}
	return list, doc
}

// TestTakenOverInputs: a server that is imported from the list of another one, and publishes what follows from its schema, takes the arguments that the
// other one takes. The independent validator judges by the schemas that both publish; what the old one takes fits the input of the new one as well.
func TestTakenOverInputs(t *testing.T) {
	const most = 200 // values for each tool
	for server := range takenOver {
		list, doc := importedList(t, server)
		published := templates.Published(doc).Tools
		e, taken, refused := newEditor(1), 0, 0
		for i, tool := range member(list, "tools").Items {
			entry, err := ir.ParseJSON([]byte(published[doc.Tools[i].Name]))
			if err != nil {
				t.Fatal(err)
			}
			was, is := independent(t, member(tool, "inputSchema")), independent(t, member(entry, "inputSchema"))
			for _, v := range arguments(e, doc.Tools[i].Input, most) {
				old := valid(t, was, v)
				if now := valid(t, is, v); old != now {
					t.Errorf("%s: %s: %v for the old schema, %v for the new one", doc.Tools[i].Name, v, old, now)
				}
				if !old {
					refused++
					continue
				}
				taken++
				if in := doc.Tools[i].Input; in != nil {
					if faults := judge.Judge(in, v); len(faults) > 0 {
						t.Errorf("%s: %s is taken by the old server, and not by the new one: %v", doc.Tools[i].Name, v, faults)
					}
				}
			}
		}
		t.Logf("%s: of %d values, %d are taken", server, taken+refused, taken)
		if taken < 20*takenOver[server] || refused < 20*takenOver[server] {
			t.Errorf("%s: %d values are taken and %d refused, which shows little", server, taken, refused)
		}
	}
}

// arguments returns objects, of which some fit the input of a tool and others nearly do.
func arguments(e *editor, input ir.Type, n int) []ir.Value {
	var all []ir.Value
	if input != nil {
		for _, v := range e.values(input, 3*n) {
			if v.Kind == ir.Object {
				all = append(all, v)
			}
		}
	}
	for len(all) < n {
		all = append(all, e.edited(ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "name", Value: e.any()}}}))
	}
	return all[:n]
}

// TestTakenOverEntries: every entry of the lists means what is imported of it, so that it can be published word for word.
func TestTakenOverEntries(t *testing.T) {
	for server := range takenOver {
		_, doc := importedList(t, server)
		entries, err := listed.Parse(listOf(t, server))
		if err != nil {
			t.Fatal(err)
		}
		meaning, err := listed.Understand(server+".json", entries, importer.ImportText)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range meaning.Apply(doc) {
			t.Errorf("%s: the %s of %s means something else", server, d.Member, d.Name)
		}
		for i, entry := range entries {
			if doc.Tools[i].Listed != entry.Text {
				t.Errorf("%s: %s is published as %s", server, entry.Name, doc.Tools[i].Listed)
			}
		}
	}
}
