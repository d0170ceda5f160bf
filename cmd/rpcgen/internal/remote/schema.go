package remote

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// schema is a JSON Schema that a server sends, as far as a command line needs to understand it. References within the document are followed, others
// never.
type schema struct {
	document *document
	parts    []wire.Peek // the schema, and then what it refers to and the elements of its allOf: all of them hold
}

// document is the text that a schema is a part of.
type document struct {
	root wire.Peek
	left int // how much more is looked at
}

// Limits of what is looked at. A server may refer to itself in every line of a schema.
const (
	mostParts = 32      // of one schema
	mostWork  = 1 << 16 // schemas, a large one counting as several; what is beyond that is any
	workUnit  = 256     // bytes
)

// schemaOf returns the schema with a JSON text.
func schemaOf(text []byte) schema {
	p := wire.PeekAt(text)
	return schema{document: &document{p, mostWork}}.at(p)
}

// at returns the schema at a place of the document.
func (s schema) at(p wire.Peek) schema {
	found := schema{document: s.document}
	found.collect(p)
	return found
}

// collect adds a schema, and what it refers to.
func (s *schema) collect(p wire.Peek) {
	if len(s.parts) == mostParts || p.Kind() != wire.Object || s.document.left <= 0 {
		return
	}
	s.document.left -= 1 + len(p.JSON())/workUnit
	s.parts = append(s.parts, p)
	ref, _ := p.In("$ref").Text()
	if path, local := strings.CutPrefix(ref, "#"); local {
		target := s.document.root
		for name := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
			if path != "" {
				target = target.In(ir.UnescapePointer(name))
			}
		}
		s.collect(target)
	}
	for element := range p.In("allOf").Elements() {
		s.collect(element)
	}
}

// get returns a member of the first part that has it: what stands next to a reference comes before what it refers to.
func (s schema) get(name string) (found wire.Peek) {
	for _, p := range s.parts {
		if found = p.In(name); found.Kind() != wire.Invalid {
			return found
		}
	}
	return found
}

// in returns the schema that is the member of a name.
func (s schema) in(name string) schema { return s.at(s.get(name)) }

// text returns a member that is a string.
func (s schema) text(name string) string {
	text, _ := s.get(name).Text()
	return text
}

// types returns the types that values may have; none: any.
func (s schema) types() []string {
	p := s.get("type")
	if word, ok := p.Text(); ok {
		return []string{word}
	}
	var all []string
	for p := range p.Elements() {
		word, _ := p.Text()
		all = append(all, word)
	}
	return all
}

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
		for name, p := range part.In("properties").Members() {
			if at, known := index[name]; known {
				all[at].schema.parts = slices.Concat(all[at].schema.parts, s.at(p).parts)
				continue
			}
			index[name] = len(all)
			all = append(all, field{name: name, schema: s.at(p)})
		}
	}
	for _, part := range s.parts {
		for p := range part.In("required").Elements() {
			name, _ := p.Text()
			if at, known := index[name]; known {
				all[at].required = true
			}
		}
	}
	return all
}

// hasFields reports whether an object has properties.
func (s schema) hasFields() bool {
	for _, part := range s.parts {
		for range part.In("properties").Members() {
			return true
		}
	}
	return false
}

// open reports whether an object says that it may have other members.
func (s schema) open() bool {
	p := s.get("additionalProperties")
	return p.Kind() == wire.Object || string(p.JSON()) == "true"
}

// choices returns the values that are allowed, as JSON; none: others are, too.
func (s schema) choices() []string {
	for _, part := range s.parts {
		if all := choicesOf(part); all != nil {
			return all
		}
	}
	var all []string
	for p := range s.get("oneOf").Elements() { // choices with titles
		if p = p.In("const"); p.Kind() == wire.Invalid {
			break
		}
		all = append(all, string(p.JSON()))
	}
	return all
}

// choicesOf returns the values of enum, or the one of const.
func choicesOf(p wire.Peek) []string {
	var all []string
	for p := range p.In("enum").Elements() {
		all = append(all, string(p.JSON()))
	}
	if p := p.In("const"); all == nil && p.Kind() != wire.Invalid {
		all = append(all, string(p.JSON()))
	}
	return all
}

// words returns the values that an open enum lists, as JSON, and the type of the others. It reports false for any other schema.
func (s schema) words() (listed []string, other string, open bool) {
	for p := range s.get("anyOf").Elements() {
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
		for p := range s.get(key).Elements() {
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
