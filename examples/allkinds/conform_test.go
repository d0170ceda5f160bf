package allkinds_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/rule/conform"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// TestConform draws JSON Schemas over all keywords and values, and asks three whether they fit: the runtime, the interpreter of the model and the
// independent validator.
func TestConform(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := generator{t: t}
		schema := g.schemaOf(0)
		if schema.Kind != ir.Object {
			schema = ir.Value{Kind: ir.Object}
		}
		defs := ir.Value{Kind: ir.Object}
		for _, name := range []string{"A", "B"} {
			defs.Fields = append(defs.Fields, ir.Member{Name: name, Value: g.schemaOf(1)})
		}
		schema.Fields = append(schema.Fields, ir.Member{Name: "$defs", Value: defs})
		if faults := judge.SchemaFaults(schema); len(faults) > 0 {
			if !strings.Contains(faults[0].Message, "refers to itself") {
				t.Fatalf("%s: %v", schema, faults)
			}
			return
		}
		independent, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(schema.String())))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource("mem:one", independent); err != nil {
			t.Fatal(err)
		}
		compiled, err := compiler.Compile("mem:one")
		if err != nil {
			t.Fatal(err)
		}
		ours := conform.Schema{Text: schema.String()}
		for range 6 {
			v := g.small(0)
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(v.String())))
			if err != nil {
				t.Fatal(err)
			}
			want := compiled.Validate(value) == nil
			var vs rule.Violations
			ours.Check(&vs, "", v.String())
			if got := vs.Len() == 0; got != want {
				t.Fatalf("%s\n%s: the runtime says %v: %v, the independent validator %v", schema, v, got, vs.All(), want)
			}
			if got := judge.Conforms(schema, v); got != want {
				t.Fatalf("%s\n%s: the interpreter says %v, the independent validator %v", schema, v, got, want)
			}
		}
	})
}

// small draws a value with few names and numbers, so that schemas meet it.
func (g *generator) small(depth int) ir.Value {
	kinds := 8
	if depth > 2 {
		kinds = 6
	}
	switch g.pick(kinds) {
	case 0:
		return null
	case 1:
		return ir.Value{Kind: ir.Boolean, Text: choose(g, "true", "false")}
	case 2, 3:
		return ir.NumberValue(choose(g, "0", "1", "2", "3", "1.0", "1.5", "-1", "1e1"))
	case 4, 5:
		return textual(choose(g, "", "a", "b", "ab", "\u00e9\n", "1"))
	case 6:
		v := ir.Value{Kind: ir.Array}
		for range g.pick(4) {
			v.Items = append(v.Items, g.small(depth+1))
		}
		return v
	}
	v := ir.Value{Kind: ir.Object}
	for range g.pick(4) {
		v.Fields = set(v.Fields, choose(g, "a", "b", "ab", "c"), g.small(depth+1))
	}
	return v
}

// schemaOf draws a JSON Schema.
func (g *generator) schemaOf(depth int) ir.Value {
	if depth > 3 || g.chance(8) {
		return ir.Value{Kind: ir.Boolean, Text: choose(g, "true", "true", "false")}
	}
	s := ir.Value{Kind: ir.Object}
	for range g.pick(4) {
		name := choose(g, keywords...)
		s.Fields = set(s.Fields, name, g.keywordValue(name, depth+1))
	}
	return s
}

var keywords = []string{"type", "const", "enum", "minimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems",
	"uniqueItems", "minProperties", "maxProperties", "required", "dependentRequired", "properties", "patternProperties", "additionalProperties",
	"propertyNames", "dependentSchemas", "prefixItems", "items", "contains", "minContains", "maxContains", "unevaluatedItems", "unevaluatedProperties",
	"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref"}

// keywordValue draws what a keyword says.
func (g *generator) keywordValue(name string, depth int) ir.Value {
	names := func() ir.Value {
		return ir.Value{Kind: ir.Array, Items: []ir.Value{textual(choose(g, "a", "b", "ab"))}}
	}
	switch name {
	case "type":
		v := ir.Value{Kind: ir.Array}
		for _, kind := range []string{"null", "boolean", "integer", "number", "string", "array", "object"} {
			if g.chance(2) {
				v.Items = append(v.Items, textual(kind))
			}
		}
		if len(v.Items) == 0 {
			return textual("object")
		}
		return v
	case "const":
		return g.small(1)
	case "enum":
		return ir.Value{Kind: ir.Array, Items: []ir.Value{g.small(1), ir.NumberValue("7"), textual("a")}}
	case "multipleOf":
		return ir.NumberValue(choose(g, "1", "2", "0.5"))
	case "minimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		return ir.NumberValue(choose(g, "0", "1", "2"))
	case "pattern":
		return textual(choose(g, "^a", "b$", "\\d"))
	case "uniqueItems":
		return ir.Value{Kind: ir.Boolean, Text: choose(g, "true", "false")}
	case "required":
		return names()
	case "dependentRequired":
		return ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: choose(g, "a", "b"), Value: names()}}}
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return ir.Value{Kind: ir.Array, Items: []ir.Value{g.schemaOf(depth), g.schemaOf(depth)}}
	case "properties", "dependentSchemas":
		return ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "a", Value: g.schemaOf(depth)}, {Name: choose(g, "b", "ab"), Value: g.schemaOf(depth)}}}
	case "patternProperties":
		return ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: choose(g, "^a", "b"), Value: g.schemaOf(depth)}}}
	case "$ref":
		return textual(choose(g, "#/$defs/A", "#/$defs/B", "#"))
	}
	return g.schemaOf(depth)
}
