package values_test

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/x/contract/values"
)

// TestPage: values for readers have examples, then defaults, then the first of an enum, then calm words and numbers.
func TestPage(t *testing.T) {
	for name, one := range map[string]struct{ schema, want string }{
		"examples first":                    {`{"examples": ["Dune"], "default": "none", "enum": ["a", "Dune", "none"]}`, `"Dune"`},
		"then defaults":                     {`{"default": "none", "enum": ["a", "none"]}`, `"none"`},
		"then an enum":                      {`{"enum": ["a", "b"]}`, `"a"`},
		"a constant that is not deprecated": {`{"oneOf": [{"const": "a", "deprecated": true}, {"const": "b"}]}`, `"b"`},
		"an example that does not fit":      {`{"type": "integer", "examples": ["x"]}`, `1`},
		"words":                             {`{"type": "string"}`, `"text"`},
		"a longer word":                     {`{"type": "string", "minLength": 6}`, `"North Sea"`},
		"a word of a pattern":               {`{"type": "string", "pattern": "[0-9]"}`, `"item-2"`},
		"a pattern without a word":          {`{"type": "string", "pattern": "^[A-Z]{3}-[0-9]{2,}$"}`, `"AAA-111"`},
		"base64":                            {`{"type": "string", "contentEncoding": "base64", "minLength": 9}`, `"AAAAAAAAAAAA"`},
		"anything":                          {`{}`, `{}`},
		"true":                              {`{"type": "boolean"}`, `true`},
		"a fraction":                        {`{"type": "number", "exclusiveMinimum": 0, "maximum": 1}`, `0.5`},
		"a whole number of steps":           {`{"type": "integer", "multipleOf": 0.75}`, `3`},
		"no step but zero":                  {`{"type": "integer", "multipleOf": 5000000000, "minimum": -2147483648, "maximum": 2147483647}`, `0`},
		"a map and a list":                  {`{"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}}`, `{"key":[1]}`},
		"members": {`{"type": "object", "properties": {"a": {"type": "integer"}, "old": {"type": "integer", "deprecated": true}, "b": {"type": "integer"}}}`,
			`{"a":1,"b":1}`},
		"one of two members": {`{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "c": {"type": "integer"}},
			"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}`, `{"a":1,"c":1}`},
		"no more members": {`{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["b"], "maxProperties": 1}`, `{"b":1}`},
		"what it is not":  {`{"type": "object", "properties": {"a": {"type": "integer"}}, "anyOf": [{"properties": {"kind": {"not": {"const": "x"}}}}]}`, `{"a":1}`},
		"itself":          {`{"$ref": "#/$defs/N", "$defs": {"N": {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/N"}}}}}`, `{"v":1}`},
		"itself or null": {`{"$ref": "#/$defs/N", "$defs": {"N": {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}},
			"required": ["next"]}}}`, `{"next":null}`},
		"an alternative that ends": {`{"$ref": "#/$defs/Sum", "$defs": {"Sum": {"type": "object", "properties": {"of": {"$ref": "#/$defs/Expr"}}, "required": ["of"]},
			"Neg": {"type": "object", "properties": {"neg": {"$ref": "#/$defs/Expr"}}, "required": ["neg"]},
			"Expr": {"anyOf": [{"$ref": "#/$defs/Sum"}, {"$ref": "#/$defs/Neg"}, {"type": "integer"}]}}}`, `{"of":1}`},
		"alternatives of alternatives": {`{"anyOf": [{"$ref": "#/$defs/A", "type": "array"}, {"type": "null"}],
			"$defs": {"A": {"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "integer"}}]}}}`, `[1]`},
		"items of a prefix": {`{"allOf": [{"type": "array", "items": {"properties": {"a": {"type": "integer"}}, "required": ["a"]}},
			{"prefixItems": [{"type": "object"}], "minItems": 1}]}`, `[{"a":1}]`},
		"closed bounds": {`{"type": "number", "maximum": 0}`, `0`},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := values.Compile([]byte(one.schema))
			if err != nil {
				t.Fatal(err)
			}
			s.Profile = values.Page
			if got, ok := s.Full(values.FromBytes(nil)); !ok || string(got) != one.want {
				t.Errorf("%s, want %s", got, one.want)
			}
		})
	}
}
