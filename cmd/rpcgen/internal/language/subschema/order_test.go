package subschema

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// TestOrdered: what has no order has none within any keyword that holds schemas, and keeps it in values.
func TestOrdered(t *testing.T) {
	const one, other = `{"required": ["a", "b"], "title": "T"}`, `{"title": "T", "required": ["b", "a"]}`
	for _, around := range []string{
		`{"properties": {"items": @}}`, `{"dependencies": {"a": @, "b": ["c"]}}`, `{"additionalItems": @}`, `{"items": [@]}`, `{"contentSchema": @}`, `{"not": {"prefixItems": [true, @]}}`,
	} {
		same := func(a, b string) bool {
			var read [2]ir.Value
			for i, text := range []string{a, b} {
				v, err := ir.ParseJSON([]byte(strings.Replace(around, "@", text, 1)))
				if err != nil {
					t.Fatal(err)
				}
				read[i] = Sort(v)
			}
			return read[0].Equal(&read[1])
		}
		if !same(one, other) {
			t.Errorf("%s: the order of required counts", around)
		}
		if values := `{"default": `; same(values+`{"required": ["a", "b"]}}`, values+`{"required": ["b", "a"]}}`) {
			t.Errorf("%s: the order of a value does not count", around)
		}
	}
}

// TestWithinNames: a property whose name ends as references do is none.
func TestWithinNames(t *testing.T) {
	schema := func(least string) ir.Value {
		v, err := ir.ParseJSON([]byte(`{"properties": {"n": {"minimum": ` + least + `}}, "not": {"properties": {"orderRef": {"$ref": "#/$defs/A"}, "$xef": {}}}, "$defs": {"A": {"const": 1}}}`))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if !Within(schema("2"), schema("1")) || Within(schema("1"), schema("2")) {
		t.Error("the minimum does not decide")
	}
}
