package importer

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// longestTrail is how many references in a row are followed to find out what a schema admits.
const longestTrail = 20

// target follows the references that a schema is, and nothing else.
func (r *resolver) target(s cursor) cursor {
	for range longestTrail {
		if !s.has("$ref") || !r.draft7 && hasAny(s.without([]string{"$ref"}), checks) {
			return s
		}
		next, message, _ := r.refersTo(s)
		if message != "" {
			return s
		}
		s = next
	}
	return s
}

// kindsOf are the JSON kinds that a schema may admit, by JSON Schema's words; integers are numbers. Nil: any.
func (r *resolver) kindsOf(s cursor) []string { return r.kindsWithin(s, 0) }

// deepestKinds is how deep parts of schemas are looked into to find out what kinds they admit.
const deepestKinds = 1000

// mostAlternatives is how many branches of a union are looked into for that.
const mostAlternatives = 100

// kindsWithin looks at each schema once: parts can refer to the same schemas again and again. A schema within itself says nothing more.
func (r *resolver) kindsWithin(s cursor, depth int) []string {
	s = r.target(s)
	if depth++; depth > deepestKinds || len(s.Fields) == 0 {
		return nil
	}
	id := objectID{&s.Fields[0], len(s.Fields)}
	if kinds, known := r.admits[id]; known {
		return kinds
	}
	r.admits[id] = nil
	r.admits[id] = r.kindsHere(s, depth)
	return r.admits[id]
}

func (r *resolver) kindsHere(s cursor, depth int) []string {
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
			switch of := r.kindsWithin(part, depth); {
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
			return r.kindsOfAny(all.items(), depth)
		}
	}
	t, ok := s.get("type")
	if !ok && kinds == nil {
		if kind := r.assumed(s); kind != "" {
			return []string{kind}
		}
	}
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

// assumed is the kind of the values of a schema that says no type, where its keywords are of one kind and it is plain that no others are meant:
// its dialect is draft-07 or before, of which few authors knew that other kinds fit as well, or it says what it is for. It is empty otherwise.
func (r *resolver) assumed(s cursor) string {
	if hasAny(s, []string{"type", "const", "enum", "$ref", "$dynamicRef", "$recursiveRef"}) {
		return ""
	}
	kind := ""
	for _, k := range []struct{ keyword, kind string }{{"properties", "object"}, {"items", "array"}} {
		if s.has(k.keyword) && kind == "" {
			kind = k.kind
		} else if s.has(k.keyword) {
			return ""
		}
	}
	if kind == "object" && !r.early && !documented(s) || kind == "array" && !r.early {
		return ""
	}
	return kind
}

// documented reports whether a schema, or one of its properties, has words for people.
func documented(s cursor) bool {
	if s.text("title")+s.text("description") != "" {
		return true
	}
	return slices.ContainsFunc(s.fieldsOf(), func(p named) bool { return p.text("title")+p.text("description") != "" })
}

// kindsOfAny are the kinds that some of several schemas admit.
func (r *resolver) kindsOfAny(all []cursor, depth int) []string {
	if len(all) > mostAlternatives {
		return nil
	}
	var kinds []string
	for _, s := range all {
		of := r.kindsWithin(s, depth)
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

// valuesOf are the only values of a schema; nil when they are not listed.
func valuesOf(s cursor) []ir.Value {
	if v, ok := s.get("const"); ok {
		return []ir.Value{v.Value}
	}
	all, _ := s.get("enum")
	return all.Items
}

// named reports whether a branch is an object with a name of its own, or adds to one.
func (c *converter) named(s cursor) bool {
	if all, ok := s.get("allOf"); ok && !s.has("$ref") {
		return slices.ContainsFunc(all.items(), c.named)
	}
	if !s.has("$ref") {
		return false
	}
	target, message, _ := c.refersTo(s)
	kinds := c.kindsOf(target)
	return message == "" && c.names[target.pointer] != "" && (len(kinds) == 1 && kinds[0] == "object" || hasAny(target, []string{"allOf", "anyOf", "oneOf"}))
}
