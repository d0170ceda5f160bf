package judge_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// typeOf loads one declaration: T is the type, and more may be declared.
func typeOf(t *testing.T, types string) ir.Type {
	t.Helper()
	loader := &schema.Loader{Read: func(path string) ([]byte, error) {
		if path != "t.rpc.yaml" {
			return nil, fs.ErrNotExist
		}
		return []byte("rpcgen: v1\ntypes:\n  T: " + strings.ReplaceAll(types, "\n", "\n  ") + "\n"), nil
	}}
	doc, faults := loader.Load("t.rpc.yaml")
	if doc == nil {
		t.Fatal(faults)
	}
	return doc.Types[0].Type
}

func TestJudge(t *testing.T) {
	const point = "{fields: {x: int32, \"y?\": number | null}}"
	for _, c := range []struct{ types, value, faults string }{
		{"boolean", `true`, ""},
		{"boolean", `1`, "type"},
		{"integer", `1.0`, ""},
		{"integer", `1e2`, ""},
		{"integer", `1.5`, "type"},
		{"integer", `9223372036854775807`, ""},
		{"integer", `9223372036854775808`, "type"},
		{"integer", `1e999999999`, "type"},
		{"uint32", `-1`, "type"},
		{"uint64", `18446744073709551615`, ""},
		{"int32", `2147483648`, "type"},
		{"number", `1e400`, "type"},
		{"number", `null`, "type"},
		{"decimal", `1e400`, ""},
		{"{type: decimal, multipleOf: 0.01}", `19.99`, ""},
		{"{type: decimal, multipleOf: 0.01}", `19.999`, "multipleOf"},
		{"{type: decimal, multipleOf: 3}", `3e100`, ""},
		{"{type: integer, exclusiveMinimum: 1, maximum: 5}", `1`, "exclusiveMinimum"},
		{"{type: integer, exclusiveMinimum: 1, maximum: 5}", `6`, "maximum"},
		{"{type: string, minLength: 2, maxLength: 2}", `"世界"`, ""},
		{"{type: string, maxLength: 1}", `"世界"`, "maxLength"},
		{"{type: string, pattern: \"^a\"}", `"ba"`, "pattern"},
		{"string | null", `null`, ""},
		{"string | integer", `12345678901234567890`, ""},
		{"string | integer", `1.5`, "type"},
		{"bytes", `"aGk="`, ""},
		{"bytes", `"aGk"`, "format"},
		{"bytes", `"aG\nk="`, "format"},
		{"any", `{"a":[null]}`, ""},
		{"{const: 1}", `1.0`, ""},
		{"{const: a}", `"b"`, "const"},
		{"{enum: [a, b]}", `"c"`, "enum"},
		{"{enum: [a, b], open: true}", `"c"`, ""},
		{"{enum: [a, b], open: true}", `1`, "type"},
		{"{enum: [1, 2]}", `2.0`, ""},
		{"{type: list<any>, uniqueItems: true, minItems: 2}", `[1, 1.0]`, "uniqueItems"},
		{"{type: list<any>, uniqueItems: true}", `[{"a":1,"b":2},{"b":2,"a":1}]`, "uniqueItems"},
		{"{type: list<any>, uniqueItems: true}", `[1, "1", true, [1]]`, ""},
		{"{type: map<integer>, maxProperties: 1}", `{"a":1,"b":"x"}`, "/b type, maxProperties"},
		{point, `{"x":1,"y":null,"z":1}`, ""},
		{point, `{"y":"a"}`, "required, /y type"},
		{point, `[]`, "type"},
		{"{fields: {a: string}, additional: false}", `{"a":"","b":1}`, "additional"},
		{"{fields: {a: string}, additional: {type: integer}}", `{"a":"","b":"","a/~":""}`, "/b type, /a~1~0 type"},
		{"{fields: {\"a?\": string, \"b?\": string}, require: [a ^ b]}", `{}`, "require"},
		{"{fields: {\"a?\": string, \"b?\": string}, require: [a | b]}", `{"b":""}`, ""},
		{"{fields: {\"a?\": string, \"b?\": string}, require: [a -> b]}", `{"a":""}`, "require"},
		{"{type: U, minLength: 2}\nU: {type: string, maxLength: 3}", `"abcd"`, "maxLength"},
		{"{type: U, minLength: 2}\nU: {type: string, maxLength: 3}", `"a"`, "minLength"},
		{"A | B\nA: {fields: {t: {const: a}, n: integer}}\nB: {fields: {t: {const: b}}}", `{"t":"a","n":""}`, "/n type"},
		{"A | B\nA: {fields: {t: {const: a}, n: integer}}\nB: {fields: {t: {const: b}}}", `{"t":"c"}`, "union"},
		{"A | B\nA: {fields: {t: {const: a}, n: integer}}\nB: {fields: {t: {const: b}}}", `{}`, "required"},
		{"{union: [A, B], open: true}\nA: {fields: {t: {const: a}}}\nB: {fields: {t: {const: b}}}", `{"t":"c"}`, ""},
		{"{union: [A, B], open: true}\nA: {fields: {t: {const: a}}}\nB: {fields: {t: {const: b}}}", `1`, "type"},
		{"integer | list<integer>", `[1, "a"]`, "/1 type"},
		{"integer | list<integer>", `"a"`, "type"},
		{"number | list<integer>", `1`, ""},
		{"{union: [A, B], by: context}\nA: {fields: {a: string}}\nB: {fields: {b: string}}", `{}`, ""},
		{"{union: [A, B], by: context, schema: {minProperties: 1}}\nA: {fields: {a: string}}\nB: {fields: {b: string}}", `{}`, "schema"},
	} {
		v, err := ir.ParseJSON([]byte(c.value))
		if err != nil {
			t.Fatal(c.value, err)
		}
		var got []string
		for _, f := range judge.Judge(typeOf(t, c.types), v) {
			got = append(got, strings.TrimSpace(f.Pointer+" "+f.Rule))
		}
		if d := cmp.Diff(c.faults, strings.Join(got, ", ")); d != "" {
			t.Errorf("%s %s: %s", c.types, c.value, d)
		}
	}
}

