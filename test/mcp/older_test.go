package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/templates"
	"github.com/rpcgen-go/rpcgen/test/marked"
	"github.com/rpcgen-go/rpcgen/test/overlay"
)

// olderValue is a value of a type of a revision.
type olderValue struct{ revision, of, text string }

// older are values of the revisions before the newest: each comes out as it went in, see survivors.
var older = []olderValue{
	{"2024-11-05", "CallToolResult", `{"content":[FUTURE,{"type":"text","text":"t"}]}`},
	{"2024-11-05", "CreateMessageResult", `{"role":"user","content":FUTURE,"model":"m","stopReason":"bored"}`},
	{"2024-11-05", "CreateMessageResult", `{"role":"user","content":FUTURE,"model":"m"}`},
	{"2024-11-05", "ListToolsResult", `{"tools":[],"x":FUTURE}`},
	{"2024-11-05", "PingRequestParams", `{"_meta":{"progressToken":1,"x":FUTURE}}`},
	{"2024-11-05", "PromptMessage", `{"role":"user","content":FUTURE}`},
	{"2024-11-05", "SamplingMessage", `{"role":"user","content":FUTURE}`},
	{"2024-11-05", "ServerCapabilities", `{"tools":{},"x":FUTURE}`},
	{"2024-11-05", "Tool", `{"name":"t","inputSchema":{"type":"object","$defs":{"a":FUTURE}}}`},
	{"2025-03-26", "CallToolResult", `{"content":[FUTURE]}`},
	{"2025-03-26", "CreateMessageResult", `{"role":"user","content":FUTURE,"model":"m","stopReason":"bored"}`},
	{"2025-03-26", "CreateMessageResult", `{"role":"user","content":FUTURE,"model":"m"}`},
	{"2025-03-26", "ListToolsResult", `{"tools":[],"x":FUTURE}`},
	{"2025-03-26", "PromptMessage", `{"role":"user","content":FUTURE}`},
	{"2025-03-26", "SamplingMessage", `{"role":"user","content":FUTURE}`},
	{"2025-03-26", "ServerCapabilities", `{"tools":{},"x":FUTURE}`},
	{"2025-03-26", "Tool", `{"name":"t","inputSchema":{"type":"object","$defs":{"a":FUTURE}}}`},
	{"2025-06-18", "CallToolResult", `{"content":[FUTURE]}`},
	{"2025-06-18", "ClientCapabilities", `{"roots":{},"x":FUTURE}`},
	{"2025-06-18", "CreateMessageResult", `{"role":"user","content":FUTURE,"model":"m","stopReason":"bored"}`},
	{"2025-06-18", "CreateMessageResult", `{"role":"user","content":FUTURE,"model":"m"}`},
	{"2025-06-18", "ListToolsResult", `{"tools":[],"x":FUTURE}`},
	{"2025-06-18", "PromptMessage", `{"role":"user","content":FUTURE}`},
	{"2025-06-18", "SamplingMessage", `{"role":"user","content":FUTURE}`},
	{"2025-06-18", "Tool", `{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"object","allOf":[FUTURE]}}`},
	{"2025-11-25", "CallToolRequestParams", `{"name":"t","_meta":{"traceparent":"00-1-2-3"}}`},
	{"2025-11-25", "CallToolResult", `{"content":[FUTURE]}`},
	{"2025-11-25", "ClientCapabilities", `{"sampling":{},"x":FUTURE}`},
	{"2025-11-25", "CreateMessageResult", `{"role":"user","content":FUTURE,"model":"m","stopReason":"bored"}`},
	{"2025-11-25", "CreateMessageResult", `{"role":"user","content":[FUTURE],"model":"m"}`},
	{"2025-11-25", "ListToolsResult", `{"tools":[],"x":FUTURE}`},
	{"2025-11-25", "PromptMessage", `{"role":"user","content":FUTURE}`},
	{"2025-11-25", "SamplingMessage", `{"role":"user","content":FUTURE}`},
	{"2025-11-25", "Tool", `{"name":"t","inputSchema":{"type":"object","additionalProperties":false}}`},
}

// absent is a value whose null counts as absent, see TestNullsAreAbsent.
var absent = olderValue{"2025-06-18", "ListToolsResult", `{"tools":[],"nextCursor":null}`}

