package sample

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// conforming are candidates for a value with JSON Schemas: what these list or are made of, and values of every kind.
func conforming(rules []ir.Rule) []ir.Value {
	var all []ir.Value
	for _, r := range rules {
		if c, ok := r.(*ir.Conform); ok {
			s := &schemas{root: c.Schema, left: most}
			all = append(all, s.values(c.Schema)...)
		}
	}
	return append(all, anything()...)
}

// schemas makes values of a JSON Schema.
type schemas struct {
	root ir.Value
	left int
}

// values are candidates; none of them may fit.
func (s *schemas) values(of ir.Value) []ir.Value {
	if s.left--; s.left < 0 {
		return nil
	}
	if v, ok := of.Get("const"); ok {
		return []ir.Value{v}
	}
	if v, ok := of.Get("enum"); ok {
		return v.Items
	}
	if ref, ok := of.Get("$ref"); ok {
		defs, _ := s.root.Get("$defs")
		target, _ := defs.Get(strings.TrimPrefix(ref.Text, "#/$defs/"))
		return s.values(target)
	}
	var all []ir.Value
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		parts, _ := of.Get(name)
		for _, part := range parts.Items {
			all = append(all, s.values(part)...)
		}
	}
	if prefix, ok := of.Get("prefixItems"); ok {
		all = append(all, ir.Value{Kind: ir.Array, Items: s.firsts(prefix.Items)})
	}
	if items, ok := of.Get("items"); ok {
		all = append(all, ir.Value{Kind: ir.Array, Items: s.firsts([]ir.Value{items})})
	}
	if properties, ok := of.Get("properties"); ok {
		v := ir.Value{Kind: ir.Object}
		for _, p := range properties.Fields {
			for _, first := range s.firsts([]ir.Value{p.Value}) {
				v.Fields = append(v.Fields, ir.Member{Name: p.Name, Value: first})
			}
		}
		all = append(all, v)
	}
	if pattern, ok := of.Get("pattern"); ok {
		all = append(all, asTexts(matches(pattern.Text))...)
	}
	return append(all, s.ofType(of)...)
}

// firsts are the first candidates of several schemas.
func (s *schemas) firsts(all []ir.Value) []ir.Value {
	var found []ir.Value
	for _, one := range all {
		if v := append(s.values(one), anything()...); len(v) > 0 {
			found = append(found, v[0])
		}
	}
	return found
}

// ofType are the plain values of the types that a schema names.
func (s *schemas) ofType(of ir.Value) []ir.Value {
	kind, ok := of.Get("type")
	if !ok {
		return nil
	}
	var all []ir.Value
	for _, word := range append(kind.Items, kind) {
		for _, v := range anything() {
			if v.Kind.String() == word.Text || word.Text == "number" && v.Kind == ir.Integer {
				all = append(all, v)
			}
		}
	}
	return all
}
