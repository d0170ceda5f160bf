package convert

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// bundle is a schema in which all that it refers to stands at its own root.
type bundle struct {
	c       *Converter
	root    string            // the pointer of the schema
	names   map[string]string // scopes and pointers of definitions to their names
	given   map[string]bool   // those names
	unnamed int               // names that were made
	queue   []definition      // those that are not written yet
	start   source.Scope      // of the schema
	scope   source.Scope      // of what is being written
	left    int               // values that may still be written

	loose  bool         // a pattern is left out: oneOf becomes anyOf, which takes what it takes and more
	strict int          // how many keywords around it take less where what lies in them takes more
	refers bool         // a reference stands in such a keyword
	unfit  string       // why a pattern cannot be left out; empty if it can
	out    []badPattern // patterns that are left out
	looser string       // why a definition takes more than it did
	cut    int          // definitions that are left out
	part   bool         // those that are too large are left out
}

// definition is a schema that another one refers to, in the scope in which it does.
type definition struct {
	source.Cursor
	scope source.Scope
}

// badPattern is a pattern that Go cannot match.
type badPattern struct{ Pointer, Reason string }

// tooManyParts is why a schema is not checked that is too large, or one too many.
const tooManyParts = "it has too many parts"

// bundleSchema returns a schema with all that it refers to, in draft 2020-12 and without words, or why there is none. Root is its pointer, or "\x00" for a
// part, to which nothing refers. It leaves out, and reports, patterns that Go cannot match, where the schema then takes all that it took before.
func (c *Converter) bundleSchema(s source.Cursor, root string) (v ir.Value, reason string) {
	if !leadSomewhere(c, s) {
		return s.Value, "a reference in it leads nowhere"
	}
	b := &bundle{c: c, root: root, names: map[string]string{}, given: map[string]bool{}, left: MostKept}
	if v, reason = b.write(s); len(b.out) == 0 || reason != "" {
		return v, reason
	}
	if b.unfit != "" {
		return v, b.unfit
	}
	b = &bundle{c: c, root: root, names: map[string]string{}, given: map[string]bool{}, left: MostKept, loose: true}
	if v, reason = b.write(s); reason == "" && b.unfit != "" {
		return v, b.unfit
	}
	if reason == "" && !slices.ContainsFunc(v.Fields, func(m ir.Member) bool { return m.Name != "type" }) {
		return v, b.out[0].Reason // nothing else is checked
	}
	if reason == "" {
		for _, l := range b.out {
			c.Report.Weaken(l.Pointer, l.Reason)
		}
	}
	return v, reason
}

// leadSomewhere finds the references in a schema that cannot be followed, as faults. It reports whether there are none.
func leadSomewhere(c *Converter, s source.Cursor) bool {
	all := true
	jsonschema.Walk(s.Value, func(p *jsonschema.Place) bool {
		at := source.Cursor{Value: p.Value, Pointer: s.Pointer + p.Pointer(), Index: s.Index}
		if at.Has("$ref") {
			_, ok := c.Resolve(at)
			if all = all && ok; c.Resolver.OnlyRef {
				return false // nothing next to it counts
			}
		}
		if fault := c.Resolver.Nowhere(at); fault != nil {
			c.Fault(source.Cursor{Value: ir.Value{Pos: fault.Pos}, Pointer: fault.Pointer}, "", "%s", fault.Message)
			all = false
		}
		return true
	})
	return all
}

// mostPartial is how many values a schema may have that checks a part of what it refers to.
const mostPartial = 600

// checkedInPart returns a schema that takes what s takes, and more where definitions do not fit into it; how many it has and how many take every value.
func checkedInPart(c *Converter, s source.Cursor) (v ir.Value, has, lacks int, ok bool) {
	b := &bundle{c: c, root: s.Pointer, names: map[string]string{}, given: map[string]bool{}, left: mostPartial, loose: true, part: true}
	if SizeOf(s.Value, mostPartial) == mostPartial {
		return v, 0, 0, false
	}
	v, reason := b.write(s)
	return v, len(b.names) - b.cut, b.cut, reason == "" && b.unfit == ""
}

