package verify

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema"
)

// TestMethodsOf: what OpenRPC has no words for, such as references within the schema of a raw value, is checked.
func TestMethodsOf(t *testing.T) {
	const text = "rpcgen: v1\npackage: a\ntypes:\n  At: {type: any, schema: {oneOf: [{$ref: '#/$defs/Tag'}, {type: integer}], $defs: {Tag: {enum: [now]}}}}\nmethods:\n  m: {params: {at: At}, result: {at: At}}\n"
	doc, diags := (&schema.Loader{Read: func(string) ([]byte, error) { return []byte(text), nil }}).Load("a.rpc.yaml")
	if doc == nil {
		t.Fatal(diags)
	}
	all, err := methodsOf(doc)
	if err != nil || len(all) != 1 || !strings.Contains(string(all[0].Params), `"oneOf"`) || !strings.Contains(string(all[0].Result), `"oneOf"`) {
		t.Errorf("%v %s %s", err, all[0].Params, all[0].Result)
	}
}
