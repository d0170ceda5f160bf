package judge

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// TestNullWithoutText: a null that a schema has written in other words, as YAML can, is compared with a JSON Schema.
func TestNullWithoutText(t *testing.T) {
	object := ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "a", Value: ir.Value{Kind: ir.Null}}}}
	for text, want := range map[string]bool{`{"properties":{"a":{"type":"null"}}}`: true, `{"properties":{"a":{"type":"string"}}}`: false} {
		schema, err := ir.ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := Conforms(schema, object); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
