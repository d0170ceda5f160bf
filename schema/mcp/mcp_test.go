package mcp_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	linediff "github.com/rogpeppe/go-internal/diff"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/mcp"
)

var update = flag.Bool("update", false, "rewrite what the tests compare with")

// documents are the compiled revisions.
var documents = sync.OnceValue(func() map[string]*ir.Document {
	all := map[string]*ir.Document{}
	for _, revision := range mcp.Revisions {
		doc, faults := schema.Load(revision + ".yaml")
		if doc == nil || len(faults) > 0 {
			panic(faults)
		}
		all[revision] = doc
	}
	return all
})

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestSource reads the embedded files, of which each is a revision of the table.
func TestSource(t *testing.T) {
	if all, err := filepath.Glob("20*.yaml"); err != nil || len(all) != len(mcp.Revisions) {
		t.Errorf("%v are files, and %v are columns of methods.txt: %v", all, mcp.Revisions, err)
	}
	for _, revision := range mcp.Revisions {
		text, ok := mcp.Source(revision)
		if !ok || !strings.Contains(string(text), "revision: "+revision) {
			t.Errorf("%s: %v, %.80q", revision, ok, text)
		}
	}
	if _, ok := mcp.Source("2024-11-06"); ok {
		t.Error("there is no such revision")
	}
}

// TestMethods compares who sends what with a table of all revisions.
func TestMethods(t *testing.T) {
	want := map[string]map[string]string{}
	lines := strings.Split(strings.TrimSpace(string(read(t, "testdata/methods.txt"))), "\n")[1:]
	for _, line := range lines[1:] {
		row := strings.Fields(line)
		for i, revision := range strings.Fields(lines[0])[1:] {
			if want[revision] == nil {
				want[revision] = map[string]string{}
			}
			if row[i+1] != "-" {
				want[revision][row[0]] = row[i+1]
			}
		}
	}
	got := map[string]map[string]string{}
	for revision, doc := range documents() {
		got[revision] = map[string]string{}
		for _, m := range doc.Methods {
			got[revision][m.Name] = sender(m)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-table +schema):\n%s", d)
	}
}

func sender(m *ir.Method) string {
	if m.Embedded {
		return "embedded"
	}
	return map[ir.Side]string{ir.FromClient: "client", ir.FromServer: "server", ir.FromBoth: "both"}[m.From]
}

// TestDocumented asks for words on every type, method and error of all revisions, and on every field and enum value of the
// last two.
func TestDocumented(t *testing.T) {
	for revision, doc := range documents() {
		d := &described{t: t, revision: revision, fields: slices.Contains(mcp.Revisions[3:], revision), seen: map[ir.Type]bool{}}
		for _, declared := range doc.Types {
			d.need(declared.Name, declared.Doc)
			d.walk(declared.Name, declared.Type)
		}
		for _, m := range doc.Methods {
			d.need(m.Name, m.Doc)
			d.walk(m.Name+" params", m.Params)
			d.walk(m.Name+" result", m.Result)
		}
		for _, e := range doc.Errors {
			d.need(e.Name, e.Doc)
			d.walk(e.Name+" data", e.Data)
		}
	}
}

type described struct {
	t        *testing.T
	revision string
	fields   bool
	seen     map[ir.Type]bool
}

func (d *described) need(where, doc string) {
	if doc == "" {
		d.t.Errorf("%s: %s has no description", d.revision, where)
	}
}

func (d *described) walk(where string, t ir.Type) {
	if !d.fields || t == nil || d.seen[t] {
		return
	}
	d.seen[t] = true
	switch t := t.(type) {
	case *ir.Nullable:
		d.walk(where, t.Elem)
	case *ir.List:
		d.walk(where+"[]", t.Elem)
	case *ir.Map:
		d.walk(where+"{}", t.Elem)
	case *ir.Enum:
		for _, v := range t.Values {
			d.need(where+" "+v.Value.Text, v.Doc)
		}
	case *ir.Struct:
		for _, f := range t.Fields {
			d.need(where+"."+f.Name, f.Doc)
			d.walk(where+"."+f.Name, f.Type)
		}
	case *ir.Union:
		for _, b := range t.Branches {
			d.walk(where+"|"+b.Name, b.Type)
		}
	}
}

// TestErrors compares the errors of every revision with a table: code, name, condition, HTTP status and the members of the data.
func TestErrors(t *testing.T) {
	var got strings.Builder
	for _, revision := range mcp.Revisions {
		fmt.Fprintln(&got, revision)
		for _, e := range documents()[revision].Errors {
			fmt.Fprintf(&got, "%8d %s", e.Code, e.Name)
			if len(e.When) > 0 {
				fmt.Fprintf(&got, " when=%s", strings.Join(e.When, ","))
			}
			if e.HTTP != 0 {
				fmt.Fprintf(&got, " http=%d", e.HTTP)
			}
			if e.Data != nil {
				fmt.Fprintf(&got, " data=%s", strings.Join(members(e.Data), ","))
			}
			fmt.Fprintln(&got)
		}
	}
	golden(t, "testdata/errors.txt", got.String())
}

func members(t ir.Type) []string {
	if ref, ok := t.(*ir.Ref); ok {
		t = ref.Decl.Type
	}
	var names []string
	for _, f := range t.(*ir.Struct).Fields {
		names = append(names, f.Name)
	}
	return names
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := linediff.Diff("want", read(t, name), "got", []byte(got)); d != nil {
		t.Errorf("%s:\n%s", name, d)
	}
}

// deprecated is what 2026-07-28 marks as deprecated in its source: types, fields and methods.
var deprecated = []string{
	"ClientCapabilities.roots", "ClientCapabilities.sampling", "CreateMessageRequest", "CreateMessageRequestParams",
	"CreateMessageRequestParams.includeContext", "CreateMessageResult", "ListRootsRequest", "ListRootsResult", "LoggingLevel",
	"LoggingMessageNotificationParams", "ModelHint", "ModelPreferences", "RequestMetaObject.io.modelcontextprotocol/logLevel", "Root",
	"SamplingMessage", "SamplingMessageContentBlock", "ServerCapabilities.logging", "ToolChoice", "ToolResultContent", "ToolUseContent",
	"notifications/message",
}

// ofDeprecated are the methods of deprecated requests. There the source marks the request, which is a type here as well.
var ofDeprecated = []string{"roots/list", "sampling/createMessage"}

// TestDeprecated compares what is deprecated with the list.
func TestDeprecated(t *testing.T) {
	var got []string
	doc := documents()["2026-07-28"]
	note := func(name string, m ir.Meta) {
		if m.Deprecated != nil {
			got = append(got, name)
		}
	}
	for _, d := range doc.Types {
		note(d.Name, d.Meta)
		if s, ok := d.Type.(*ir.Struct); ok {
			for _, f := range s.Fields {
				note(d.Name+"."+f.Name, f.Meta)
			}
		}
	}
	for _, m := range doc.Methods {
		note(m.Name, m.Meta)
	}
	slices.Sort(got)
	want := slices.Sorted(slices.Values(slices.Concat(deprecated, ofDeprecated)))
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-list +schema):\n%s", d)
	}
}
