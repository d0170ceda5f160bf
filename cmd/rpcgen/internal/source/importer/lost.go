package importer

import (
	"cmp"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// besideReader decides about additional schemas that look at what the types of the fields do not keep: the values are kept as they are instead.
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
	if l.schema(c.Schema, t); !l.lost {
		return
	}
	if at := r.places.before(t.Position()).at; at.Pos.File != "" {
		r.OpaqueAt[at.Pointer] = cmp.Or(r.OpaqueAt[at.Pointer], "an additional schema would look at what their types do not keep")
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
	if !ir.IsArray(t) && !ir.IsObject(t) && !forgetsText(t) { // it is kept as it is, or branch by branch
		return
	}
	for _, k := range s.Fields {
		l.keyword(k, t)
	}
	jsonschema.Children(s, func(k *jsonschema.Keyword, name string, inner ir.Value) {
		if k.InPlace {
			l.schema(inner, t)
		} else {
			l.part(k, name, inner, t)
		}
	})
}

func (l *losing) keyword(k ir.Member, t ir.Type) {
	of, isObject := t.(*ir.Struct)
	switch k.Name {
	case "$ref":
		l.reference(k.Value.Text, t)
	case "const", "enum", "uniqueItems":
		l.lost = l.lost || forgets(t, map[ir.Type]bool{})
	case "pattern", "minLength", "maxLength":
		l.lost = l.lost || forgetsText(t)
	case "minProperties", "maxProperties", "propertyNames":
		l.lost = l.lost || isObject && of.ForgetsMembers()
	case "properties": // whose schemas are asked of their values
	default:
		jsonschema.KeywordOf(k.Name).Members(k.Value, func(name string, _ ir.Value) {
			l.lost = l.lost || isObject && (of.Field(name) == nil && of.Additional.Drops() || of.Field(name) != nil && of.Field(name).Default != nil)
		})
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

// part asks a schema of what lies in a value.
func (l *losing) part(k *jsonschema.Keyword, name string, s ir.Value, t ir.Type) {
	ofMembers := k.Kind == "object" && k.Name != "propertyNames"
	switch u := t.(type) {
	case *ir.Struct:
		if ofMembers {
			l.member(k, name, s, u)
		}
	case *ir.Map:
		if ofMembers {
			l.schema(s, u.Elem)
		}
	default:
		for part := range ir.Parts(t) {
			if k.Kind == "array" {
				l.schema(s, part.Type)
			}
		}
	}
}

// member asks a schema of the members of an object: of one, by its name, or of any.
func (l *losing) member(k *jsonschema.Keyword, name string, s ir.Value, t *ir.Struct) {
	f := t.Field(name)
	switch {
	case s.Kind == ir.Boolean && s.Text == "true" || s.Kind == ir.Object && len(s.Fields) == 0:
	case k.Role != jsonschema.Property || name == "":
		l.lost = l.lost || t.ForgetsMembers()
		for part := range ir.Parts(t) {
			l.schema(s, part.Type)
		}
	case f != nil:
		l.lost = l.lost || f.Default != nil
		l.schema(s, f.Type)
	default:
		l.lost = l.lost || t.Additional.Drops()
		if t.Extra != nil {
			l.schema(s, t.Extra)
		}
	}
}

func forgetsText(t ir.Type) bool { s := ir.ScalarOf(t); return s != nil && s.Loses }

// forgets reports whether a type does not keep all of its values.
func forgets(t ir.Type, seen map[ir.Type]bool) bool {
	t = ir.NonNull(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	if s, ok := t.(*ir.Struct); ok && s.ForgetsMembers() || forgetsText(t) {
		return true
	}
	for part := range ir.Parts(t) {
		if forgets(part.Type, seen) {
			return true
		}
	}
	return false
}