// TestMessages compares the whole text of faults that show a value of the schema.
func TestMessages(t *testing.T) {
	for _, c := range []struct{ types, value, want string }{
		{"{type: any, schema: {type: object, required: [a]}}", `{}`, `must fit the schema {"type":"object","required":["a"]}`},
		{"{const: a}", `"b"`, `must be "a"`},
		{"{enum: [a, b]}", `"c"`, `must be one of "a", "b"`},
	} {
		v, err := ir.ParseJSON([]byte(c.value))
		if err != nil {
			t.Fatal(c.value, err)
		}
		if faults := judge.Judge(typeOf(t, c.types), v); len(faults) != 1 || faults[0].Message != c.want {
			t.Errorf("%s %s: %v, want %q", c.types, c.value, faults, c.want)
		}
	}
}

func TestFormats(t *testing.T) {
	text, err := os.ReadFile("testdata/formats.json") // other tests of formats read it too
	var all map[string]struct{ Good, Bad []string }
	if err != nil || json.Unmarshal(text, &all) != nil {
		t.Fatal("testdata/formats.json cannot be read")
	}
	for _, format := range judge.Formats {
		texts := all[format]
		if len(texts.Good) < 2 || len(texts.Bad) < 2 {
			t.Errorf("testdata/formats.json has %d texts of the format %s, and %d others", len(texts.Good), format, len(texts.Bad))
		}
		for _, text := range texts.Good {
			if !judge.HasFormat(format, text) {
				t.Errorf("%s refuses %q", format, text)
			}
		}
		for _, text := range texts.Bad {
			if judge.HasFormat(format, text) {
				t.Errorf("%s takes %q", format, text)
			}
		}
	}
}

func TestDateTime(t *testing.T) {
	moment := typeOf(t, "datetime")
	for text, good := range map[string]bool{
		"2026-01-31T12:00:00Z": true, "2026-01-31t12:00:00.123z": true, "2026-01-31T12:00:00+14:00": true, "2026-01-31T12:00:00-00:00": true,
		"2026-02-30T12:00:00Z": false, "2026-01-31 12:00:00Z": false, "2026-01-31T12:00:00": false, "2026-01-31T24:00:00Z": false,
		"2026-01-31T12:00:60Z": false, "2026-01-31T12:00:00,5Z": false, "2026-01-31T12:00Z": false, "2026-01-31T12:00:00+1:00": false,
	} {
		if faults := judge.Judge(moment, ir.Value{Kind: ir.Text, Text: text}); (len(faults) == 0) != good {
			t.Errorf("%q: %v", text, faults)
		}
	}
}

