package importer

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// longestTrail is how many references in a row are followed to find out what a schema admits.
const longestTrail = 20

// target follows the references that a schema is, and nothing else.
func (c *converter) target(s cursor) cursor {
	for range longestTrail {
		if !s.has("$ref") || !c.draft7 && hasAny(s.without([]string{"$ref"}), checks) {
			return s
		}
		next, message, _ := c.refersTo(s)
		if message != "" {
			return s
		}
		s = next
	}
	return s
}

// kindsOf are the JSON kinds that a schema may admit, by JSON Schema's words; integers are numbers. Nil: any.
func (c *converter) kindsOf(s cursor) []string { return c.kindsWithin(s, 0) }

// deepestKinds is how deep parts of schemas are looked into to find out what kinds they admit.
const deepestKinds = 1000

// kindsWithin looks at each schema once: parts can refer to the same schemas again and again. A schema within itself says nothing more.
func (c *converter) kindsWithin(s cursor, depth int) []string {
	s = c.target(s)
	if depth++; depth > deepestKinds || len(s.Fields) == 0 {
		return nil
	}
	id := objectID{&s.Fields[0], len(s.Fields)}
	if kinds, known := c.admits[id]; known {
		return kinds
	}
	c.admits[id] = nil
	c.admits[id] = c.kindsHere(s, depth)
	return c.admits[id]
}

func (c *converter) kindsHere(s cursor, depth int) []string {
	if v, ok := s.get("const"); ok {
		return []string{kindName(v.Value)}
	}
	if all, ok := s.get("enum"); ok {
		var kinds []string
		for _, v := range all.Items {
			kinds = append(kinds, kindName(v))
		}
		return kinds
	}
	var kinds []string
	if all, ok := s.get("allOf"); ok {
		for _, part := range all.items() {
			switch of := c.kindsWithin(part, depth); {
			case of == nil:
			case kinds == nil:
				kinds = of
			default:
				kinds = slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return !slices.Contains(of, k) })
			}
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if all, ok := s.get(keyword); ok && kinds == nil && !s.has("type") {
			return c.kindsOfAny(all.items(), depth)
		}
	}
	t, ok := s.get("type")
	if !ok {
		return kinds
	}
	kinds = nil
	for _, word := range append(slices.Clone(t.Items), t.Value) {
		if word.Text == "integer" {
			kinds = append(kinds, "number")
		} else if word.Kind == ir.Text {
			kinds = append(kinds, word.Text)
		}
	}
	return kinds
}

// kindsOfAny are the kinds that some of several schemas admit.
func (c *converter) kindsOfAny(all []cursor, depth int) []string {
	if len(all) > mostDisjoint {
		return nil
	}
	var kinds []string
	for _, s := range all {
		of := c.kindsWithin(s, depth)
		if of == nil {
			return nil
		}
		for _, kind := range of {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

func kindName(v ir.Value) string {
	if v.Kind == ir.Integer {
		return "number"
	}
	return v.Kind.String()
}

// disjoint reports whether no value fits both of two schemas, as far as it shows: they admit other kinds, other constants, or objects with
// other constants in a property that both require.
func (c *converter) disjoint(a, b cursor) bool {
	a, b = c.target(a), c.target(b)
	if kinds, others := c.kindsOf(a), c.kindsOf(b); kinds != nil && others != nil && !overlap(kinds, others) {
		return true
	}
	if values, others := valuesOf(a), valuesOf(b); values != nil && others != nil && !sameAny(values, others) {
		return true
	}
	if c.apart(a, b, 0) {
		return true
	}
	mine, theirs := c.members(a), c.members(b)
	for name, p := range mine {
		q, ok := theirs[name]
		if values, others := valuesOf(c.target(p)), valuesOf(c.target(q)); ok && values != nil && others != nil && !sameAny(values, others) {
			return true
		}
	}
	return c.shuts(a, theirs) || c.shuts(b, mine)
}

// members are the properties that an object requires, where the schema admits nothing but objects.
func (c *converter) members(s cursor) map[string]cursor {
	if kinds := c.kindsOf(s); len(kinds) != 1 || kinds[0] != "object" {
		if !s.has("allOf") {
			return nil
		}
	}
	flat, ok := c.flatten(s)
	if !ok {
		return nil
	}
	all := map[string]cursor{}
	for _, name := range requiredOf(flat) {
		all[name] = cursor{}
	}
	for _, p := range flat.fieldsOf() {
		if _, ok := all[p.name]; ok {
			all[p.name] = p.cursor
		}
	}
	return all
}

// shuts reports whether an object has no place for a property that others require.
func (c *converter) shuts(s cursor, required map[string]cursor) bool {
	extra, _ := s.get("additionalProperties")
	if extra.Kind != ir.Boolean || extra.Text != "false" || s.has("patternProperties") {
		return false
	}
	properties, _ := s.get("properties")
	for name := range required {
		if !properties.has(name) {
			return true
		}
	}
	return false
}

// valuesOf are the only values of a schema; nil when they are not listed.
func valuesOf(s cursor) []ir.Value {
	if v, ok := s.get("const"); ok {
		return []ir.Value{v.Value}
	}
	all, _ := s.get("enum")
	return all.Items
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func sameAny(a, b []ir.Value) bool {
	return slices.ContainsFunc(a, func(v ir.Value) bool {
		return slices.ContainsFunc(b, func(w ir.Value) bool { return sameValue(v, w) || kindName(v) == "number" && kindName(w) == "number" })
	})
}

// overlapping reports whether two branches of a union may admit the same value, and there is no type to read it as: a typed union takes
// the first that its properties point to. Named objects are read so all the same, and reported as weakened.
func (c *converter) overlapping(s cursor, keyword string, branches []cursor) string {
	if len(branches) > mostDisjoint {
		return ""
	}
	for i, a := range branches {
		for _, b := range branches[:i] {
			if c.disjoint(a, b) || keyword == "anyOf" && c.apart(c.target(a), c.target(b), 1) {
				continue
			}
			if c.named(a) && c.named(b) {
				c.report.weaken(s.pointer, "a value that fits several branches is read as the first of them")
				continue
			}
			return "a value may fit several of its branches"
		}
	}
	return ""
}

// mostDisjoint is how many branches are compared with each other: a larger union is decided by the compiler alone.
const mostDisjoint = 100

// named reports whether a branch is an object with a name of its own.
func (c *converter) named(s cursor) bool {
	if all, ok := s.get("allOf"); ok && len(s.Fields) == 1 {
		return slices.ContainsFunc(all.items(), c.named) // a branch with the siblings of the union
	}
	if !s.has("$ref") {
		return false
	}
	target, message, _ := c.refersTo(s)
	kinds := c.kindsOf(target)
	return message == "" && c.names[target.pointer] != "" && (len(kinds) == 1 && kinds[0] == "object" || hasAny(target, []string{"allOf", "anyOf", "oneOf"}))
}
