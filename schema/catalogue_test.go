package schema_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// TestCatalogue: the ready schemas of error codes are valid, and say of each error what it is. The codes of LSP are those of the example.
func TestCatalogue(t *testing.T) {
	files, err := filepath.Glob("catalogue/*.rpc.yaml")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	all := map[string]*ir.Document{}
	for _, file := range files {
		doc := loaded(t, file)
		all[filepath.Base(file)] = doc
		if len(doc.Errors) == 0 {
			t.Errorf("%s has no errors", file)
		}
		for _, e := range doc.Errors {
			if len(e.Message) == 0 || e.Category == "" || e.Severity == "" {
				t.Errorf("%s: %s lacks a message, a category or a severity", file, e.Name)
			}
		}
	}
	codes := map[string]int{}
	for _, e := range all["lsp.rpc.yaml"].Errors {
		codes[e.Name] = e.Code
	}
	found := 0
	for _, e := range loaded(t, "../examples/lsp/lsp.rpc.yaml").Errors {
		if code, ok := codes[e.Name]; ok {
			found++
			if code != e.Code {
				t.Errorf("%s is %d, and %d in the example", e.Name, code, e.Code)
			}
		}
	}
	if found < 2 {
		t.Errorf("%d errors are those of the example", found)
	}
}

// TestCatalogueInServer: the errors of each catalogue can be declared by the methods of an MCP server, as they stand there. Where a code belongs
// to a protocol, they say that they have it on purpose.
func TestCatalogueInServer(t *testing.T) {
	for _, file := range []string{"jsonrpc", "experimental", "extended"} {
		text, err := os.ReadFile("catalogue/" + file + ".rpc.yaml")
		if err != nil {
			t.Fatal(err)
		}
		_, entries, _ := strings.Cut(string(text), "\nerrors:\n")
		var names []string
		for _, e := range loaded(t, "catalogue/"+file+".rpc.yaml").Errors {
			names = append(names, e.Name)
		}
		own := "rpcgen: v1\nuse: [mcp]\nserver: {name: s, version: v1}\nmethods:\n  own/run: {errors: [" + strings.Join(names, ", ") + "]}\nerrors:\n" + entries
		doc, faults, _ := load(map[string]string{"main.rpc.yaml": own}, "main.rpc.yaml")
		if faults.HasErrors() {
			t.Fatalf("%s: %v", file, faults)
		}
		files, faults, err := templates.Generate(doc, templates.Options{})
		if err != nil || len(faults) > 0 {
			t.Fatal(faults, err)
		}
		reserved := false
		for _, f := range files {
			reserved = reserved || strings.Contains(string(f.Text), "ReservedCodes: []int64{CodeCustomServerError, CodeResourceNotFound,")
		}
		if reserved != (file == "extended") {
			t.Errorf("%s: the server knows of codes that are reserved: %t", file, reserved)
		}
	}
	for first, last := range map[int]int{-32099: -32000, -32113: -32110, 1090: 1099} {
		for code := first; code <= last; code++ {
			if unnamed := code == -32041; declared(t, code) == unnamed {
				t.Errorf("the catalogue has no error with the code %d, or one without a meaning", code)
			}
		}
	}
}

// declared reports whether the extended or the experimental catalogue has an error with a code.
func declared(t *testing.T, code int) bool {
	t.Helper()
	for _, file := range []string{"extended", "experimental"} {
		for _, e := range loaded(t, "catalogue/"+file+".rpc.yaml").Errors {
			if e.Code == code {
				return true
			}
		}
	}
	return false
}

// loaded loads a schema without errors; codes that are reserved are warnings.
func loaded(t *testing.T, file string) *ir.Document {
	t.Helper()
	doc, list := schema.Load(file)
	for _, d := range list {
		if d.Severity != diag.Warning || d.Code != diag.ReservedCode {
			t.Errorf("%s: %v", file, d)
		}
	}
	return doc
}
