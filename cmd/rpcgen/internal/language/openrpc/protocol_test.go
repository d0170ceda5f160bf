package openrpc_test

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/openrpc"
	"github.com/rpcgen-go/rpcgen/schema"
)

// exportText exports a schema that is written in place.
func exportText(t *testing.T, text string) (string, string) {
	t.Helper()
	loader := &schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}
	doc, faults := loader.Load("main.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	out, warnings, err := openrpc.Export(doc)
	if err != nil {
		t.Fatal(err)
	}
	follows(t, out)
	compiles(t, out)
	return string(out), strings.Join(warnings, "\n")
}

// TestPositional describes params in their order where OpenRPC can, and by name only where it would need another order.
func TestPositional(t *testing.T) {
	const head = "rpcgen: v1\npackage: p\nmethods:\n"
	out, warnings := exportText(t, head+"  m: {params: {a: string, 'b?': string}}\n")
	if !strings.Contains(out, `"paramStructure": "either"`) || warnings != "" {
		t.Error(out, warnings)
	}
	out, warnings = exportText(t, head+"  m: {params: {'a?': string, b: string}}\n")
	if !strings.Contains(out, `"paramStructure": "by-name"`) || !strings.Contains(warnings, "required params before optional") {
		t.Error(out, warnings)
	}
}

// TestProtocol keeps the properties of a protocol, whose revision is the version of the document.
func TestProtocol(t *testing.T) {
	out, warnings := exportText(t, `rpcgen: v1
package: p
protocol: {name: notes, revision: "2026-01-31", batch: false, positional: false, session: handshake}
methods:
  m: {params: {a: string}, timeout: 5s, deprecated: {since: "1", use: n}}
  n: {"params?": {a: string}}
`)
	for _, want := range []string{`"version": "2026-01-31"`, `"paramStructure": "by-name"`, `"batch": false`, `"session": "handshake"`,
		`"x-timeout": "5s"`, `"deprecated": true`, `"use": "n"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	for _, want := range []string{"protocol: OpenRPC does not say", "n: OpenRPC does not say that params may be left out"} {
		if !strings.Contains(warnings, want) {
			t.Errorf("no %q in %s", want, warnings)
		}
	}
}

// TestHead: the title and the version are those of the server where the document says none.
func TestHead(t *testing.T) {
	for text, want := range map[string]string{
		"use: [mcp]\nserver: {name: shop, version: 1.2.3, title: Shop}":             `"title": "Shop", "version": "1.2.3"`,
		"use: [mcp]\nserver: {name: shop, version: 1.2.3}":                          `"title": "shop", "version": "1.2.3"`,
		"title: Tea\nuse: [mcp]\nserver: {name: shop, version: \"1\", title: Shop}": `"title": "Tea", "version": "1"`,
		"types: {A: string}": `"title": "p", "version": "0.0.0"`,
	} {
		out, _ := exportText(t, "rpcgen: v1\npackage: p\n"+text+"\n")
		if got := strings.Join(strings.Fields(out), " "); !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
}
