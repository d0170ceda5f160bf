package importer

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// allOf converts a conjunction: of one schema to that schema, of a name and limits to the name with limits, and of objects
// to an object that extends those that have names.
func (c *converter) allOf(m *yaml.Node, s cursor, where place) string {
	all, _ := s.get("allOf")
	parts := all.items()
	if len(parts) == 0 {
		c.fault(all, "", "allOf must be a list of schemas")
		return ""
	}
	rest := s.without([]string{"allOf"})
	if hasAny(rest, []string{"$ref", "const", "enum", "anyOf", "oneOf", "items"}) {
		return "allOf has another schema beside it"
	}
	if own := hasAny(rest, objectKeywords) || hasAny(rest, ruleKeywords); own {
		parts = append(slices.Clone(parts), rest)
	}
	if len(parts) == 1 {
		return c.form(m, parts[0], where)
	}
	return c.combine(m, s, parts)
}

// combine converts what fits several schemas at once.
func (c *converter) combine(m *yaml.Node, s cursor, parts []cursor) string {
	if c.limited(m, parts) {
		return ""
	}
	j := joint{properties: cursor{ir.Value{Kind: ir.Object}, s.pointer + "/properties"}}
	for _, part := range parts {
		if reason := c.join(&j, part); reason != "" {
			return reason
		}
	}
	c.narrow(&j, parts)
	if len(j.bases) > 0 {
		set(m, "extends", texts(j.bases))
	}
	if len(j.properties.Fields) > 0 || len(j.bases) == 0 {
		required := slices.DeleteFunc(j.required, func(n string) bool { return len(j.bases) > 0 && !j.properties.has(n) })
		c.fields(m, j.properties, j.extra, required)
	}
	c.additional(m, j.extra, j.hasExtra)
	for _, part := range parts {
		c.copy(m, part, objectRules)
	}
	return ""
}

// joint is what the parts of a conjunction of objects add up to.
type joint struct {
	bases      []string
	properties cursor // what no base has
	required   []string
	extra      cursor
	hasExtra   bool
}

// join adds a part.
func (c *converter) join(j *joint, part cursor) string {
	name := ""
	if part.has("$ref") || part.has("allOf") {
		var reason string
		if part, name, reason = c.baseOf(part); reason != "" {
			return reason
		}
	}
	if e, ok := part.get("additionalProperties"); ok {
		if j.hasExtra && !sameValue(e.Value, j.extra.Value) || e.Kind == ir.Boolean && e.Text == "false" {
			return "allOf closes an object that it adds to"
		}
		j.extra, j.hasExtra = e, true
	}
	j.required = append(j.required, c.required(part)...)
	if name != "" {
		j.bases = append(j.bases, name)
		return ""
	}
	for _, p := range part.fieldsOf() {
		if before, ok := j.properties.get(p.name); ok {
			if !sameValue(before.Value, p.Value) {
				return "two parts of allOf describe the property " + p.name
			}
			continue
		}
		j.properties.Fields = append(j.properties.Fields, ir.Member{Name: p.name, Value: p.Value})
	}
	return ""
}

// narrow adds the properties of bases that another part makes required.
func (c *converter) narrow(j *joint, parts []cursor) {
	for _, part := range parts {
		if !part.has("$ref") {
			continue
		}
		flat, _ := c.flatten(part)
		for _, p := range flat.fieldsOf() {
			asked := slices.Contains(j.required, p.name) && !slices.Contains(requiredOf(flat), p.name)
			if asked && !j.properties.has(p.name) {
				j.properties.Fields = append(j.properties.Fields, ir.Member{Name: p.name, Value: p.Value})
			}
		}
	}
}

// limited converts a name beside limits, which is how draft-07 limits what it refers to.
func (c *converter) limited(m *yaml.Node, parts []cursor) bool {
	var ref cursor
	for _, part := range parts {
		switch {
		case part.has("$ref") && ref.Fields == nil:
			ref = part
		case part.has("$ref") || hasAny(part, objectKeywords) || !hasAny(part, ruleKeywords):
			return false
		}
	}
	if ref.Fields == nil || c.reference(m, ref) != "" {
		return false
	}
	for _, part := range parts {
		c.copyRules(m, part)
	}
	return true
}

// baseOf is a part of allOf as one object; the name is empty when it has none, or no fields to take over by name.
func (c *converter) baseOf(part cursor) (base cursor, name, reason string) {
	flat, ok := c.flatten(part)
	if !ok {
		return cursor{}, "", "allOf joins something that is no object"
	}
	if part.has("$ref") && len(flat.fieldsOf()) > 0 {
		target, _ := c.resolve(part)
		name = c.names[target.pointer]
	}
	return flat, name, ""
}

// flatten is an object with the properties of all its parts.
func (c *converter) flatten(s cursor) (cursor, bool) { return c.flattenOnce(s, map[string]bool{}) }

// flattenOnce leaves out what was joined already: a part that comes twice, or in a circle, adds nothing.
func (c *converter) flattenOnce(s cursor, joined map[string]bool) (cursor, bool) {
	for s.has("$ref") {
		target, ok := c.resolve(s)
		if !ok || joined[target.pointer] {
			return cursor{Value: ir.Value{Kind: ir.Object}}, ok
		}
		joined[target.pointer] = true
		s = target
	}
	if s.text("type") != "object" && !hasAny(s, objectKeywords) && !s.has("allOf") || hasAny(s, []string{"anyOf", "oneOf", "enum", "const"}) {
		return cursor{}, false
	}
	all, _ := s.get("allOf")
	flat := s.without([]string{"allOf"})
	for _, part := range all.items() {
		p, ok := c.flattenOnce(part, joined)
		if !ok {
			return cursor{}, false
		}
		flat = both(flat, p)
	}
	return flat, true
}

// both joins the keywords of two objects.
func both(a, b cursor) cursor {
	joined := a.without([]string{"properties", "required"})
	properties := ir.Value{Kind: ir.Object}
	for _, p := range append(a.fieldsOf(), b.fieldsOf()...) {
		if !(cursor{Value: properties}).has(p.name) {
			properties.Fields = append(properties.Fields, ir.Member{Name: p.name, Value: p.Value})
		}
	}
	joined.Fields = append(joined.Fields, ir.Member{Name: "properties", Value: properties})
	var required []ir.Value
	for _, s := range []cursor{a, b} {
		r, _ := s.get("required")
		required = append(required, r.Items...)
	}
	joined.Fields = append(joined.Fields, ir.Member{Name: "required", Value: ir.Value{Kind: ir.Array, Items: required}})
	if e, ok := b.get("additionalProperties"); ok && !a.has("additionalProperties") {
		joined.Fields = append(joined.Fields, ir.Member{Name: "additionalProperties", Value: e.Value})
	}
	return joined
}

// fieldsOf are the properties of an object.
func (c cursor) fieldsOf() []named {
	p, _ := c.get("properties")
	return p.members()
}

func requiredOf(s cursor) []string {
	r, _ := s.get("required")
	var names []string
	for _, v := range r.Items {
		names = append(names, v.Text)
	}
	return names
}

// sameValue tells whether two JSON values are equal, whatever the order of members.
func sameValue(a, b ir.Value) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Items) != len(b.Items) || len(a.Fields) != len(b.Fields) {
		return false
	}
	for i := range a.Items {
		if !sameValue(a.Items[i], b.Items[i]) {
			return false
		}
	}
	x := cursor{Value: b}
	for _, m := range a.Fields {
		if other, ok := x.get(m.Name); !ok || !sameValue(m.Value, other.Value) {
			return false
		}
	}
	return true
}
