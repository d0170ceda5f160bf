package command

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/rpcgen-go/rpcgen/cmd/internal/remote"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/listed"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/test/overlay"
)

// takenOver are the schemas of servers, and the tools whose inputs are published in words of their own: relations between members, which a
// published root does not have.
var takenOver = map[string][]string{
	"../../../test/toolbox/toolbox.rpc.yaml":         {"measure", "picture"},
	"../../../test/conformance/conformance.rpc.yaml": {"json_schema_2020_12_tool"},
	"../../../examples/shop/rpc/shop.rpc.yaml":       nil,
}

// TestTakenOver imports what a server says of itself and lists, and generates a server of the result: without any handler, it says and lists the
// same.
func TestTakenOver(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	m := newServers(t)
	schemas := map[string]string{}
	for path := range takenOver {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		schemas[path] = name
		m.add(name, text)
	}
	m.build()
	for _, name := range schemas {
		result, err := importer.Import(importer.Source{Name: name + ".json", Text: m.document(name)}, importer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m.add(name+"again", result.Text)
	}
	m.build()
	for path, name := range schemas {
		was, is := m.listed(name, takenOver[path]), m.listed(name+"again", takenOver[path])
		if d := gocmp.Diff(was, is); d != "" {
			t.Errorf("%s (-was +is):\n%s", path, d)
		}
	}
}

// oddEntries are entries as other servers write them: members in other orders, escapes, numbers and members that rpcgen writes otherwise or not at all.
const oddEntries = `{"tools": [
	{"description": "Books a room.\n\n", "inputSchema": {"required": ["room", "a"], "type": "object", "properties": {"a": {"type": "number", "maximum": 1e2}, "room": {"type": "string", "description": "It\u2019s \/ name"}}}, "name": "book", "annotations": {"idempotentHint": false, "title": "Book"}, "vendor": {"b": 1, "a": [ ]}},
	{"name": "list", "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {}}},
	{"inputSchema": {"type": "object", "properties": {"who": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}, "additionalProperties": false}, "outputSchema": {"type": "object", "properties": {"ok": {"type": ["boolean", "null"]}}}, "name": "ask", "title": "Ask"}
], "resources": [{"mimeType": "text/plain", "name": "plan", "uri": "office://plan", "vendor": true}],
"resourceTemplates": [{"name": "room", "uriTemplate": "office://rooms/{name}", "annotations": {"priority": 1.0, "audience": ["user"]}}],
"prompts": [{"arguments": [{"required": false, "name": "who"}], "name": "greet"}]}`

// TestTakenOverExactly: a server that is generated of a list that was imported with --exact lists the same bytes, as do 117 tools of public servers.
func TestTakenOverExactly(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs")
	}
	lists := map[string][]byte{"odd": []byte(oddEntries)}
	for _, name := range []string{"github", "terraform", "kubernetes"} {
		packed, err := os.Open("../internal/source/verdicts/testdata/takeover/" + name + ".json.gz")
		if err != nil {
			t.Fatal(err)
		}
		defer packed.Close()
		unpacked, err := gzip.NewReader(packed)
		if err != nil {
			t.Fatal(err)
		}
		if lists[name], err = io.ReadAll(unpacked); err != nil {
			t.Fatal(err)
		}
	}
	s := newServers(t)
	for name, list := range lists {
		s.write(name+".json", string(list))
		c := newRoot(ordinaryName)
		var said bytes.Buffer
		c.SetErr(&said)
		c.SetArgs([]string{"import", "--exact", "-o", filepath.Join(s.dir, name, "rpc.rpc.yaml"), filepath.Join(s.dir, name+".json")})
		if err := os.Mkdir(filepath.Join(s.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := c.Execute(); err != nil {
			t.Fatalf("%v\n%s", err, &said)
		}
		schema, err := os.ReadFile(filepath.Join(s.dir, name, "rpc.rpc.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		s.add(name, schema)
	}
	s.build()
	for name, list := range lists {
		want, err := listed.Parse(list)
		if err != nil {
			t.Fatal(err)
		}
		got, err := listed.Parse(s.document(name))
		if err != nil {
			t.Fatal(err)
		}
		if d := gocmp.Diff(want, got); d != "" {
			t.Errorf("%s (-was +is):\n%s", name, d)
		}
	}
}

// servers is a module of servers without handlers, and one program that is each of them, by its name.
type servers struct {
	*testing.T
	dir   string
	names []string
}

func newServers(t *testing.T) *servers {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	s := &servers{T: t, dir: overlay.Folder(t)}
	s.write("go.mod", fmt.Sprintf("module servers\n\ngo 1.26.0\n\nrequire github.com/rpcgen-go/rpcgen v0.0.0\n\nreplace github.com/rpcgen-go/rpcgen => %s\n", root))
	return s
}

func (s *servers) write(name, text string) {
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

const serverProgram = `package main

import (
	"context"
	"os"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/stdio"
%s)

func main() {
	servers := map[string]func() *mcp.Server{
%s	}
	if err := stdio.Serve(context.Background(), servers[os.Args[1]]()); err != nil {
		panic(err)
	}
}
`

// add generates a server of a schema.
func (s *servers) add(name string, schema []byte) {
	path := name + "/rpc.rpc.yaml"
	s.write(path, string(schema))
	s.names = append(s.names, name)
	c := newRoot(ordinaryName)
	var said bytes.Buffer
	c.SetErr(&said)
	c.SetArgs([]string{"generate", "-q", "--out", filepath.Join(s.dir, name, "rpc"), filepath.Join(s.dir, path)})
	if err := c.Execute(); err != nil {
		s.Fatalf("%s: %v\n%s", name, err, &said)
	}
}

func (s *servers) build() {
	slices.Sort(s.names)
	var imports, all strings.Builder
	for _, name := range s.names {
		fmt.Fprintf(&imports, "\t%s \"servers/%[1]s/rpc\"\n", name)
		fmt.Fprintf(&all, "\t\t%q: func() *mcp.Server { return %[1]s.NewServer(%[1]s.UnimplementedServer{}, mcp.Options{}) },\n", name)
	}
	s.write("main.go", fmt.Sprintf(serverProgram, &imports, &all))
	build := exec.Command("go", "build", "-mod=mod", "-gcflags=./...=-l -dwarf=false", "-o", "all", ".")
	build.Dir = s.dir
	if out, err := build.CombinedOutput(); err != nil {
		s.Fatalf("%v\n%.4000s", err, out)
	}
}

// document is what a server says of itself and lists.
func (s *servers) document(name string) []byte {
	server := remote.Server{Command: []string{filepath.Join(s.dir, "all"), name}, Version: "1"}
	text, err := remote.Document(context.Background(), &server, remote.Terminal{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	if err != nil {
		s.Fatal(name, err)
	}
	return text
}

// listed is the document of a server by its parts, with the members of objects in order: without the inputs of some tools, and whether arguments are completed, which
// no list says.
func (s *servers) listed(name string, own []string) map[string]string {
	v, err := ir.ParseJSON(s.document(name))
	if err != nil {
		s.Fatal(err)
	}
	all := map[string]string{}
	for _, part := range v.Fields {
		switch {
		case part.Name == "capabilities":
			all[part.Name] = without(part.Value, "completions").String()
		case part.Value.Kind != ir.Array:
			all[part.Name] = part.Value.String()
		}
		for _, entry := range part.Value.Items {
			at := slices.IndexFunc(entry.Fields, func(m ir.Member) bool { return m.Name == "name" })
			name := entry.Fields[at].Value.Text
			if slices.Contains(own, name) {
				entry = without(entry, "inputSchema")
			}
			all[part.Name+" "+name] = entry.String()
		}
	}
	return all
}

// without is an object without a member.
func without(v ir.Value, name string) ir.Value {
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(m ir.Member) bool { return m.Name == name })
	return v
}
