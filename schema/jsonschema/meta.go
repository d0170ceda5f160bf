package jsonschema

import "github.com/rpcgen-go/rpcgen/schema/ir"

// annotations are the keywords that say something of a schema and refuse nothing, in the order in which they are written.
const (
	titleKey       = "title"
	descriptionKey = "description"
	deprecatedKey  = "deprecated"
)

// describe puts what an author says of a schema before the schema. What is said where a type is used counts more than what was said of the type itself.
func (e *exporter) describe(s *object, m *ir.Meta) *object {
	before := new(object)
	e.meta(before, m)
	if len(before.members) == 0 {
		return s
	}
	if e.Draft == Draft7 && s.has("$ref") { // draft-07 ignores all other keys of a schema with $ref
		before.set("allOf", list{s})
		return before
	}
	for _, m := range s.members {
		if !before.has(m.name) {
			before.set(m.name, m.value)
		}
	}
	return before
}

// meta writes title, description and deprecation; x-* only into whole documents, for it is the author's, and clients and models read the schemas of tools and
// params.
func (e *exporter) meta(s *object, m *ir.Meta) {
	if m.Title != "" {
		s.set(titleKey, text(m.Title))
	}
	if m.Doc != "" {
		s.set(descriptionKey, text(m.Doc+m.DocEnd))
	}
	if d := m.Deprecated; d != nil {
		s.set(deprecatedKey, raw("true"))
		deprecation(s, d)
	}
	if !e.partial {
		for _, x := range m.Ext {
			s.set(x.Key, value(x.Value))
		}
	}
}

// deprecation keeps the words that JSON Schema has no keyword for.
func deprecation(s *object, d *ir.Deprecated) {
	words := new(object)
	for _, word := range []struct{ key, text string }{{"since", d.Since}, {"remove", d.Remove}, {"reason", d.Reason}, {"use", d.Use}} {
		if word.text != "" {
			words.set(word.key, text(word.text))
		}
	}
	if len(words.members) > 0 {
		s.set("x-deprecated", words)
	}
}

func examples(s *object, all []ir.Value) {
	if len(all) > 0 {
		s.set("examples", values(all))
	}
}
