package lower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

func lowered(t testing.TB, input string, p Profile) (text, plan string) {
	t.Helper()
	v, err := ir.ParseJSON([]byte(`{"name":"a","description":"A tool","inputSchema":` + input + `}`))
	if err != nil {
		t.Fatal(err)
	}
	entry, plan := Tool(v, p)
	return entry.String(), plan
}

// TestHostile: schemas that lead back to themselves, or grow without end where references are written in place, end, and stay small.
func TestHostile(t *testing.T) {
	var doubling strings.Builder
	for i := range 40 {
		fmt.Fprintf(&doubling, `,"D%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/D%d"},"b":{"$ref":"#/$defs/D%[2]d"}}}`, i, i+1)
	}
	for _, input := range []string{
		`{"type":"object","properties":{"a":{"$ref":"#"}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"$ref":"#/$defs/A"}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"allOf":[{"$ref":"#/$defs/A"}]}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"anyOf":[{"$ref":"#/$defs/B"},{"$ref":"#/$defs/A"}]},"B":{"oneOf":[{"$ref":"#/$defs/A"}]}}}`,
		`{"$ref":"#"}`, `{"allOf":[{"$ref":"#"}]}`, `{"anyOf":[{"$ref":"#"}]}`, `true`, `[]`, `{"properties":5,"required":{"a":1},"items":7}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/D0"}},"$defs":{"D40":{"type":"string"}` + doubling.String() + `}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/properties/a/items"}}}`,
		`{"type":"object","properties":{"a":{"type":[]},"b":{"enum":[]},"c":{"anyOf":[]},"d":{"$ref":"other.json"},"e":false,"f":{"enum":[null]},"g":{"type":"null"},"h":{"enum":[{},[]]}}}`,
	} {
		for _, p := range []Profile{Gemini, OpenAIStrict} {
			text, plan := lowered(t, input, p)
			if len(text) > 1<<20 || len(plan) > 1<<20 || !strings.Contains(text, `"inputSchema":{`) || !strings.Contains(text, `"type":"object"`) {
				t.Errorf("%s, %.100s: %d bytes, plan of %d: %.300s", p, input, len(text), len(plan), text)
			}
		}
	}
}

// FuzzTool: no entry makes a rewriting panic.
func FuzzTool(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]},"b":{"oneOf":[{"const":1},{"const":"a"}]},"c":{"type":"array","prefixItems":[{"type":"string"},{}]}},"additionalProperties":{"$ref":"#/$defs/A"},"$defs":{"A":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}}}}}`)
	f.Fuzz(func(_ *testing.T, input string) {
		v, err := ir.ParseJSON([]byte(input))
		if err != nil {
			return
		}
		for _, p := range []Profile{Gemini, OpenAIStrict} {
			Tool(ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "inputSchema", Value: v}, {Name: "outputSchema", Value: v}}}, p)
		}
	})
}

// TestKeywords: schemas are found below all keywords that hold some, and names of properties are not taken for keywords.
func TestKeywords(t *testing.T) {
	parse := func(text string) ir.Value {
		v, err := ir.ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	in := `{"dependentSchemas":{"a":true},"propertyNames":true,"items":[true],"additionalItems":true,"enum":[true]}`
	if got, want := objects(parse(in)).String(), `{"dependentSchemas":{"a":{}},"propertyNames":{},"items":[{}],"additionalItems":true,"enum":[true]}`; got != want {
		t.Errorf("%s became %s, want %s", in, got, want)
	}
	for schema, want := range map[string]string{
		`{"type":"object","required":["a","b"],"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]},"b":{"$ref":"#/properties/a/anyOf/0"}}}`:                                                                   `"b":{"type":"integer"}`,
		`{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","required":["definitions"],"properties":{"definitions":{"type":"array","items":{"$ref":"#/$defs/N"}}}}}}`: `"items":{"$ref":"#/$defs/N"}`,
	} {
		tool := ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "inputSchema", Value: parse(schema)}}}
		if got, _ := Tool(tool, OpenAIStrict); !strings.Contains(got.String(), want) {
			t.Errorf("%s became %s, without %s", schema, got, want)
		}
	}
}
