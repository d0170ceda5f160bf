package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// checks are the keywords that a JSON Schema checks values by. The others are words about them.
var checks = slices.Concat(ruleKeywords, objectKeywords, beyond, []string{"type", "enum", "const", "prefixItems", "items", "additionalItems", "allOf", "anyOf", "oneOf", "$ref",
	"$dynamicRef", "minContains", "maxContains"})

// bundle is a schema in which all that it refers to stands at its own root.
type bundle struct {
	*converter
	root  string            // the pointer of the schema
	names map[string]string // pointers of definitions to their names
	queue []cursor          // definitions that are not written yet
	left  int               // values that may still be written
}

// bundled returns a schema with all that it refers to, in draft 2020-12 and without words, or why there is none.
func (c *converter) bundled(s cursor) (v ir.Value, reason string) {
	return c.bundledAt(s, s.pointer)
}

// bundledBeside is bundled for a part of a schema: what refers to the schema does not refer to the part.
func (c *converter) bundledBeside(s cursor) (v ir.Value, reason string) {
	return c.bundledAt(s, "\x00")
}

func (c *converter) bundledAt(s cursor, root string) (v ir.Value, reason string) {
	b := &bundle{converter: c, root: root, names: map[string]string{}, left: mostKept}
	v, reason = b.schema(s)
	if len(b.queue) > 0 {
		b.left = min(b.left, mostCopied-c.copied)
	}
	before := b.left
	var defs []ir.Member
	for len(b.queue) > 0 && reason == "" {
		next := b.queue[0]
		b.queue = b.queue[1:]
		var d ir.Value
		d, reason = b.schema(next)
		defs = append(defs, ir.Member{Name: b.names[next.pointer], Value: d})
	}
	if len(defs) > 0 {
		v.Fields = append(v.Fields, ir.Member{Name: "$defs", Value: ir.Value{Kind: ir.Object, Fields: defs}})
	}
	if c.copied += before - b.left; b.left < 0 {
		reason = "it has too many parts"
	}
	return v, reason
}

func (b *bundle) schema(s cursor) (v ir.Value, reason string) {
	if s.Kind != ir.Object {
		return s.Value, ""
	}
	if b.left -= len(s.Fields) + 1; b.left < 0 {
		return v, ""
	}
	if b.draft7 && s.has("$ref") {
		ref, _ := s.get("$ref")
		s.Fields = []ir.Member{{Name: "$ref", Value: ref.Value}} // nothing else counts
	}
	v = ir.Value{Pos: s.Pos, Kind: ir.Object}
	var parts []ir.Value
	for _, k := range s.members() {
		if !slices.Contains(checks, k.name) {
			continue
		}
		if all, ok := lookaheads(k.Text); ok && k.name == "pattern" {
			parts = all
			b.left -= len(all)
			continue
		}
		if reason := b.keyword(&v, s, k); reason != "" {
			return v, reason
		}
	}
	return withConjuncts(v, parts), ""
}

func (b *bundle) keyword(v *ir.Value, s cursor, k named) string {
	add := func(name string, value ir.Value) { v.Fields = append(v.Fields, ir.Member{Name: name, Value: value}) }
	each := func(name string, reason string, value ir.Value) string {
		add(name, value)
		return reason
	}
	switch k.name {
	case "$ref", "$dynamicRef":
		ref, reason := b.reference(s, k)
		add("$ref", ref)
		return reason
	case "allOf", "prefixItems":
		list, reason := b.list(k.cursor)
		return each(k.name, reason, list)
	case "anyOf", "oneOf":
		keyword, list, reason := b.alternatives(s, k)
		return each(keyword, reason, list)
	case "items":
		if k.Kind != ir.Array {
			inner, reason := b.schema(k.cursor)
			return each("items", reason, inner)
		}
		list, reason := b.list(k.cursor) // draft-07
		return each("prefixItems", reason, list)
	case "additionalItems":
		if items, _ := s.get("items"); items.Kind != ir.Array {
			return ""
		}
		inner, reason := b.schema(k.cursor)
		return each("items", reason, inner)
	case "properties", "patternProperties", "dependentSchemas":
		all, reason := b.each(k.cursor)
		return each(k.name, reason, all)
	case "dependencies":
		return b.dependencies(v, k.cursor)
	case "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties":
		inner, reason := b.schema(k.cursor)
		return each(k.name, reason, inner)
	case "$recursiveRef":
		return k.name + " is not followed"
	}
	b.left -= sizeOf(k.Value, b.left+1)
	add(k.name, k.Value)
	return ""
}

func (b *bundle) list(s cursor) (v ir.Value, reason string) {
	v = ir.Value{Pos: s.Pos, Kind: ir.Array}
	for _, item := range s.items() {
		inner, reason := b.schema(item)
		if reason != "" {
			return v, reason
		}
		v.Items = append(v.Items, inner)
	}
	return v, ""
}

func (b *bundle) each(s cursor) (v ir.Value, reason string) {
	v = ir.Value{Pos: s.Pos, Kind: ir.Object}
	for _, m := range s.members() {
		inner, reason := b.schema(m.cursor)
		if reason != "" {
			return v, reason
		}
		v.Fields = append(v.Fields, ir.Member{Name: m.name, Value: inner})
	}
	return v, ""
}

// dependencies writes what draft-07 has one keyword for as the two of draft 2020-12.
func (b *bundle) dependencies(v *ir.Value, s cursor) string {
	required, schemas := ir.Value{Kind: ir.Object}, ir.Value{Kind: ir.Object}
	for _, m := range s.members() {
		if m.Kind == ir.Array {
			required.Fields = append(required.Fields, ir.Member{Name: m.name, Value: m.Value})
			continue
		}
		inner, reason := b.schema(m.cursor)
		if reason != "" {
			return reason
		}
		schemas.Fields = append(schemas.Fields, ir.Member{Name: m.name, Value: inner})
	}
	v.Fields = append(v.Fields, ir.Member{Name: "dependentRequired", Value: required}, ir.Member{Name: "dependentSchemas", Value: schemas})
	return ""
}

// reference names what a reference leads to.
func (b *bundle) reference(s cursor, k named) (v ir.Value, reason string) {
	target, ok := cursor{}, false
	if k.name == "$ref" {
		target, reason, _ = b.refersTo(s)
		ok = reason == ""
	} else {
		target, ok = b.references().dynamicTarget(s, k.Text)
	}
	if !ok {
		return v, fmt.Sprintf("%s %s is not followed", k.name, quoted(k.Text))
	}
	to := "#"
	if target.pointer != b.root {
		to = "#/$defs/" + b.nameFor(target)
	}
	return ir.Value{Pos: k.Pos, Kind: ir.Text, Text: to}, ""
}

// nameFor is the name of a definition in the bundle.
func (b *bundle) nameFor(target cursor) string {
	if name, ok := b.names[target.pointer]; ok {
		return name
	}
	name := b.converter.names[target.pointer]
	for n := 1; name == "" || b.taken(name); n++ {
		name = "S" + strconv.Itoa(n)
	}
	b.names[target.pointer] = name
	b.queue = append(b.queue, target)
	return name
}

func (b *bundle) taken(name string) bool {
	for _, other := range b.names {
		if other == name {
			return true
		}
	}
	return false
}

// quoted is a text in messages.
func quoted(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "\uFFFD")) }
