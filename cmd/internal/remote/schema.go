package remote

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// schema is a JSON Schema that a server sends, as far as a command line needs to understand it. References within the document are followed, others never.
type schema struct {
	document *document
	parts    jsonschema.Merged
}

// document is the text that a schema is a part of.
type document struct {
	root ir.Value
	left int // how much more is looked at; what is beyond that is any
}

// mostParts limits how deep unions within unions are looked at. A server may refer to itself in every line of a schema.
const mostParts = 32

// schemaOf returns the schema with a JSON text.
func schemaOf(text []byte) schema {
	root, _ := ir.ParseJSON(text) // what is not JSON is any
	return schema{document: &document{root, jsonschema.MostWork}}.at(root)
}

// at returns the schema at a place of the document.
func (s schema) at(v ir.Value) schema {
	return schema{s.document, jsonschema.Merge(s.document.root, v, &s.document.left)}
}

// get returns a member of the first part that has it; null, if none has it.
func (s schema) get(name string) ir.Value {
	v, _ := s.parts.Get(name)
	return v
}

// json returns the text of a member; "" if no part has it.
func (s schema) json(name string) string {
	if v, ok := s.parts.Get(name); ok {
		return v.String()
	}
	return ""
}

// in returns the schema that is the member of a name.
func (s schema) in(name string) schema { return s.at(s.get(name)) }

// text returns a member that is a string.
func (s schema) text(name string) string {
	if v := s.get(name); v.Kind == ir.Text {
		return v.Text
	}
	return ""
}

// types returns the types that values may have; none: any.
func (s schema) types() []string { return s.get("type").Words() }

func (s schema) has(kind string) bool { return slices.Contains(s.types(), kind) }

// field is a property of an object.
type field struct {
	name     string
	required bool
	schema   schema
}

// fields returns the properties of an object, in their order.
func (s schema) fields() []field {
	var all []field
	index := map[string]int{}
	for _, part := range s.parts {
		for _, m := range part.Member("properties").Fields {
			if at, known := index[m.Name]; known {
				all[at].schema.parts = slices.Concat(all[at].schema.parts, s.at(m.Value).parts)
				continue
			}
			index[m.Name] = len(all)
			all = append(all, field{name: m.Name, schema: s.at(m.Value)})
		}
	}
	for _, part := range s.parts {
		for _, name := range part.Member("required").Items {
			if at, known := index[name.Text]; known {
				all[at].required = true
			}
		}
	}
	return all
}

// hasFields reports whether an object has properties.
func (s schema) hasFields() bool {
	return slices.ContainsFunc(s.parts, func(part ir.Value) bool {
		return len(part.Member("properties").Fields) > 0
	})
}

// open reports whether an object says that it may have other members.
func (s schema) open() bool {
	extra := s.get("additionalProperties")
	return extra.Kind == ir.Object || extra.String() == "true"
}

// choices returns the values that are allowed, as JSON; none: others are, too.
func (s schema) choices() []string {
	for _, part := range s.parts {
		if all := choicesOf(part); all != nil {
			return all
		}
	}
	var all []string
	for _, branch := range s.get("oneOf").Items { // choices with titles
		choice, ok := branch.Get("const")
		if !ok {
			break
		}
		all = append(all, choice.String())
	}
	return all
}

// choicesOf returns the values of enum, or the one of const.
func choicesOf(part ir.Value) []string {
	all := ir.Each(part.Member("enum").Items, ir.Value.String)
	if v, ok := part.Get("const"); ok && all == nil {
		all = append(all, v.String())
	}
	return all
}

// words returns the values that an open enum lists, as JSON, and the type of the others. It reports false for any other schema.
func (s schema) words() (listed []string, other string, open bool) {
	for _, p := range s.get("anyOf").Items {
		branch := s.at(p)
		choices, kinds := branch.choices(), branch.types()
		switch {
		case choices != nil:
			listed = append(listed, choices...)
		case len(kinds) == 1 && other == "" && !slices.Contains([]string{"object", "array", "null"}, kinds[0]):
			other = kinds[0]
		default:
			return nil, "", false
		}
	}
	return listed, other, listed != nil && other != ""
}

// mostBranches limits the branches of a union that are looked at.
const mostBranches = 64

// branches returns the branches of a union, those of unions within it in their place. There are none if the schema has fields of its own:
// then they only say more of an object.
func (s schema) branches() []schema { return s.unite(nil, 0) }

func (s schema) unite(all []schema, depth int) []schema {
	if depth == mostParts || s.hasFields() || s.choices() != nil {
		return all
	}
	for _, key := range [...]string{"oneOf", "anyOf"} {
		for _, p := range s.get(key).Items {
			if len(all) == mostBranches {
				return all
			}
			branch := s.at(p)
			if inner := branch.unite(all, depth+1); len(inner) > len(all) {
				all = inner
			} else {
				all = append(all, branch)
			}
		}
		if all != nil {
			return all
		}
	}
	return all
}

// objects returns the branches of a union that are objects with fields.
func (s schema) objects() []schema {
	return slices.DeleteFunc(s.branches(), func(b schema) bool { return !b.hasFields() })
}