// TestConformsIsBounded compares values with schemas in which references lead to the same parts over and over: without what is known of a part,
// these would take 2 to the power of 60 steps.
func TestConformsIsBounded(t *testing.T) {
	for name, step := range map[string]string{
		"the same value":  `{"allOf": [{"$ref": "#/$defs/%[1]d"}, {"$ref": "#/$defs/%[1]d"}]}`,
		"one of two":      `{"anyOf": [{"not": {"$ref": "#/$defs/%[1]d"}}, {"$ref": "#/$defs/%[1]d"}]}`,
		"a member":        `{"allOf": [{"properties": {"a": {"$ref": "#/$defs/%[1]d"}}}, {"additionalProperties": {"$ref": "#/$defs/%[1]d"}}]}`,
		"an element":      `{"allOf": [{"items": {"$ref": "#/$defs/%[1]d"}}, {"contains": {"$ref": "#/$defs/%[1]d"}}]}`,
		"what is left":    `{"allOf": [{"$ref": "#/$defs/%[1]d"}], "unevaluatedProperties": {"$ref": "#/$defs/%[1]d"}}`,
		"names and parts": `{"propertyNames": {"$ref": "#/$defs/%[1]d"}, "allOf": [{"$ref": "#/$defs/%[1]d"}]}`,
	} {
		const steps = 60
		var schema strings.Builder
		schema.WriteString(`{"$ref": "#/$defs/1", "$defs": {`)
		for n := 1; n < steps; n++ {
			fmt.Fprintf(&schema, `"%d": `+strings.ReplaceAll(step, "%[1]d", "%[2]d")+`, `, n, n+1)
		}
		fmt.Fprintf(&schema, `"%d": true}}`, steps)
		value := strings.Repeat(`{"a":`, steps) + "1" + strings.Repeat("}", steps)
		if name == "an element" {
			value = strings.Repeat("[", steps) + "1" + strings.Repeat("]", steps)
		}
		if !judge.Conforms(parsed(t, schema.String()), parsed(t, value)) {
			t.Errorf("%s: the value does not fit", name)
		}
	}
}

func parsed(t *testing.T, text string) ir.Value {
	v, err := ir.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSchemaFaults: the place is that of the first fault.
func TestSchemaFaults(t *testing.T) {
	for schema, want := range map[string]string{
		`{"$defs": {"A": {"minimum": 1}}, "items": {"$ref": "#/$defs/A"}}`: "",
		`3`: " schema expected a schema, which is an object or a boolean",
		`{"properties": {"a/b": {"type": "text"}}}`: "/properties/a~1b/type schema expected null, boolean, integer, number, string, array or object",
		`{"$defs": {"A": {"pattern": "("}}}`:        "/$defs/A/pattern pattern error parsing regexp: missing closing ): `(`",
		`{"allOf": [true, {"additionalItems": false}]}`: "/allOf/1/additionalItems schema additionalItems is not supported: " +
			"use $ref with # or #/$defs/NAME, and dependentRequired or dependentSchemas",
		`{"$id": "a"}`:          "/$id schema $id is not supported: use $ref with # or #/$defs/NAME, and dependentRequired or dependentSchemas",
		`{"maxLength": 1.5}`:    "/maxLength schema expected an integer",
		`{"uniqueItems": 1}`:    "/uniqueItems schema expected a boolean",
		`{"not": {"$ref":"#"}}`: " schema a $ref leads back to its own schema without a property or an element in between",
	} {
		var got string
		for _, f := range judge.SchemaFaults(parsed(t, schema)) {
			got += f.Pointer + " " + f.Rule + " " + f.Message
		}
		if got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", schema, got, want)
		}
	}
}

// TestConformsSoon: a value and a schema that are large together are not compared.
func TestConformsSoon(t *testing.T) {
	schema := judge.Compile(parsed(t, `{"maxLength": 3, "description": "`+strings.Repeat("a", 10_000)+`"}`))
	for n, want := range map[int][2]bool{3: {true, true}, 4: {false, true}, 20_000: {false, false}} {
		if fits, known := schema.ConformsSoon(ir.Value{Kind: ir.Text, Text: strings.Repeat("b", n)}); [2]bool{fits, known} != want {
			t.Errorf("%d: %v %v", n, fits, known)
		}
	}
}
