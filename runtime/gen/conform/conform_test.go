package conform_test

import (
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/conform"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
)

// TestCheck looks at what is reported, and where.
func TestCheck(t *testing.T) {
	tests := []struct{ schema, text, want string }{
		{`true`, `null`, ""},
		{`false`, `1`, "/at: not: expected nothing, got 1"},
		{`{"type":["string","null"]}`, `1`, "/at: type: expected null or string, got 1"},
		{`{"type":"integer"}`, `1.0`, ""},
		{`{"minimum":3}`, `"a"`, ""},
		{`{"exclusiveMaximum":3,"multipleOf":2}`, `3`, "/at: exclusiveMaximum: expected 3, got 3\n/at: multipleOf: expected 2, got 3"},
		{`{"const":{"a":[1]}}`, `{"a":[1.0]}`, ""},
		{`{"enum":[1,"a"],"const":1}`, `"a"`, `/at: const: expected the constant, got "a"`},
		{`{"properties":{"a/b":{"items":{"maxLength":1}}}}`, `{"a/b":["x","yz"]}`, `/at/a~1b/1: maxLength: expected 1, got "yz"`},
		{`{"required":["b"],"additionalProperties":{"type":"null"}}`, `{"a":1}`, "/at/a: type: expected null, got 1\n" + `/at: required: expected a member "b", got {"a":1}`},
		{`{"oneOf":[{"type":"integer"},{"minimum":2}]}`, `3`, "/at: oneOf: expected a value that fits exactly one of 2 schemas, not 2, got 3"},
		{`{"oneOf":[{"required":["a"],"not":{"required":["b"]}},{"required":["b"],"not":{"anyOf":[{"required":["a"]},{"required":["c"]}]}}]}`, `{"a":1,"b":2}`,
			`/at: oneOf: expected a value that fits exactly one of 2 schemas, not 0; it depends on which of the members "a", "b", "c" are there, got {"a":1,"b":2}`},
		{`{"oneOf":[{"allOf":[{"required":["a"]},{"not":{"$ref":"#/$defs/b"}}]},{"not":{"oneOf":[{"required":["a"]},{"required":["c"]}]}}],"$defs":{"b":{"required":["b"]}}}`, `{"a":1,"b":2}`,
			`/at: oneOf: expected a value that fits exactly one of 2 schemas, not 0; it depends on which of the members "a", "c", "b" are there, got {"a":1,"b":2}`},
		{`{"anyOf":[{"required":["a"]},{"required":["b"]}],"not":{"required":["d","c"]}}`, `{"c":1,"d":2}`,
			`/at: anyOf: expected a value that fits one of 2 schemas; it depends on which of the members "a", "b" are there, got {"c":1,"d":2}` + "\n" +
				`/at: not: expected a value that does not fit a schema; it depends on which of the members "d", "c" are there, got {"c":1,"d":2}`},
		{`{"prefixItems":[{"type":"string"}],"items":false}`, `["a",1]`, "/at/1: not: expected nothing, got 1"},
		{`{"contains":{"type":"string"},"maxContains":1}`, `["a","b"]`, `/at: contains: expected elements that fit a schema, in another number than 2, got ["a","b"]`},
		{`{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, "/at/b: not: expected nothing, got 2"},
		{`{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, `/at: required: expected a member "b", got {"a":1}`},
		{`{"uniqueItems":true}`, `[{"a":1,"b":2},{"b":2.0,"a":1}]`, `/at: uniqueItems: expected elements that differ, got [{"a":1,"b":2},{"b":2.0,"a":1}]`},
		{`{"$ref":"#/$defs/N","$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}}}}`, `{"next":{"next":1}}`, "/at/next/next: type: expected object, got 1"},
		{`{"propertyNames":{"pattern":"^\u00e9"}}`, `{"\u00e9a":1,"b":2}`, `/at: propertyNames: expected names that fit a schema, got "b"`},
	}
	for _, tt := range tests {
		var vs violation.List
		s := conform.Schema{Text: tt.schema}
		s.Check(&vs, "/at", tt.text)
		var got []string
		for _, v := range vs.All() {
			got = append(got, v.String())
		}
		if all := strings.Join(got, "\n"); all != tt.want {
			t.Errorf("%s\n%s\n got %s\nwant %s", tt.schema, tt.text, all, tt.want)
		}
	}
}

// TestReferencesDoNotMultiply checks a schema that asks for each part of a value twice, by reference: without memory, the work would
// double at each of the levels.
func TestReferencesDoNotMultiply(t *testing.T) {
	s := conform.Schema{Text: `{"$ref":"#/$defs/N","$defs":{"N":{"type":"object","properties":{"n":{"allOf":[{"$ref":"#/$defs/N"},{"$ref":"#/$defs/N"}]}}}}}`}
	const depth = 200
	var vs violation.List
	s.Check(&vs, "", strings.Repeat(`{"n":`, depth)+"1"+strings.Repeat("}", depth))
	if vs.Len() == 0 {
		t.Error("a number was taken for an object")
	}
}

// TestText checks a text that is decoded already.
func TestText(t *testing.T) {
	s := conform.Schema{Text: `{"anyOf":[{"const":"a\"<b"},{"maxLength":1}]}`}
	for text, fits := range map[string]bool{"a\"<b": true, "\u00e9": true, "ab": false} {
		var vs violation.List
		if s.CheckText(&vs, "", text); (vs.Len() == 0) != fits {
			t.Errorf("%q: %v", text, vs.All())
		}
	}
}
