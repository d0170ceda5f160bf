package playground_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/workshop/playground"
	"github.com/rpcgen-go/rpcgen/test/marked"
)

// everything are all parts of an answer but the project.
var everything = []string{playground.WantGo, playground.WantTypes, playground.WantTools, playground.WantMarkdown, playground.WantDiff}

type finding struct {
	Code, Severity, Message, Help, File string
	Line, Column                        int
}

func findings(t *testing.T, a playground.Answer) []finding {
	t.Helper()
	var list struct{ Diagnostics []finding }
	if err := json.Unmarshal(a.Findings, &list); err != nil {
		t.Fatalf("%v: %s", err, a.Findings)
	}
	return list.Diagnostics
}

// TestExamples: every text to begin with becomes Go and a reference without errors.
func TestExamples(t *testing.T) {
	for _, e := range playground.Examples() {
		t.Run(e.Name, func(t *testing.T) {
			a := playground.Compile(playground.Request{Files: map[string]string{e.Name: e.Text}, Main: e.Name, Before: e.Before, Want: everything})
			for _, f := range findings(t, a) {
				if f.Severity == "error" {
					t.Errorf("%+v", f)
				}
			}
			imports := !strings.HasSuffix(e.Name, ".rpc.yaml")
			switch {
			case len(a.Go) < 3 || len(a.Types) < 3 || a.Markdown == "":
				t.Errorf("%d files of Go, %d of TypeScript, %d bytes of Markdown", len(a.Go), len(a.Types), len(a.Markdown))
			case imports != (a.Kind == playground.KindImport), imports != (a.Schema != ""), imports != (a.Report != ""):
				t.Errorf("the kind is %s, with a schema of %d bytes", a.Kind, len(a.Schema))
			case (e.Before != "") != (a.Diff != ""):
				t.Errorf("the difference is %q", a.Diff)
			case strings.Contains(e.Text, "tools") && !json.Valid([]byte(a.Tools)):
				t.Errorf("the list of tools is %q", a.Tools)
			}
		})
	}
}

// TestFaults: what is wrong with a text is a finding with a place and a way out, for each kind of text.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		text, before, message string
		line                  int
	}{
		"nothing":           {"  \n", "", "there is no text", 1},
		"a schema":          {"rpcgen: v1\npackage: p\ntypes:\n  A: {fields: {a: strin}}\n", "", `"strin"`, 4},
		"not a document":    {"hello", "", "", 1},
		"broken JSON":       {"{\n  \"openrpc\": \n", "", "", 1},
		"before":            {"rpcgen: v1\npackage: p\n", "rpcgen: v1\npackage: p\ntypes: {A: {fields: {a: strin}}}\n", `"strin"`, 3},
		"too large":         {strings.Repeat("#", playground.MostText) + "rpcgen: v1", "", "at most", 1},
		"import of no file": {"rpcgen: v1\npackage: p\nimport: {o: other.rpc.yaml}\n", "", "other.rpc.yaml", 3},
	} {
		t.Run(name, func(t *testing.T) {
			a := playground.Compile(playground.Request{Files: map[string]string{"a.yaml": c.text}, Main: "a.yaml", Before: c.before, Want: everything})
			for _, f := range findings(t, a) {
				if f.Severity == "error" && strings.Contains(f.Message, c.message) && f.File != "" && f.Line >= c.line {
					return
				}
			}
			t.Errorf("the findings are %s", a.Findings)
		})
	}
	if a := string(playground.CompileJSON([]byte("{"))); !strings.Contains(a, "not valid") {
		t.Errorf("a request that is not JSON is answered %s", a)
	}
}

// TestFiles: a schema imports another file of the request.
func TestFiles(t *testing.T) {
	files := map[string]string{
		"a.rpc.yaml": "rpcgen: v1\npackage: a\nimport: {b: b/b.rpc.yaml}\ntypes:\n  A: {fields: {b: b.B}}\n", "b/b.rpc.yaml": "rpcgen: v1\npackage: b\ntypes:\n  B: {fields: {c: string}}\n",
	}
	a := playground.Compile(playground.Request{Files: files, Main: "a.rpc.yaml", Want: everything})
	for _, f := range findings(t, a) {
		if f.Severity == "error" {
			t.Errorf("%+v", f)
		}
	}
	if len(a.Go) == 0 || !strings.Contains(a.Go[0].Text+a.Go[len(a.Go)-1].Text, "example.com/playground/b") {
		t.Errorf("there are %d files", len(a.Go))
	}
}

// TestProjects: what is downloaded builds, with the runtime of this checkout.
func TestProjects(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	checkout, err := filepath.Abs("../../../../..")
	if err != nil {
		t.Fatal(err)
	}
	marked.Watch(checkout)
	sum, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range playground.Examples() {
		t.Run(e.Name, func(t *testing.T) {
			a := playground.Compile(playground.Request{Files: map[string]string{e.Name: e.Text}, Main: e.Name, Want: []string{playground.WantProject}, Version: "v0.0.0"})
			folder := t.TempDir()
			for _, f := range a.Project {
				name := filepath.Join(folder, filepath.FromSlash(f.Name))
				text := f.Text
				if f.Name == "go.mod" {
					text += "\nreplace github.com/rpcgen-go/rpcgen => " + checkout + "\n"
				}
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(folder, "go.sum"), sum, 0o644); err != nil {
				t.Fatal(err)
			}
			build := exec.Command("go", "list", "-export", "-mod=mod", "./...") // compiles, and links nothing
			build.Dir = folder
			build.Env = append(os.Environ(), "GOWORK=off")
			if out, err := build.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// large is a schema of about 500 lines.
func large() string {
	var b strings.Builder
	b.WriteString("rpcgen: v1\npackage: large\nmethods:\n")
	for i := range 50 {
		fmt.Fprintf(&b, "  area%d/do%d:\n    description: Does the thing number %d.\n    params:\n      id: {type: int64, minimum: 1}\n      name: {type: string, minLength: 1, maxLength: 80}\n      tags?: {type: list<string>, maxItems: 10}\n      limit?: {type: int32, minimum: 1, maximum: 50, default: 10}\n    result:\n      total: int64\n      more: boolean\n", i/20, i, i)
	}
	return b.String()
}

// BenchmarkCompile measures the parts of an answer for a schema of 500 lines.
func BenchmarkCompile(b *testing.B) {
	text := large()
	for _, want := range []string{"findings", playground.WantGo, playground.WantMarkdown} {
		b.Run(want, func(b *testing.B) {
			for b.Loop() {
				playground.Compile(playground.Request{Files: map[string]string{"a.rpc.yaml": text}, Main: "a.rpc.yaml", Want: []string{want}})
			}
		})
	}
}