// broken are texts that are refused for the type of absent.
var broken = []string{
	`{"tools":null}`, `{"tools":[],"nextCursor":null,"nextCursor":"b"}`, `{"tools":[{"name":null,"inputSchema":{"type":"object"}}]}`,
	`{"tools":[null]}`, `{"tools":[],"nextCursor":nul}`,
}

// reader is the program that reads values with the packages of older revisions, and writes what it read: a line for each line of its input,
// which names the type before the value.
const reader = `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
%s)

func value[T any]() func(text string) ([]byte, error) {
	return func(text string) ([]byte, error) {
		v := new(T)
		if err := any(v).(json.Unmarshaler).UnmarshalJSON([]byte(text)); err != nil {
			return nil, err
		}
		return any(v).(json.Marshaler).MarshalJSON()
	}
}

var values = map[string]func(string) ([]byte, error){
%s}

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if again, err := values[name](text); err != nil {
			fmt.Println("refused:", strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Printf("%%s\n", again)
		}
	}
}
`

// TestOlder generates the packages of the older revisions, which are not kept in this repository, and reads values with them.
func TestOlder(t *testing.T) {
	marked.Watch("../..")
	t.Parallel()
	dir := overlay.Folder(t)
	var input bytes.Buffer
	packages, types := map[string]bool{}, map[string]bool{}
	ask := func(e olderValue) {
		name := "mcp" + strings.ReplaceAll(e.revision, "-", "")
		if !packages[name] {
			generate(t, e.revision, filepath.Join(dir, name))
			packages[name] = true
		}
		types[name+"."+e.of] = true
		fmt.Fprintf(&input, "%s.%s %s\n", name, e.of, strings.ReplaceAll(e.text, "FUTURE", future))
	}
	for _, e := range older {
		ask(e)
	}
	ask(absent)
	for _, text := range broken {
		ask(olderValue{absent.revision, absent.of, text})
	}
	answers := strings.Split(strings.TrimSpace(readers(t, dir, packages, types, &input)), "\n")
	if len(answers) != len(older)+1+len(broken) {
		t.Fatalf("%d answers: %q", len(answers), answers)
	}
	for i, o := range older {
		if !json.Valid([]byte(answers[i])) {
			t.Errorf("%s %s: %s", o.revision, o.of, answers[i])
			continue
		}
		want := strings.ReplaceAll(o.text, "FUTURE", future)
		if d := cmp.Diff(parsed(t, []byte(want)), parsed(t, []byte(answers[i]))); d != "" {
			t.Errorf("%s %s (-read +written):\n%s", o.revision, o.of, d)
		}
	}
	if answer := answers[len(older)]; answer != `{"tools":[]}` {
		t.Errorf("%s became %s", absent.text, answer)
	}
	for i, text := range broken {
		if answer := answers[len(older)+1+i]; !strings.HasPrefix(answer, "refused:") {
			t.Errorf("%s was accepted: %s", text, answer)
		}
	}
}

// generate writes the package of a revision.
func generate(t *testing.T, revision, dir string) {
	t.Helper()
	doc, faults := schema.Load(filepath.Join("../../schema/mcp", revision+".yaml"))
	if doc == nil {
		t.Fatal(faults)
	}
	files, faults, err := templates.Generate(doc, templates.Options{})
	if err != nil || len(files) == 0 {
		t.Fatal(faults, err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// readers builds the program and returns what it answers.
func readers(t *testing.T, dir string, packages, types map[string]bool, input *bytes.Buffer) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var imports, table strings.Builder
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		fmt.Fprintf(&imports, "\t%q\n", "older/"+name)
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		fmt.Fprintf(&table, "\t%q: value[%s](),\n", name, name)
	}
	for name, text := range map[string]string{
		"go.mod":  "module older\n\ngo 1.26.0\n\nrequire github.com/rpcgen-go/rpcgen v0.0.0\n\nreplace github.com/rpcgen-go/rpcgen => " + root + "\n",
		"main.go": fmt.Sprintf(reader, &imports, &table),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := exec.Command("go", "run", "-mod=mod", "-gcflags=./...=-l -dwarf=false", ".")
	program.Dir, program.Stdin = dir, input
	var failed bytes.Buffer
	program.Stderr = &failed
	out, err := program.Output()
	if err != nil {
		t.Fatalf("%v\n%.4000s", err, &failed)
	}
	return string(out)
}
