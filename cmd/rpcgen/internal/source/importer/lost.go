package importer

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// besideReader decides about the additional schemas of objects that look at something which the types of the fields do not keep: the values are kept as
// they are instead.
type besideReader struct {
	convert.Decisions
	places places
}

// read looks at all types of a document.
func (r besideReader) read(doc *ir.Document) {
	visitTypes(doc, func(t ir.Type) {
		for _, rule := range ir.RulesOf(t) {
			if c, ok := rule.(*ir.Conform); ok {
				r.compare(c, t)
			}
		}
	})
}

func (r besideReader) compare(c *ir.Conform, t ir.Type) {
	l := &losing{root: c.Schema, seen: map[lookedAt]bool{}}
	at := r.places.before(t.Position()).at
	if l.schema(c.Schema, t); l.lost && at.Pos.Valid() && r.OpaqueAt[at.Pointer] == "" {
		r.OpaqueAt[at.Pointer] = "an additional schema would look at what their types do not keep"
	}
	if l.lost && at.Pos.Valid() {
		r.Bare[at.Pointer] = true
	}
}

// lookedAt is a schema that is asked of a type.
type lookedAt struct {
	ref string
	of  ir.Type
}

// losing finds out whether a schema looks at something that a type does not keep.
type losing struct {
	root ir.Value
	seen map[lookedAt]bool
	lost bool
}

// schema notes whether s looks at something of a value that t does not keep.
func (l *losing) schema(s ir.Value, t ir.Type) {
	if null, ok := ir.Underlying(t).(*ir.Nullable); ok {
		t = null.Elem
	}
	t = ir.Underlying(t)
	for _, b := range ir.Branches(t) {
		if !ir.IsContextual(t) { // else it is kept as it is
			l.schema(s, b.Type)
		}
	}
	switch t.(type) {
	case *ir.List, *ir.Map, *ir.Tuple, *ir.Struct, *ir.Time:
	default: // is kept as it is, or branch by branch
		return
	}
	for _, k := range s.Fields {
		l.keyword(k, t)
	}
	jsonschema.Children(s, func(k *jsonschema.Keyword, _ string, inner ir.Value) {
		if k.InPlace {
			l.schema(inner, t)
		}
	})
}

func (l *losing) keyword(k ir.Member, t ir.Type) {
	switch k.Name {
	case "$ref":
		l.reference(k.Value.Text, t)
	case "const", "enum", "uniqueItems":
		l.lost = l.lost || forgets(t, map[ir.Type]bool{})
	case "pattern", "minLength", "maxLength":
		_, isTime := t.(*ir.Time)
		l.lost = l.lost || isTime
	default:
		l.parts(k, t)
	}
}

func (l *losing) reference(ref string, t ir.Type) {
	is := lookedAt{ref, t}
	if l.seen[is] {
		return
	}
	l.seen[is] = true
	if target, ok := jsonschema.Follow(l.root, ref); ok {
		l.schema(target, t)
	}
}

// parts follows a keyword on what lies in a value.
func (l *losing) parts(k ir.Member, t ir.Type) {
	switch u := t.(type) {
	case *ir.List:
		l.elements(k, u.Elem)
	case *ir.Tuple:
		for part := range ir.Parts(u) {
			l.elements(k, part.Type)
		}
	case *ir.Map:
		for _, s := range memberSchemas(k) {
			l.schema(s.Value, u.Elem)
		}
	case *ir.Struct:
		l.members(k, u)
	}
}

func (l *losing) elements(k ir.Member, elem ir.Type) {
	switch k.Name {
	case "items", "contains", "unevaluatedItems":
		l.schema(k.Value, elem)
	case "prefixItems":
		for _, s := range k.Value.Items {
			l.schema(s, elem)
		}
	}
}

// memberSchemas are the schemas of a keyword on members; those of all others have no name.
func memberSchemas(k ir.Member) []ir.Member {
	switch k.Name {
	case "properties":
		return k.Value.Fields
	case "patternProperties":
		all := slices.Clone(k.Value.Fields)
		for i := range all {
			all[i].Name = ""
		}
		return all
	case "additionalProperties", "unevaluatedProperties":
		return []ir.Member{{Value: k.Value}}
	}
	return nil
}

// members follows a keyword on the members of an object.
func (l *losing) members(k ir.Member, t *ir.Struct) {
	missing := func(name string) bool {
		f := t.Field(name)
		return f == nil && t.Additional.Drops() || f != nil && f.Default != nil
	}
	forgetful := t.Additional.Drops() || slices.ContainsFunc(t.Fields, func(f *ir.Field) bool { return f.Default != nil })
	switch k.Name {
	case "required":
		l.lost = l.lost || slices.ContainsFunc(k.Value.Items, func(v ir.Value) bool { return missing(v.Text) })
	case "dependentRequired", "dependentSchemas":
		for _, m := range k.Value.Fields {
			l.lost = l.lost || missing(m.Name) || slices.ContainsFunc(m.Value.Items, func(v ir.Value) bool { return missing(v.Text) })
		}
	case "minProperties", "maxProperties", "propertyNames":
		l.lost = l.lost || forgetful
	}
	for _, s := range memberSchemas(k) {
		f := t.Field(s.Name)
		trivial := s.Value.Kind == ir.Boolean && s.Value.Text == "true" || s.Value.Kind == ir.Object && len(s.Value.Fields) == 0
		switch {
		case trivial:
		case s.Name != "" && f != nil:
			l.lost = l.lost || f.Default != nil
			l.schema(s.Value, f.Type)
		case s.Name != "":
			l.lost = l.lost || t.Additional.Drops()
			if t.Extra != nil {
				l.schema(s.Value, t.Extra)
			}
		default:
			l.lost = l.lost || forgetful
			for part := range ir.Parts(t) {
				l.schema(s.Value, part.Type)
			}
		}
	}
}

// forgets reports whether a type does not keep all of its values.
func forgets(t ir.Type, seen map[ir.Type]bool) bool {
	t = ir.NonNull(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.(type) {
	case *ir.Time:
		return true
	case *ir.Struct:
		if u.Additional.Drops() || slices.ContainsFunc(u.Fields, func(f *ir.Field) bool { return f.Default != nil }) {
			return true
		}
	}
	for part := range ir.Parts(t) {
		if forgets(part.Type, seen) {
			return true
		}
	}
	return false
}
