package verdicts_test

import (
	"bytes"
	"flag"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Random inputs are the same in each run, so that what fails has failed by a change; -rapid.seed=0 draws others.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

// generator draws JSON Schemas and values.
type generator struct {
	t    *rapid.T
	refs []string // what schemas may refer to
}

// chance reports yes once in n times.
func (g *generator) chance(n int) bool { return g.pick(n) == n-1 }

func (g *generator) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "pick") }

func choose[T any](g *generator, from ...T) T { return from[g.pick(len(from))] }

func textual(s string) ir.Value { return ir.Value{Kind: ir.Text, Text: s} }

// set gives a member a value, at the end if it is new.
func set(members []ir.Member, name string, v ir.Value) []ir.Member {
	for i := range members {
		if members[i].Name == name {
			members[i].Value = v
			return members
		}
	}
	return append(members, ir.Member{Name: name, Value: v})
}

// object draws a schema that is an object.
func (g *generator) object() ir.Value {
	if s := g.schemaOf(0); s.Kind == ir.Object {
		return s
	}
	return ir.Value{Kind: ir.Object}
}

// definitions draws schemas with names.
func (g *generator) definitions(names ...string) []ir.Member {
	var all []ir.Member
	for _, name := range names {
		all = append(all, ir.Member{Name: name, Value: g.schemaOf(1)})
	}
	return all
}

func definitions(all []ir.Member) ir.Value { return ir.Value{Kind: ir.Object, Fields: all} }

// fataler is a test of any kind.
type fataler interface{ Fatal(args ...any) }

// independent compiles a schema with the independent validator.
func independent(t fataler, schema ir.Value) *jsonschema.Schema {
	compiled, err := compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func compile(schema ir.Value) (*jsonschema.Schema, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(schema.String())))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("mem:one", v); err != nil {
		return nil, err
	}
	return compiler.Compile("mem:one")
}

// valid reports whether the independent validator takes a value.
func valid(t fataler, s *jsonschema.Schema, v ir.Value) bool {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(v.String())))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(value) == nil
}

// small draws a value with few names and numbers, so that schemas meet it.
func (g *generator) small(depth int) ir.Value {
	kinds := 8
	if depth > 2 {
		kinds = 6
	}
	switch g.pick(kinds) {
	case 0:
		return ir.Value{Kind: ir.Null, Text: "null"}
	case 1:
		return ir.Value{Kind: ir.Boolean, Text: choose(g, "true", "false")}
	case 2, 3:
		return ir.NumberValue(choose(g, "0", "1", "2", "3", "1.0", "1.5", "-1", "1e1"))
	case 4, 5:
		return textual(choose(g, "", "a", "b", "ab", "\u00e9\n", "1"))
	case 6:
		v := ir.Value{Kind: ir.Array}
		for range g.pick(5) {
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
	switch g.pick(10) {
	case 0:
		return g.array(depth)
	case 1:
		return g.arrays(depth)
	case 2:
		return g.objects(depth)
	case 3:
		return g.outlined(depth)
	}
	s := ir.Value{Kind: ir.Object}
	for range g.pick(4) {
		name := choose(g, keywords...)
		s.Fields = set(s.Fields, name, g.keywordValue(name, depth+1))
	}
	return s
}

// kind draws a schema of one kind of values, or of one value.
func (g *generator) kind(depth int) ir.Value {
	switch g.pick(8) {
	case 0:
		return g.schemaOf(depth)
	case 1, 2, 3:
		return ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "const", Value: choose(g, textual("a"), textual("b"), ir.NumberValue("1"))}}}
	}
	kind := textual(choose(g, "null", "boolean", "integer", "number", "string", "array", "object"))
	return ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "type", Value: kind}}}
}

// array draws a schema of arrays, of which most have elements with schemas of their own.
func (g *generator) array(depth int) ir.Value {
	s := ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "type", Value: textual("array")}}}
	add := func(name string, v ir.Value) { s.Fields = append(s.Fields, ir.Member{Name: name, Value: v}) }
	if !g.chance(4) {
		prefix := ir.Value{Kind: ir.Array}
		for range 1 + g.pick(3) {
			prefix.Items = append(prefix.Items, g.kind(depth+1))
		}
		add("prefixItems", prefix)
	}
	switch g.pick(4) {
	case 0:
		add("items", ir.Value{Kind: ir.Boolean, Text: "false"})
	case 1, 2:
		add("items", g.kind(depth+1))
	}
	if g.chance(2) {
		add("minItems", ir.NumberValue(choose(g, "0", "1", "2", "2.0", "3")))
	}
	if g.chance(3) {
		add("maxItems", ir.NumberValue(choose(g, "0", "1", "2", "3")))
	}
	return s
}

