package source

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// longestTrail is how many references in a row are followed to find out what a schema admits.
const longestTrail = 20

// Target follows the references that a schema is, and nothing else.
func (r *Resolver) Target(s Cursor) Cursor {
	for range longestTrail {
		if !s.Has("$ref") || !r.OnlyRef && len(s.Fields) > 1 && HasAny(s.Without([]string{"$ref"}), Checks) {
			return s
		}
		next, message, _ := r.RefersTo(s)
		if message != "" {
			return s
		}
		s = next
	}
	return s
}

// KindsOf are the JSON kinds that a schema may admit, by JSON Schema's words; integers are numbers. Nil: any.
func (r *Resolver) KindsOf(s Cursor) []string { return r.kindsWithin(s, 0) }

// DeepestKinds is how deep parts of schemas are looked into to find out what kinds they admit.
const DeepestKinds = 1000

// mostAlternatives is how many branches of a union are looked into for that.
const mostAlternatives = 100

// kindsWithin looks at each schema once: parts can refer to the same schemas again and again. A schema within itself says nothing more.
func (r *Resolver) kindsWithin(s Cursor, depth int) []string {
	s = r.Target(s)
	if depth++; depth > DeepestKinds || len(s.Fields) == 0 {
		return nil
	}
	id := s.ID()
	if kinds, known := r.admits[id]; known {
		return kinds
	}
	r.admits[id] = nil
	r.admits[id] = r.kindsHere(s, depth)
	return r.admits[id]
}

func (r *Resolver) kindsHere(s Cursor, depth int) []string {
	if v, ok := s.Get("const"); ok {
		return []string{kindName(v.Value)}
	}
	if all, ok := s.Get("enum"); ok {
		return ir.Each(all.Items, kindName)
	}
	var kinds []string
	if all, ok := s.Get("allOf"); ok {
		for _, part := range all.Elements() {
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
		if all, ok := s.Get(keyword); ok && kinds == nil && !s.Has("type") {
			return r.kindsOfAny(all.Elements(), depth)
		}
	}
	t, ok := s.Get("type")
	if !ok && kinds == nil {
		if kind := r.AssumedKind(s); kind != "" {
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

// AssumedKind is the kind of the values of a schema that says no type, where its keywords are of one kind and it is plain that no others are meant:
// its dialect is draft-07 or before, of which few authors knew that other kinds fit as well, or it says what it is for. It is empty otherwise.
func (r *Resolver) AssumedKind(s Cursor) string {
	if HasAny(s, []string{"type", "const", "enum", "$ref", "$dynamicRef", "$recursiveRef"}) {
		return ""
	}
	kind := ""
	for _, k := range []struct{ keyword, kind string }{{"properties", "object"}, {"items", "array"}} {
		if s.Has(k.keyword) && kind == "" {
			kind = k.kind
		} else if s.Has(k.keyword) {
			return ""
		}
	}
	if kind == "object" && !r.early && !hasDocs(s) || kind == "array" && !r.early {
		return ""
	}
	return kind
}

// hasDocs reports whether a schema, or one of its properties, has words for people.
func hasDocs(s Cursor) bool {
	if s.TextOf("title")+s.TextOf("description") != "" {
		return true
	}
	return slices.ContainsFunc(s.FieldsOf(), func(p Member) bool { return p.TextOf("title")+p.TextOf("description") != "" })
}

// kindsOfAny are the kinds that some of several schemas admit.
func (r *Resolver) kindsOfAny(all []Cursor, depth int) []string {
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

// ValuesOf are the only values of a schema; nil when they are not listed.
func ValuesOf(s Cursor) []ir.Value {
	if v, ok := s.Get("const"); ok {
		return []ir.Value{v.Value}
	}
	all, _ := s.Get("enum")
	return all.Items
}

// NullsOf counts the schemas that null may fit.
func (r *Resolver) NullsOf(all []Cursor) (n int) {
	for _, s := range all {
		if kinds := r.KindsOf(s); kinds == nil || slices.Contains(kinds, "null") {
			n++
		}
	}
	return n
}