// write writes a schema and what it refers to.
func (b *bundle) write(s source.Cursor) (v ir.Value, reason string) {
	c := b.c
	b.start = c.Resolver.References().Enter(b.start, s)
	b.scope = b.start
	v, reason = b.schema(s)
	if len(b.queue) > 0 {
		b.left = min(b.left, c.Resolver.Work.Copies(b.part))
	}
	before := b.left
	var defs []ir.Member
	b.looser = ""
	for len(b.queue) > 0 && reason == "" {
		next := b.queue[0]
		b.queue = b.queue[1:]
		var d ir.Value
		if b.part && 2*SizeOf(next.Value, b.left) >= b.left { // a keyword counts twice: by its name and by its value
			d, b.cut, b.looser = ir.Value{Kind: ir.Boolean, Text: "true"}, b.cut+1, tooManyParts
		} else {
			b.scope = next.scope
			d, reason = b.schema(next.Cursor)
		}
		defs = append(defs, ir.Member{Name: b.names[next.scope.Key+next.Pointer], Value: d})
	}
	if b.refers && b.looser != "" {
		b.unfit = b.looser
	}
	if len(defs) > 0 {
		v.Fields = append(v.Fields, ir.Member{Name: "$defs", Value: ir.Value{Kind: ir.Object, Fields: defs}})
	}
	switch {
	case b.left < 0:
		reason = tooManyParts
	case reason == "" && isDeep(v, deepestKept):
		reason = fmt.Sprintf("it is nested deeper than %d levels", deepestKept)
	}
	c.Resolver.Work.May(source.OfValue * (before - max(b.left, 0)))
	return v, reason
}

func (b *bundle) schema(s source.Cursor) (v ir.Value, reason string) {
	if s.Kind != ir.Object {
		return s.Value, ""
	}
	if b.left -= len(s.Fields) + 1; b.left < 0 {
		return v, ""
	}
	if s.Has(b.c.Resolver.References().ID) {
		defer func(around source.Scope) { b.scope = around }(b.scope)
		b.scope = b.c.Resolver.References().Enter(b.scope, s)
	}
	if b.c.Resolver.OnlyRef && s.Has("$ref") {
		ref, _ := s.Get("$ref")
		s.Fields = []ir.Member{{Name: "$ref", Value: ref.Value}} // nothing else counts
	}
	v = ir.Value{Pos: s.Pos, Kind: ir.Object}
	var parts []ir.Value
	for _, k := range s.Members() {
		if !slices.Contains(source.Checks, k.Name) {
			continue
		}
		if all, ok := lookaheads(k.Text); ok && k.Name == "pattern" {
			parts = all
			b.left -= len(all)
			continue
		}
		if k.Name == "pattern" && k.Kind == ir.Text {
			if _, err := regexp.Compile(k.Text); err != nil {
				b.leaveOut(s, k.Text)
				continue
			}
		}
		if reason := b.keyword(&v, s, k); reason != "" {
			return v, reason
		}
	}
	return withConjuncts(v, parts), ""
}

