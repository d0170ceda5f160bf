// Package lower rewrites the entries of tools for APIs of models that take less of JSON Schema than the entries have. What is taken from a schema goes
// into its description, in words; the server checks it in any case. Names are never changed.
//
//test:sequential
package lower

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
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
			l := newLowerer(m.Value, p)
			root, words, shape := l.root()
			m.Value, plan = root, l.plan(shape)
			lowered.Fields = described(lowered.Fields, words)
		case "outputSchema":
			m.Value = objects(m.Value)
		}
		lowered.Fields = append(lowered.Fields, m)
	}
	return lowered, plan
}

// described adds sentences to the description among the members of an entry, or adds one, after its name.
func described(fields []ir.Member, words []string) []ir.Member {
	if len(words) == 0 {
		return fields
	}
	for i, m := range fields {
		if m.Name == "description" {
			fields[i].Value = text(sentences(m.Value.Text, words))
			return fields
		}
	}
	return append(fields, ir.Member{Name: "description", Value: text(sentences("", words))})
}

// sentences joins a description and what follows it.
func sentences(description string, words []string) string {
	description = strings.TrimRight(description, " \n")
	if description != "" && !strings.ContainsAny(description[len(description)-1:], ".!?:;") {
		description += "."
	}
	return strings.TrimSpace(description + " " + strings.Join(words, " "))
}

// objects returns a schema in which {} takes the place of true.
func objects(schema ir.Value) ir.Value {
	if schema.Kind == ir.Boolean && schema.Text == "true" {
		return ir.Value{Kind: ir.Object}
	}
	schema.Fields = slices.Clone(schema.Fields)
	for i, m := range schema.Fields {
		value := &schema.Fields[i].Value
		switch {
		case slices.Contains([]string{"properties", "$defs", "definitions", "patternProperties"}, m.Name):
			value.Fields = slices.Clone(m.Value.Fields)
			for j, p := range value.Fields {
				value.Fields[j].Value = objects(p.Value)
			}
		case slices.Contains([]string{"items", "contains", "not", "if", "then", "else"}, m.Name):
			*value = objects(m.Value)
		case m.Name == "additionalProperties" && m.Value.Kind == ir.Object:
			*value = objects(m.Value)
		case slices.Contains([]string{"anyOf", "oneOf", "allOf", "prefixItems"}, m.Name):
			value.Items = slices.Clone(m.Value.Items)
			for j, s := range value.Items {
				value.Items[j] = objects(s)
			}
		}
	}
	return schema
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

func newLowerer(whole ir.Value, p Profile) *lowerer {
	return &lowerer{strict: p == OpenAIStrict, whole: whole, left: mostSchemas, within: map[string]int{}, recursive: map[string]bool{}, named: map[string]*definition{}}
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
	s = l.merged(s)
	s, alternatives := l.flattened(s)
	s = without(s, "$defs", "definitions")
	if _, ok := s.Get("type"); !ok {
		s.Fields = append([]ir.Member{{Name: "type", Value: text("object")}}, s.Fields...)
	}
	out := &built{}
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

// flattened returns an object without alternatives: the members of all of them are members that may be missing, and words say which belong together.
func (l *lowerer) flattened(s ir.Value) (ir.Value, []string) {
	var words []string
	for _, keyword := range []string{"anyOf", "oneOf"} {
		branches, ok := s.Get(keyword)
		if !ok {
			continue
		}
		s = without(s, keyword)
		properties, _ := s.Get("properties")
		properties = ir.Value{Kind: ir.Object, Fields: slices.Clone(properties.Fields)}
		var needed []string
		for _, b := range branches.Items {
			b = l.merged(l.resolved(b))
			more, _ := b.Get("properties")
			for _, m := range more.Fields {
				if old, ok := properties.Get(m.Name); !ok {
					properties.Fields = append(properties.Fields, m)
				} else if old.String() != m.Value.String() {
					both := ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "anyOf", Value: ir.Value{Kind: ir.Array, Items: []ir.Value{old, m.Value}}}}}
					properties = with(properties, m.Name, both)
				}
			}
			if names := namesOf(b, "required"); len(names) > 0 {
				needed = append(needed, strings.Join(names, " and "))
			}
		}
		s = with(s, "properties", properties)
		if len(needed) > 0 {
			words = append(words, "Give "+map[bool]string{true: "either ", false: ""}[len(needed) > 1]+strings.Join(needed, " or ")+".")
		}
	}
	return s, words
}

// resolved follows references.
func (l *lowerer) resolved(s ir.Value) ir.Value {
	for range 100 {
		ref, ok := s.Get("$ref")
		if !ok {
			return s
		}
		target, found := l.target(ref.Text)
		if !found {
			return ir.Value{Kind: ir.Object}
		}
		s = overlaid(target, without(s, "$ref"))
	}
	return ir.Value{Kind: ir.Object}
}

// target returns what a reference within the input leads to.
func (l *lowerer) target(ref string) (ir.Value, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return ir.Value{}, false
	}
	v := l.whole
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = ir.UnescapePointer(escape.Unescaped(token))
		if v, ok = v.Get(token); !ok {
			return ir.Value{}, false
		}
	}
	return v, true
}

// findRecursive finds the references that lead back to themselves.
func (l *lowerer) findRecursive() {
	uses := map[string][]string{}
	var visit func(v ir.Value, add func(string))
	visit = func(v ir.Value, add func(string)) {
		if ref, ok := v.Get("$ref"); ok && ref.Kind == ir.Text {
			add(ref.Text)
		}
		for _, m := range v.Fields {
			if m.Name != "$defs" && m.Name != "definitions" {
				visit(m.Value, add)
			}
		}
		for _, item := range v.Items {
			visit(item, add)
		}
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
		if target, ok := l.target(ref); ok {
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