// arrays draws a union of arrays, and of something else now and then.
func (g *generator) arrays(depth int) ir.Value {
	branches := ir.Value{Kind: ir.Array}
	for range 2 + g.pick(2) {
		if g.chance(4) {
			branches.Items = append(branches.Items, g.kind(depth+1))
			continue
		}
		branches.Items = append(branches.Items, g.array(depth+1))
	}
	return ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: choose(g, "anyOf", "oneOf"), Value: branches}}}
}

// objects draws a union of objects, of which some have the same properties, fixed or not.
func (g *generator) objects(depth int) ir.Value {
	branches := ir.Value{Kind: ir.Array}
	for range 2 + g.pick(3) {
		var properties, members []ir.Member
		required := ir.Value{Kind: ir.Array}
		for _, name := range []string{"a", "b"}[g.pick(2):] {
			if g.chance(4) {
				continue
			}
			properties = append(properties, ir.Member{Name: name, Value: g.kind(depth + 2)})
			if !g.chance(3) {
				required.Items = append(required.Items, textual(name))
			}
		}
		members = append(members, ir.Member{Name: "type", Value: textual("object")}, ir.Member{Name: "properties", Value: definitions(properties)},
			ir.Member{Name: "required", Value: required})
		if g.chance(2) {
			members = append(members, ir.Member{Name: "additionalProperties", Value: ir.Value{Kind: ir.Boolean, Text: "false"}})
		}
		branches.Items = append(branches.Items, definitions(members))
	}
	return ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: choose(g, "anyOf", "oneOf"), Value: branches}}}
}

// outlined draws a schema of objects with fields, and with keywords that no field says.
func (g *generator) outlined(depth int) ir.Value {
	properties := []ir.Member{{Name: "a", Value: g.kind(depth + 1)}}
	if g.chance(2) {
		properties = append(properties, ir.Member{Name: "b", Value: g.schemaOf(depth + 2)})
	}
	members := []ir.Member{{Name: "type", Value: textual("object")}, {Name: "properties", Value: definitions(properties)}}
	if g.chance(3) {
		members = append(members, ir.Member{Name: "required", Value: g.keywordValue("required", depth)})
	}
	if g.chance(4) {
		members[0].Value = ir.Value{Kind: ir.Array, Items: []ir.Value{textual("object"), textual("null")}}
	}
	for range 1 + g.pick(3) {
		name := choose(g, "patternProperties", "additionalProperties", "propertyNames", "not", "if", "then", "else", "anyOf", "oneOf", "allOf", "minProperties", "maxProperties",
			"dependentRequired", "dependentSchemas", "unevaluatedProperties")
		members = set(members, name, g.keywordValue(name, depth+1))
	}
	return definitions(members)
}

// narrowing draws a schema of one kind, and what fits its name with limits, and with whatever else there is to say of that kind.
func (g *generator) narrowing(name string) (narrow, of ir.Value) {
	kind := choose(g, "string", "number", "integer", "array")
	said := map[string][]string{"string": {"minLength", "maxLength", "pattern"}, "number": {"minimum", "multipleOf"}, "integer": {"minimum", "multipleOf"},
		"array": {"minItems", "maxItems", "uniqueItems", "items", "contains", "prefixItems"}}[kind]
	part := func(n int) ir.Value {
		var members []ir.Member
		for range n {
			keyword := choose(g, append([]string{"type", "enum", "const", "not", "anyOf"}, slices.Repeat(said, 3)...)...)
			members = set(members, keyword, g.keywordValue(keyword, 3))
		}
		return definitions(members)
	}
	of = part(g.pick(2))
	of.Fields = set(of.Fields, "type", textual(kind))
	reference := part(g.pick(2) * g.pick(2))
	reference.Fields = set(reference.Fields, "$ref", textual("#/$defs/"+name))
	parts := ir.Value{Kind: ir.Array, Items: []ir.Value{reference, part(1 + g.pick(2))}}
	if g.chance(2) {
		parts.Items = append(parts.Items, part(1))
	}
	return definitions([]ir.Member{{Name: "allOf", Value: parts}}), of
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
		return textual(choose(g, g.refs...))
	}
	return g.schemaOf(depth)
}
