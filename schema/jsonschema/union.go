package jsonschema

import (
	"cmp"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// condition is one thing that a decision has seen of a value on its way to a branch.
type condition struct {
	in    []part // the properties and elements that lead to the value it looks at
	sees  sight
	name  string     // the property; empty for kinds
	tags  []ir.Value // seesTag: the property is one of them; seesValue: the value is
	kinds []ir.Kind  // seesKind: the value is of one of them
	whole *ir.Int    // seesKind: integers that it cannot hold are numbers; nil means that there are none

	low, high int // seesLength: the array has so many elements; a negative high means no end
}

// part leads from a value to one of its parts: a property, or an element.
type part struct {
	name    string
	index   int
	element bool
}

type sight uint8

const (
	seesObject  sight = iota // it is an object
	seesKind                 // it is of a kind
	seesTag                  // its property is one of some values
	seesMember               // it has the property
	seesMissing              // it lacks the property
	seesLength               // it is an array of some length
	seesValue                // it is one of some values
	seesOther                // its property is missing, or none of some values
)

// way is how a decision reaches a branch.
type way struct {
	branch     *ir.Branch
	conditions []condition
}

// union writes one schema a way to a branch: what has been seen of a value on that way, and the branch. Conditions that the
// branch itself implies are left out. Since ways exclude each other, and a decision takes the one that fits and no other, a value fits one of
// these exactly when it fits the branch that the decision picks.
func (e *exporter) union(u *ir.Union) *object {
	ways := waysOf(u)
	if ways == nil && e.Exact {
		return e.addRules(new(object), u.Rules, "") // by context: kept as it is
	}
	var each list
	if ways == nil {
		for _, b := range u.Branches {
			each = append(each, e.describe(e.schema(b.Type), &b.Meta))
		}
	}
	for _, w := range ways {
		each = append(each, e.branch(w))
	}
	if u.Open {
		each = append(each, e.noneOf(ways))
	}
	return e.addRules(with("anyOf", each), u.Rules, "")
}

// waysOf lists the ways of a union, in the order of its branches; none when no decoder can tell them apart.
func waysOf(u *ir.Union) []way {
	var found, ordered []way
	follow(u.Decide, nil, nil, func(w way) { found = join(found, w) })
	for _, b := range u.Branches {
		for _, w := range found {
			if w.branch == b {
				ordered = append(ordered, w)
			}
		}
	}
	return ordered
}

// follow walks a decision. It looks at the object that the properties in lead to.
func follow(d ir.Decision, in []part, seen []condition, reach func(way)) {
	with := func(more ...condition) []condition { return append(slices.Clone(seen), more...) }
	switch d := d.(type) {
	case *ir.Pick:
		reach(way{d.Branch, seen})
	case *ir.ByKind:
		for _, c := range d.Cases {
			kinds := []ir.Kind{c.Kind}
			if c.Kind == ir.Number && !slices.ContainsFunc(d.Cases, func(c ir.KindCase) bool { return c.Kind == ir.Integer }) {
				kinds = []ir.Kind{ir.Integer, ir.Number}
			}
			seen := condition{in: in, sees: seesKind, kinds: kinds}
			if integers := d.Integers(); integers != nil && c.Kind == ir.Number {
				seen.whole = integers.Range
			}
			follow(c.Then, in, with(seen), reach)
		}
	case *ir.ByProperty:
		for _, c := range d.Cases {
			follow(c.Then, in, with(condition{in: in, sees: seesTag, name: d.Property, tags: []ir.Value{c.Tag}}), reach)
		}
		if d.Absent != nil && d.Absent != d.Else {
			follow(d.Absent, in, with(condition{in: in, sees: seesMissing, name: d.Property}), reach)
		}
		if d.Else != nil {
			seen := with(condition{in: in, sees: seesOther, name: d.Property, tags: ir.Each(d.Cases, func(c ir.Case) ir.Value { return c.Tag })})
			if d.Absent != d.Else {
				seen = append(seen, condition{in: in, sees: seesMember, name: d.Property})
			}
			follow(d.Else, in, seen, reach)
		}
	case *ir.ByPresence:
		var lacks []condition
		for _, c := range d.Cases {
			follow(c.Then, in, with(append(slices.Clone(lacks), condition{in: in, sees: seesMember, name: c.Property})...), reach)
			lacks = append(lacks, condition{in: in, sees: seesMissing, name: c.Property})
		}
		if d.Else != nil {
			follow(d.Else, in, with(append(lacks, condition{in: in, sees: seesObject})...), reach)
		}
	case *ir.ByLength:
		for _, c := range d.Cases {
			follow(c.Then, in, with(condition{in: in, sees: seesLength, low: c.Min, high: c.Max}), reach)
		}
	case *ir.ByValue:
		for _, c := range d.Cases {
			follow(c.Then, in, with(condition{in: in, sees: seesValue, tags: []ir.Value{c.Tag}}), reach)
		}
	case *ir.InElement:
		inner := append(slices.Clone(in), part{index: d.Index, element: true})
		follow(d.Decide, inner, with(condition{in: in, sees: seesLength, low: d.Index + 1, high: -1}), reach)
		if d.Absent != nil {
			follow(d.Absent, in, with(condition{in: in, sees: seesLength, high: d.Index}), reach)
		}
	case *ir.InProperty:
		inner := append(slices.Clone(in), part{name: d.Property})
		follow(d.Decide, inner, with(condition{in: in, sees: seesMember, name: d.Property}, condition{in: inner, sees: seesObject}), reach)
		if d.Absent != nil {
			follow(d.Absent, in, with(condition{in: in, sees: seesMissing, name: d.Property}), reach)
		}
	}
}

// join adds a way; one that differs from an earlier one in nothing but the last tag or kind joins it.
func join(all []way, w way) []way {
	n := len(w.conditions) - 1
	if n < 0 {
		return append(all, w)
	}
	last := w.conditions[n]
	for i, earlier := range all {
		if earlier.branch != w.branch || len(earlier.conditions) != n+1 {
			continue
		}
		before := &all[i].conditions[n]
		if before.sees != last.sees || before.name != last.name || !slices.Equal(before.in, last.in) ||
			!slices.EqualFunc(earlier.conditions[:n], w.conditions[:n], equal) {
			continue
		}
		switch last.sees {
		case seesTag, seesValue:
			before.tags = append(slices.Clone(before.tags), last.tags...)
			return all
		case seesKind:
			before.kinds = append(slices.Clone(before.kinds), last.kinds...)
			before.whole = cmp.Or(before.whole, last.whole)
			return all
		}
	}
	return append(all, w)
}

func equal(a, b condition) bool {
	return a.sees == b.sees && a.name == b.name && a.low == b.low && a.high == b.high && a.whole == b.whole && slices.Equal(a.in, b.in) &&
		slices.Equal(a.kinds, b.kinds) &&
		slices.EqualFunc(a.tags, b.tags, sameTag)
}

func sameTag(a, b ir.Value) bool { return a.Equal(&b) }

// branch writes what a value on this way must be.
func (e *exporter) branch(w way) *object {
	s := e.describe(e.schema(w.branch.Type), &w.branch.Meta)
	open := slices.DeleteFunc(slices.Clone(w.conditions), func(c condition) bool { return implies(c, w.branch.Type, nil) })
	if len(open) == 0 {
		return s
	}
	seen := e.schemaOf(open)
	if e.Draft == Draft2020 && s.has("$ref") && !slices.ContainsFunc(seen.members, func(m member) bool { return s.has(m.name) }) {
		s.add(seen)
		return s
	}
	return with("allOf", list{s, seen})
}

// implies reports whether every value of t meets a condition. It says no when it cannot tell.
func implies(c condition, t ir.Type, within []ir.Type) bool {
	if slices.Contains(within, t) {
		return false
	}
	within = append(within, t)
	switch t := t.(type) {
	case *ir.Ref:
		return implies(c, t.Decl.Type, within)
	case *ir.Union:
		if _, raw := t.Decide.(*ir.ByContext); raw || t.Open {
			return false
		}
		return !slices.ContainsFunc(t.Branches, func(b *ir.Branch) bool { return !implies(c, b.Type, within) })
	case *ir.Struct:
		if len(c.in) > 0 {
			f := t.Field(c.in[0].name)
			isElement := c.in[0].element
			c.in = c.in[1:]
			return !isElement && f != nil && !f.Optional && implies(c, f.Type, within)
		}
		return impliedByStruct(c, t)
	}
	if ir.IsArray(t) {
		return impliedByArray(c, t, within)
	}
	if c.sees == seesValue && len(c.in) == 0 {
		return allowsOnly(t, c.tags)
	}
	if len(c.in) > 0 || c.sees > seesKind {
		return false
	}
	switch t.(type) {
	case *ir.Any, *ir.Nullable:
		return false
	}
	kinds := ir.KindsOf(t)
	for kind := ir.Null; kind <= ir.Object; kind++ {
		if kinds.Has(kind) && (c.sees == seesObject && kind != ir.Object || c.sees == seesKind && !slices.Contains(c.kinds, kind)) {
			return false
		}
	}
	return true
}

func impliedByStruct(c condition, s *ir.Struct) bool {
	f := s.Field(c.name)
	switch c.sees {
	case seesObject:
		return true
	case seesKind:
		return slices.Equal(c.kinds, []ir.Kind{ir.Object})
	case seesMember:
		return f != nil && !f.Optional
	case seesMissing:
		return f == nil && s.Additional == ir.AdditionalRejected
	case seesOther:
		return f == nil && s.Additional == ir.AdditionalRejected || f != nil && excludes(f.Type, c.tags)
	}
	return f != nil && !f.Optional && allowsOnly(f.Type, c.tags)
}

// allowsOnly reports whether a type allows no values but some.
func allowsOnly(t ir.Type, tags []ir.Value) bool {
	isTag := func(v ir.Value) bool {
		return slices.ContainsFunc(tags, func(tag ir.Value) bool { return sameTag(tag, v) })
	}
	switch t := t.(type) {
	case *ir.Ref:
		return allowsOnly(t.Decl.Type, tags)
	case *ir.Literal:
		return isTag(t.Value)
	case *ir.Enum:
		return !t.Open && !slices.ContainsFunc(t.Values, func(v ir.EnumValue) bool { return !isTag(v.Value) })
	}
	return false
}

// excludes reports whether a type allows none of some values. It says no when it cannot tell.
func excludes(t ir.Type, tags []ir.Value) bool {
	if ref, ok := t.(*ir.Ref); ok {
		return excludes(ref.Decl.Type, tags)
	}
	kinds := ir.KindsOf(t)
	return !slices.ContainsFunc(tags, func(tag ir.Value) bool { return kinds.Has(tag.Kind) && (!isListed(t) || fixedBy(t, tag)) })
}

// isListed reports whether the values of a type are listed.
func isListed(t ir.Type) bool {
	enum, ok := t.(*ir.Enum)
	_, isConst := t.(*ir.Literal)
	return isConst || ok && !enum.Open
}

// fixedBy reports whether a value is one of those that a type lists.
func fixedBy(t ir.Type, v ir.Value) bool {
	if literal, ok := t.(*ir.Literal); ok {
		return sameTag(literal.Value, v)
	}
	return slices.ContainsFunc(t.(*ir.Enum).Values, func(one ir.EnumValue) bool { return sameTag(one.Value, v) })
}

// noneOf is an object that takes none of the ways: what an open union keeps although it does not know it.
func (e *exporter) noneOf(ways []way) *object {
	s := kindSchema("object")
	var claims list
	for _, w := range ways {
		if slices.ContainsFunc(w.conditions, func(c condition) bool {
			return c.sees == seesKind && !slices.Contains(c.kinds, ir.Object) || c.sees == seesLength && len(c.in) == 0
		}) {
			continue // it takes no object anyway
		}
		claims = append(claims, e.schemaOf(w.conditions))
	}
	switch len(claims) {
	case 0:
	case 1:
		s.set("not", claims[0])
	default:
		s.set("not", with("anyOf", claims))
	}
	return s
}

// schemaOf writes conditions as one schema.
func (e *exporter) schemaOf(conditions []condition) *object {
	s := new(object)
	for _, c := range conditions {
		at := s
		for _, to := range c.in {
			if to.element {
				at = e.element(at, to.index)
			} else {
				at = property(at, to.name)
			}
		}
		c.write(at, e.Exact)
	}
	return s
}

// property is the schema of one property of the objects that s takes.
func property(s *object, name string) *object { return s.object("properties").object(name) }

// write adds a condition to a schema. If exact is set, the range of 64-bit integers is written, see Exact.
func (c condition) write(s *object, exact bool) {
	switch c.sees {
	case seesKind:
		c.writeKinds(s, exact)
		return
	case seesLength:
		s.set("type", text("array"))
		narrowCount(s, "minItems", c.low, c.low > 0, 1)
		narrowCount(s, "maxItems", c.high, c.high >= 0, -1)
		return
	case seesValue:
		c.writeTags(s)
		return
	case seesOther:
		s.set("type", text("object"))
		listed := new(object)
		c.writeTags(listed)
		refuse(property(s, c.name), listed)
		return
	case seesMissing:
		s.set("type", text("object"))
		refuse(s, with("required", list{text(c.name)}))
		return
	}
	s.set("type", text("object"))
	if c.sees == seesObject {
		return
	}
	required, _ := s.get("required").(list)
	if !slices.Contains(required, node(text(c.name))) {
		s.set("required", append(required, text(c.name)))
	}
	if c.sees == seesTag {
		c.writeTags(property(s, c.name))
	}
}

func (c condition) writeTags(s *object) {
	if len(c.tags) == 1 {
		s.set("const", value(c.tags[0]))
		return
	}
	s.set("enum", values(c.tags))
}

func (c condition) writeKinds(s *object, exact bool) {
	integers, numbers := slices.Contains(c.kinds, ir.Integer), slices.Contains(c.kinds, ir.Number)
	var words list
	for _, k := range c.kinds {
		if k == ir.Integer && numbers {
			continue // number says it
		}
		words = append(words, text(k.String()))
	}
	if len(words) == 1 {
		s.set("type", words[0])
	} else {
		s.set("type", words)
	}
	if numbers && !integers {
		integer := kindSchema("integer")
		if t := c.whole; t != nil && (exact || t.Bits != 64 || t.Unsigned) {
			low, high := t.Bounds()
			integer.set("minimum", raw(low))
			integer.set("maximum", raw(high))
		}
		refuse(s, integer)
	}
}

// refuse adds to what a schema does not take.
func refuse(s, what *object) {
	before := s.get("not")
	switch before := before.(type) {
	case nil:
		s.set("not", what)
	case *object:
		if several, ok := before.get("anyOf").(list); ok && len(before.members) == 1 {
			before.set("anyOf", append(several, what))
			return
		}
		s.set("not", with("anyOf", list{before, what}))
	}
}
