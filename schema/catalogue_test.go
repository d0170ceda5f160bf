package schema_test

import (
	"path/filepath"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// TestCatalogue: the ready schemas of error codes are valid, and say of each error what it is. The codes of LSP are those of the example.
func TestCatalogue(t *testing.T) {
	files, err := filepath.Glob("catalogue/*.rpc.yaml")
	if err != nil || len(files) < 3 {
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
