package templates_test

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/templates"
)

const unknownSchema = `rpcgen: v1
use: [mcp]
server: {name: shop, version: 1.4.0}
types:
  Named: {fields: {a: string}}
tools:
  open: {unknown: ignore, hints: {title: Open up}, description: "Opens.\n", input: {a: string, named: Named, here: {fields: {b: string}}}}
  shut: {title: Shut, input: {a: string, here: {fields: {b: string}}}}
methods:
  shop/shut: {unknown: refuse, params: {a: string}}
  shop/open: {unknown: ignore, params: {a: string}}
`

// TestUnknown generates tools and methods that ignore, and that refuse, what their input does not name: what is published and what is decoded agree.
func TestUnknown(t *testing.T) {
	for _, text := range []string{unknownSchema, compacted(unknownSchema)} {
		all := server(t, text, templates.Options{})
		entries := constants(t, all["rpc_tools.gen.go"])
		open, shut := entries["openTool"], entries["shutTool"]
		if strings.Count(open, "additionalProperties") != 1 || !strings.Contains(open, `"annotations":{"title":"Open up"}`) || strings.Contains(open, `"title":"Open up","desc`) ||
			!strings.Contains(open, `"description":"Opens.\n"`) {
			t.Error("only the named type of open is closed:", open)
		}
		if strings.Count(shut, `"additionalProperties":false`) != 2 || strings.Contains(shut, "annotations") {
			t.Error(shut)
		}
		code := ""
		for _, text := range all {
			code += text
		}
		for name, want := range map[string]bool{"OpenInput": false, "OpenInputHere": false, "ShutInput": true, "ShutInputHere": true, "Named": true, "ShopShutParams": true, "ShopOpenParams": false} {
			if got := namesUnknown(code, name); got != want {
				t.Errorf("%s looks at members that it does not name: %v", name, got)
			}
		}
	}
}

// namesUnknown reports whether the decoder of a type in generated code looks at members that it does not name.
func namesUnknown(code, name string) bool {
	for _, head := range []string{"func (v *" + name + ") WalkJSON(", "func (v *" + name + ") DecodeJSON("} {
		_, after, _ := strings.Cut(code, head)
		body, _, _ := strings.Cut(after, "\n}\n")
		if strings.Contains(body, ".Unknown(") || strings.Contains(body, ".Reject(") {
			return true
		}
	}
	return false
}
