package check

import (
	"cmp"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// base is a struct that another takes its fields from.
type base struct {
	ref  *ir.Ref
	from *ir.Struct
}

// inlinedMembers is what the unnamed members of `allOf` add to a struct.
type inlinedMembers struct {
	fields   []*ir.Field
	rules    []ir.Rule
	required []*syntax.Node
}

// bases reads `extends` and `allOf`. A member of allOf is a base when it has a name, and own fields otherwise.
func (c *typeChecker) bases(n *syntax.Node) ([]base, inlinedMembers) {
	var bases []base
	var own inlinedMembers
	if e := n.Entry("extends"); e != nil {
		for _, word := range c.d.words(*e) {
			bases = c.addBase(bases, c.refs.expression(word), word.Span)
		}
	}
	e := n.Entry("allOf")
	if e == nil || !c.d.sequence(*e, "write [{$ref: '#/types/A'}, {properties: ...}]") {
		return bases, own
	}
	c.closedParts(n, e)
	for _, item := range e.Value.Items {
		if item.Kind == syntax.Mapping && item.Get("properties") == nil && item.Get("required") != nil {
			own.required = append(own.required, c.d.words(*item.Entry("required"))...)
			continue
		}
		switch t := c.schema(item, inner).(type) {
		case *ir.Struct:
			own.fields = append(own.fields, t.Fields...)
			own.rules = append(own.rules, t.Rules...)
		default:
			bases = c.addBase(bases, t, item.Span)
		}
	}
	return bases, own
}

// closedParts refuses additionalProperties that does not see the fields of all parts of allOf: JSON Schema compares members with the properties next
// to it alone, and would refuse those of the other parts.
func (c *typeChecker) closedParts(n *syntax.Node, all *syntax.Entry) {
	for _, part := range append([]*syntax.Node{n}, all.Value.Items...) {
		e := part.Entry("additionalProperties")
		if e == nil || e.Value.Kind == syntax.Scalar && e.Value.Text == "true" {
			continue
		}
		c.d.report(diag.ConflictingKeys, e.Key.Span, "write additional next to allOf, which is about the fields of all parts",
			"additionalProperties is about the properties next to it alone, and not about those of other parts of allOf")
	}
}

func (c *typeChecker) addBase(bases []base, t ir.Type, at diag.Span) []base {
	ref, ok := t.(*ir.Ref)
	if !ok {
		if !c.d.faulty[t] {
			c.d.report(diag.NotAnObject, at, "name a type that has fields", "a base must be the name of an object, not %s", ir.Describe(t))
		}
		return bases
	}
	c.refs.asBase[ref] = true
	if s := c.structOf(ref, at); s != nil {
		return append(bases, base{ref, s})
	}
	return bases
}

// longestChain is how many names in a row may stand for each other.
const longestChain = 1000

// structOf follows the names of a base to its fields. A loop of names is nothing, and contain reports it.
func (c *typeChecker) structOf(ref *ir.Ref, at diag.Span) *ir.Struct {
	for range longestChain {
		if ref.Import == nil && ref.Decl.Document == c.doc && !c.lowerBase(ref.Decl, at) {
			return nil
		}
		switch t := ref.Decl.Type.(type) {
		case *ir.Struct:
			return t
		case *ir.Ref:
			ref = t
		default:
			if !c.d.faulty[t] {
				c.d.report(diag.NotAnObject, at, "name a type that has fields", "%q is not an object with fields", ref.Decl.Name)
			}
			return nil
		}
	}
	return nil
}

// lowerBase lowers a base before what extends it.
func (c *typeChecker) lowerBase(base *ir.Decl, at diag.Span) bool {
	d := c.names.types[base.Name]
	if d.state == lowering {
		c.d.collide(diag.ExtendsCycle, at, "a base may not depend on what extends it",
			quote(base.Name)+" extends itself", d.key.Span, "declaration of "+quote(base.Name))
		return false
	}
	c.lower(d)
	return true
}

// flatten gives a struct the fields of its bases, in order, and then its own. A field that is there already keeps its
// place and takes the narrower declaration. What happens to additional members is each struct's own word, not its bases'.
func (c *typeChecker) flatten(s *ir.Struct, bases []base, own []*ir.Field) {
	index := map[string]int{}
	for _, b := range bases {
		s.Extends = append(s.Extends, b.ref.Decl)
		if c.copied += len(b.from.Fields); c.copied > mostCopied {
			c.d.report(diag.TooLarge, point(b.ref.Pos, 1), "extend smaller bases", "the bases of this file add up to more than %d fields", mostCopied)
			return
		}
		for _, f := range b.from.Fields {
			c.place(s, index, inheritField(f, b.ref))
		}
		for _, r := range inheritedRules(b.from) {
			if !slices.Contains(s.Rules, r) {
				s.Rules = append(s.Rules, r)
			}
		}
	}
	for _, f := range own {
		c.place(s, index, f)
	}
}

// inheritField copies a field of a base. From names the type that declares it, however long the chain.
func inheritField(f *ir.Field, from *ir.Ref) *ir.Field {
	taken := *f
	taken.From = cmp.Or(taken.From, from.Decl)
	if from.Import != nil {
		taken.Type = rebase(f.Type, from.Import)
	}
	return &taken
}

func inheritedRules(s *ir.Struct) []ir.Rule {
	return slices.DeleteFunc(slices.Clone(s.Rules), func(r ir.Rule) bool {
		_, count := r.(*ir.Count) // it counts the members of the base
		return count
	})
}

func (c *typeChecker) place(s *ir.Struct, index map[string]int, f *ir.Field) {
	i, there := index[f.Name]
	if !there {
		index[f.Name] = len(s.Fields)
		s.Fields = append(s.Fields, f)
		return
	}
	before := s.Fields[i]
	if f.From != nil && before.From == f.From {
		return // one declaration, come two ways
	}
	s.Fields[i] = f
	c.d.settle(func() { c.narrowing(f, before) })
}

// narrowing reports a field that allows what the field of its base does not. Of two bases, either may be the narrower.
func (c *typeChecker) narrowing(f, before *ir.Field) {
	reason := narrows(f, before)
	if reason == "" {
		return
	}
	if f.From != nil && narrows(before, f) == "" {
		*f = *before
		return
	}
	of := "an own field"
	if before.From != nil {
		of = quote(before.From.Name)
	}
	c.d.collide(diag.FieldConflict, point(f.Pos, len(f.Name)), "allow no more than the base does, or choose another name",
		"the field "+quote(f.Name)+" of "+of+" is redeclared as something else: "+reason, point(before.Pos,
			len(before.Name)), "other declaration of "+quote(f.Name))
}
