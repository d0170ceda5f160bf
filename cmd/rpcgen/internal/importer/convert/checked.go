package convert

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// bundle is a schema in which all that it refers to stands at its own root.
type bundle struct {
	c     *Converter
	root  string            // the pointer of the schema
	names map[string]string // pointers of definitions to their names
	queue []source.Cursor   // definitions that are not written yet
	left  int               // values that may still be written
}

// bundled returns a schema with all that it refers to, in draft 2020-12 and without words, or why there is none.
func (c *Converter) bundled(s source.Cursor) (v ir.Value, reason string) {
	return c.bundledAt(s, s.Pointer)
}

// bundledBeside is bundled for a part of a schema: what refers to the schema does not refer to the part.
func (c *Converter) bundledBeside(s source.Cursor) (v ir.Value, reason string) {
	return c.bundledAt(s, "\x00")
}

func (c *Converter) bundledAt(s source.Cursor, root string) (v ir.Value, reason string) {
	b := &bundle{c: c, root: root, names: map[string]string{}, left: MostKept}
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
		defs = append(defs, ir.Member{Name: b.names[next.Pointer], Value: d})
	}
	if len(defs) > 0 {
		v.Fields = append(v.Fields, ir.Member{Name: "$defs", Value: ir.Value{Kind: ir.Object, Fields: defs}})
	}
	if c.copied += before - b.left; b.left < 0 {
		reason = "it has too many parts"
	}
	return v, reason
}

func (b *bundle) schema(s source.Cursor) (v ir.Value, reason string) {
	if s.Kind != ir.Object {
		return s.Value, ""
	}
	if b.left -= len(s.Fields) + 1; b.left < 0 {
		return v, ""
	}
	if b.c.Resolver.OnlyRef && s.Has("$ref") {
		ref, _ := s.Get("$ref")
		s.Fields = []ir.Member{{Name: "$ref", Value: ref.Value}} // nothing else counts
	}
	v = ir.Value{Pos: s.Pos, Kind: ir.Object}
	var parts []ir.Value
	for _, k := range s.Members() {
		if !slices.Contains(source.Checks, k.Name) {
			continue
		}
		if all, ok := lookaheads(k.Text); ok && k.Name == "pattern" {
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

func (b *bundle) keyword(v *ir.Value, s source.Cursor, k source.Named) string {
	add := func(name string, value ir.Value) { v.Fields = append(v.Fields, ir.Member{Name: name, Value: value}) }
	each := func(name string, reason string, value ir.Value) string {
		add(name, value)
		return reason
	}
	switch k.Name {
	case "$ref", "$dynamicRef":
		ref, reason := b.reference(s, k)
		add("$ref", ref)
		return reason
	case "allOf", "prefixItems":
		list, reason := b.list(k.Cursor)
		return each(k.Name, reason, list)
	case "anyOf", "oneOf":
		keyword, list, reason := b.alternatives(s, k)
		return each(keyword, reason, list)
	case "items":
		if k.Kind != ir.Array {
			inner, reason := b.schema(k.Cursor)
			return each("items", reason, inner)
		}
		list, reason := b.list(k.Cursor) // draft-07
		return each("prefixItems", reason, list)
	case "additionalItems":
		if items, _ := s.Get("items"); items.Kind != ir.Array {
			return ""
		}
		inner, reason := b.schema(k.Cursor)
		return each("items", reason, inner)
	case "properties", "patternProperties", "dependentSchemas":
		all, reason := b.each(k.Cursor)
		return each(k.Name, reason, all)
	case "dependencies":
		return b.dependencies(v, k.Cursor)
	case "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties":
		inner, reason := b.schema(k.Cursor)
		return each(k.Name, reason, inner)
	case "$recursiveRef":
		return k.Name + " is not followed"
	}
	b.left -= SizeOf(k.Value, b.left+1)
	add(k.Name, k.Value)
	return ""
}

func (b *bundle) list(s source.Cursor) (v ir.Value, reason string) {
	v = ir.Value{Pos: s.Pos, Kind: ir.Array}
	for _, item := range s.Elements() {
		inner, reason := b.schema(item)
		if reason != "" {
			return v, reason
		}
		v.Items = append(v.Items, inner)
	}
	return v, ""
}

func (b *bundle) each(s source.Cursor) (v ir.Value, reason string) {
	v = ir.Value{Pos: s.Pos, Kind: ir.Object}
	for _, m := range s.Members() {
		inner, reason := b.schema(m.Cursor)
		if reason != "" {
			return v, reason
		}
		v.Fields = append(v.Fields, ir.Member{Name: m.Name, Value: inner})
	}
	return v, ""
}

// dependencies writes what draft-07 has one keyword for as the two of draft 2020-12.
func (b *bundle) dependencies(v *ir.Value, s source.Cursor) string {
	required, schemas := ir.Value{Kind: ir.Object}, ir.Value{Kind: ir.Object}
	for _, m := range s.Members() {
		if m.Kind == ir.Array {
			required.Fields = append(required.Fields, ir.Member{Name: m.Name, Value: m.Value})
			continue
		}
		inner, reason := b.schema(m.Cursor)
		if reason != "" {
			return reason
		}
		schemas.Fields = append(schemas.Fields, ir.Member{Name: m.Name, Value: inner})
	}
	v.Fields = append(v.Fields, ir.Member{Name: "dependentRequired", Value: required}, ir.Member{Name: "dependentSchemas", Value: schemas})
	return ""
}

// reference names what a reference leads to.
func (b *bundle) reference(s source.Cursor, k source.Named) (v ir.Value, reason string) {
	target, ok := source.Cursor{}, false
	if k.Name == "$ref" {
		target, reason, _ = b.c.Resolver.RefersTo(s)
		ok = reason == ""
	} else {
		target, ok = b.c.Resolver.References().DynamicTarget(s, k.Text)
	}
	if !ok {
		return v, fmt.Sprintf("%s %s is not followed", k.Name, source.Quoted(k.Text))
	}
	to := "#"
	if target.Pointer != b.root {
		to = "#/$defs/" + b.nameFor(target)
	}
	return ir.Value{Pos: k.Pos, Kind: ir.Text, Text: to}, ""
}

// nameFor is the name of a definition in the bundle.
func (b *bundle) nameFor(target source.Cursor) string {
	if name, ok := b.names[target.Pointer]; ok {
		return name
	}
	name := b.c.Names[target.Pointer]
	for n := 1; name == "" || b.taken(name); n++ {
		name = "S" + strconv.Itoa(n)
	}
	b.names[target.Pointer] = name
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
