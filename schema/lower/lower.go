// Package lower rewrites the entries of tools for APIs of models that take less of JSON Schema than the entries have. What is taken from a schema goes
// into its description, in words; the server checks it in any case. Names are never changed.
//
//test:sequential
package lower

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	escape "github.com/rpcgen-go/rpcgen/schema/text"
)

// Profile is what an API takes.
type Profile string

// The profiles.
const (
	Gemini       Profile = "gemini"        // function declarations of Gemini's API, in the form named parameters
	OpenAIStrict Profile = "openai-strict" // strict function tools of OpenAI's API
)

// Tool returns the entry of a tool for a profile. If clients that see it send other arguments than the entry asks for, the plan says how they become
// those, as package profile of the runtime reads it; it is empty if they need not.
func Tool(entry ir.Value, p Profile) (lowered ir.Value, plan string) {
	lowered.Kind = ir.Object
	for _, m := range entry.Fields {
		switch m.Name {
		case "inputSchema":
			l := &lowerer{strict: p == OpenAIStrict, whole: m.Value, left: mostSchemas, within: map[string]int{}, recursive: map[string]bool{},
				named: map[string]*definition{}}
			root, words, shape := l.root()
			m.Value, plan = root, l.plan(shape)
			lowered.Fields = describeEntry(lowered.Fields, words)
		case "outputSchema":
			m.Value = objects(m.Value)
		}
		lowered.Fields = append(lowered.Fields, m)
	}
	return lowered, plan
}

// describeEntry adds sentences to the description among the members of an entry, or adds one, after its name.
func describeEntry(fields []ir.Member, words []string) []ir.Member {
	if len(words) == 0 {
		return fields
	}
	for i, m := range fields {
		if m.Name == "description" {
			fields[i].Value = text(escape.Sentences(m.Value.Text, words...))
			return fields
		}
	}
	return append(fields, ir.Member{Name: "description", Value: text(escape.Sentences("", words...))})
}

// objects returns a schema in which {} takes the place of true.
func objects(schema ir.Value) ir.Value {
	if schema.Kind == ir.Boolean && schema.Text == "true" {
		return ir.Value{Kind: ir.Object}
	}
	return jsonschema.Rewrite(schema, func(k *jsonschema.Keyword, _ string, inner ir.Value) ir.Value {
		if k.Role == jsonschema.Open && inner.Kind == ir.Boolean {
			return inner
		}
		return objects(inner)
	})
}

// mostSchemas limits how many schemas an entry has after references were written in place: a definition may be used often, and in others that are.
const mostSchemas = 5000

// mostLevels is how often a definition is written within itself.
const mostLevels = 2

// lowerer rewrites one input.
type lowerer struct {
	strict bool
	whole  ir.Value
	left   int            // schemas that may still be written
	within map[string]int // how often each reference is being written in place

	recursive map[string]bool // strict: references that lead back to themselves, which stay
	named     map[string]*definition
	order     []string // the names of those
}

// definition is a definition that stays, in strict modes.
type definition struct {
	schema ir.Value
	shape  *shape
}

// root rewrites the input itself, which stays an object. Its words are for the description of the tool.
func (l *lowerer) root() (ir.Value, []string, *shape) {
	s := l.whole
	if s.Kind != ir.Object {
		s = ir.Value{Kind: ir.Object}
	}
	if l.strict {
		l.findRecursive()
	}
	s = l.merge(s)
	s, alternatives := l.flatten(s)
	s = s.Without("$defs", "definitions")
	if _, ok := s.Get("type"); !ok {
		s.Fields = append([]ir.Member{{Name: "type", Value: text("object")}}, s.Fields...)
	}
	out := &builtSchema{}
	shape := l.object(out, s, true)
	l.rest(out, s)
	if description, ok := s.Get("description"); ok {
		out.set("description", description)
	}
	value := out.value()
	if len(l.order) > 0 {
		defs := ir.Value{Kind: ir.Object}
		for _, name := range l.order {
			defs.Fields = append(defs.Fields, ir.Member{Name: name, Value: l.named[name].schema})
		}
		value.Fields = append(value.Fields, ir.Member{Name: "$defs", Value: defs})
	}
	return value, append(alternatives, out.words...), shape
}

// flatten returns an object without alternatives: the members of all of them are members that may be missing, and words say which belong together.
func (l *lowerer) flatten(s ir.Value) (ir.Value, []string) {
	var words []string
	for _, keyword := range []string{"anyOf", "oneOf"} {
		branches, ok := s.Get(keyword)
		if !ok {
			continue
		}
		s = s.Without(keyword)
		properties := ir.Value{Kind: ir.Object, Fields: slices.Clone(s.Member("properties").Fields)}
		var needed []string
		for _, b := range branches.Items {
			b = l.merge(l.resolve(b))
			for _, m := range b.Member("properties").Fields {
				if old, ok := properties.Get(m.Name); !ok {
					properties.Fields = append(properties.Fields, m)
				} else if old.String() != m.Value.String() {
					both := ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "anyOf", Value: ir.Value{Kind: ir.Array, Items: []ir.Value{old, m.Value}}}}}
					properties = properties.Set(m.Name, both)
				}
			}
			if names := namesOf(b, "required"); len(names) > 0 {
				needed = append(needed, strings.Join(names, " and "))
			}
		}
		s = s.Set("properties", properties)
		if len(needed) > 0 {
			words = append(words, "Give "+map[bool]string{true: "either ", false: ""}[len(needed) > 1]+strings.Join(needed, " or ")+".")
		}
	}
	return s, words
}

// resolve follows references.
func (l *lowerer) resolve(s ir.Value) ir.Value {
	for range 100 {
		ref, ok := s.Get("$ref")
		if !ok {
			return s
		}
		target, found := jsonschema.Follow(l.whole, ref.Text)
		if !found {
			return ir.Value{Kind: ir.Object}
		}
		s = overlaid(target, s.Without("$ref"))
	}
	return ir.Value{Kind: ir.Object}
}

// findRecursive finds the references that lead back to themselves.
func (l *lowerer) findRecursive() {
	uses := map[string][]string{}
	visit := func(v ir.Value, add func(string)) {
		jsonschema.Walk(v, func(p *jsonschema.Place) bool {
			if ref, ok := p.Value.Get("$ref"); ok && ref.Kind == ir.Text && p.Keyword.Role != jsonschema.Definition {
				add(ref.Text)
			}
			return p.Keyword.Role != jsonschema.Definition
		})
	}
	var pending []string
	visit(l.whole, func(ref string) { pending = append(pending, ref) })
	for len(pending) > 0 {
		ref := pending[0]
		pending = pending[1:]
		if _, seen := uses[ref]; seen {
			continue
		}
		uses[ref] = []string{}
		if target, ok := jsonschema.Follow(l.whole, ref); ok {
			visit(target, func(to string) { uses[ref] = append(uses[ref], to) })
			pending = append(pending, uses[ref]...)
		}
	}
	for ref := range uses {
		reached := map[string]bool{}
		todo := slices.Clone(uses[ref])
		for len(todo) > 0 && !reached[ref] {
			next := todo[0]
			todo = todo[1:]
			if !reached[next] {
				reached[next] = true
				todo = append(todo, uses[next]...)
			}
		}
		l.recursive[ref] = reached[ref]
	}
}
