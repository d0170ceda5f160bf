package templates

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
)

// TestHeldDeclarations: of a file with many declarations few are kept as trees, and the text is that of all of them.
func TestHeldDeclarations(t *testing.T) {
	f := newFile("a.gen.go", "a", Header("a.rpc.yaml"))
	want := "// " + Header("a.rpc.yaml") + "\n\npackage a\n\nimport \"net/url\"\n"
	for i := range 1000 {
		boundary(f.code)
		f.code.Var().Id(fmt.Sprint("v", i)).Qual("net/url", "URL")
		if len(strings.Split(f.code.GoString(), "\nvar v")) > 17 {
			t.Fatalf("more than 16 declarations are kept as trees after %d", i)
		}
		f.flush()
		want += fmt.Sprintf("\nvar v%d url.URL\n", i)
	}
	files, err := formatAll([]*file{nil, f}, false)
	if err != nil || len(files) != 1 || string(files[0].Text) != want {
		t.Errorf("%v %d files, %s", err, len(files), files[0].Text[:200])
	}
}

// TestDeclarationsOfMany: of what many methods and tools become, in whatever file, few declarations are kept as trees at a time.
func TestDeclarationsOfMany(t *testing.T) {
	heads := map[string]string{
		"methods: {batch: true}": "protocol: {batch: true}\nmethods:\n",
		"tools":                  "use: [mcp]\nserver: {name: a, version: v1}\ntools:\n",
		"tools of an API":        "use: [mcp]\nserver: {name: a, version: v1}\nbackends: {api: {server: https://a.example}}\ntools:\n",
	}
	for name, text := range heads {
		for i := range 200 {
			text += fmt.Sprintf("  m%d: {description: does it, EXTRA, PARAMS: {a: string}, RESULT: {b: string}}\n", i)
		}
		extra, params, result := "rate: {calls: 5, per: 1s}", "input", "output"
		switch {
		case strings.HasPrefix(name, "methods"):
			params, result = "params", "result"
		case name != "tools":
			extra = "http: {get: /a}"
		}
		text = "rpcgen: v1\npackage: a\n" + strings.NewReplacer("EXTRA", extra, "PARAMS", params, "RESULT", result).Replace(text)
		loader := schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
		doc, faults := loader.Load("a.rpc.yaml")
		if faults.HasErrors() {
			t.Fatal(name, faults[0])
		}
		for _, a := range artefacts {
			if out := newPlan(doc, Options{}).write(a); out != nil {
				if n := strings.Count(out.code.GoString(), cut); n > 100 {
					t.Errorf("%s: of the file of %s %d declarations are kept as trees", name, a.name, n)
				}
			}
		}
	}
}