func (b *bundle) keyword(v *ir.Value, s source.Cursor, k source.Member) string {
	add := func(name string, value ir.Value) { v.Fields = append(v.Fields, ir.Member{Name: name, Value: value}) }
	each := func(name string, reason string, value ir.Value) string {
		add(name, value)
		return reason
	}
	if k.Name == "not" || k.Name == "if" || k.Name == "contains" && s.Has("maxContains") {
		b.strict++
		defer func() { b.strict-- }()
	}
	switch holds := jsonschema.KeywordOf(k.Name).Holds; {
	case k.Name == "$ref" || k.Name == "$dynamicRef":
		b.refers = b.refers || b.strict > 0
		ref, reason := b.reference(s, k)
		return each("$ref", reason, ref)
	case k.Name == "$recursiveRef":
		return k.Name + " is not followed"
	case k.Name == "dependencies":
		required, schemas := jsonschema.Dependencies(k.Value)
		k.Value = schemas.Value
		inner, reason := b.each(k.Cursor)
		add(required.Name, required.Value)
		return each(schemas.Name, reason, inner)
	case k.Name == "anyOf" || k.Name == "oneOf":
		keyword, list, reason := b.alternatives(s, k)
		if b.loose && keyword == "oneOf" && !s.Has("anyOf") && b.strict == 0 {
			keyword, b.looser = "anyOf", "oneOf is read as anyOf"
		}
		return each(keyword, reason, list)
	case k.Name == "items" && k.Kind == ir.Array: // draft-07
		list, reason := b.list(k.Cursor)
		return each("prefixItems", reason, list)
	case k.Name == "additionalItems":
		if items, _ := s.Get("items"); items.Kind != ir.Array {
			return ""
		}
		inner, reason := b.schema(k.Cursor)
		return each("items", reason, inner)
	case holds == jsonschema.List:
		list, reason := b.list(k.Cursor)
		return each(k.Name, reason, list)
	case holds == jsonschema.Map:
		all, reason := b.each(k.Cursor)
		for i := 0; i < len(all.Fields) && k.Name == "patternProperties"; i++ {
			if name := jsonschema.RE2(all.Fields[i].Name); !(source.Cursor{Value: all}).Has(name) { // two may be one in RE2
				all.Fields[i].Name = name
			}
		}
		return each(k.Name, reason, all)
	case holds > jsonschema.Data:
		if b.part && strings.HasPrefix(k.Name, "unevaluated") { // it depends on what the definitions say that are left out
			b.loosen(k.Name + " is left out")
			return ""
		}
		inner, reason := b.schema(k.Cursor)
		return each(k.Name, reason, inner)
	}
	b.left -= SizeOf(k.Value, b.left+1)
	add(k.Name, k.Value)
	return ""
}

// leaveOut notes that a pattern is left out.
func (b *bundle) leaveOut(s source.Cursor, pattern string) {
	b.out = append(b.out, badPattern{s.Pointer, "the pattern " + source.Quote(pattern) + " is not checked: it is not RE2"})
	b.loosen(b.out[len(b.out)-1].Reason)
}

// loosen notes that a schema takes more than it did, which it may not where what is around it then takes less.
func (b *bundle) loosen(reason string) {
	b.looser = reason
	if b.strict > 0 {
		b.unfit = reason
	}
}

func (b *bundle) list(s source.Cursor) (v ir.Value, reason string) {
	v = ir.Value{Pos: s.Pos, Kind: ir.Array}
	for _, item := range s.Elements() {
		inner, reason := b.schema(item)
		if reason != "" {
			return v, reason
		}
		v.Items = append(v.Items, inner)
	}
	return v, ""
}

func (b *bundle) each(s source.Cursor) (v ir.Value, reason string) {
	v = ir.Value{Pos: s.Pos, Kind: ir.Object}
	for _, m := range s.Members() {
		inner, reason := b.schema(m.Cursor)
		if len(strconv.Quote(m.Name)) > longestKey {
			reason = fmt.Sprintf("a key of it has more than %d bytes", longestKey)
		}
		if reason != "" {
			return v, reason
		}
		v.Fields = append(v.Fields, ir.Member{Name: m.Name, Value: inner})
	}
	return v, ""
}

// reference names what a reference leads to.
func (b *bundle) reference(s source.Cursor, k source.Member) (v ir.Value, reason string) {
	target, ok := source.Cursor{}, false
	if k.Name == "$ref" {
		target, reason, _ = b.c.Resolver.RefersTo(s)
		ok = reason == ""
	} else {
		target, ok = b.c.Resolver.References().DynamicTarget(s, k.Text, b.scope)
	}
	if !ok {
		return v, fmt.Sprintf("%s %s is not followed", k.Name, source.Quote(k.Text))
	}
	to, scope := "#", b.c.Resolver.References().Enter(b.scope, target)
	if target.Pointer != b.root || scope.Key != b.start.Key {
		to = "#/$defs/" + b.nameFor(definition{target, scope})
	}
	return ir.Value{Pos: k.Pos, Kind: ir.Text, Text: to}, ""
}

// nameFor is the name of a definition in the bundle.
func (b *bundle) nameFor(target definition) string {
	key := target.scope.Key + target.Pointer
	if name, ok := b.names[key]; ok {
		return name
	}
	name := b.c.Names[target.Pointer]
	for name == "" || b.given[name] {
		b.unnamed++
		name = "S" + strconv.Itoa(b.unnamed)
	}
	b.names[key], b.given[name] = name, true
	b.queue = append(b.queue, target)
	return name
}
