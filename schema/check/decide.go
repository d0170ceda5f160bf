package check

import (
	"cmp"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// decider finds what tells the branches of a union apart.
type decider struct{ *draft }

// leaf is a shape that a value of a union may have. A branch that is itself a union has several: they take part in the
// outer decision, and picking any of them picks the branch.
type leaf struct {
	branch *ir.Branch
	shape  ir.Type // neither a name nor a union
	name   string  // for messages
}

// leavesOf returns the shapes of all branches, and no more than can be handled.
func leavesOf(t ir.Type) []leaf {
	var found []leaf
	for _, b := range ir.Branches(t) {
		found = leavesIn(found, b, b.Type)
	}
	return found
}

// leavesIn adds the shapes of a type that belongs to a branch.
func leavesIn(found []leaf, b *ir.Branch, t ir.Type) []leaf {
	shape := ir.Underlying(t)
	switch inner := shape.(type) {
	case *ir.Nullable:
		found = append(found, leaf{b, &ir.Literal{At: inner.At, Value: ir.Value{Kind: ir.Null, Text: "null"}}, "null"})
		return leavesIn(found, b, inner.Elem)
	case *ir.Union:
		for _, i := range inner.Branches {
			if len(found) <= grammar.MostBranches {
				found = leavesIn(found, b, i.Type)
			}
		}
		return found
	}
	return append(found, leaf{b, shape, ir.Describe(t)})
}

// decide fills in how the branches of a union are told apart, as the author says or as they differ.
func (c *decider) decide(u *ir.Union, how decisionKeys) {
	if slices.ContainsFunc(u.Branches, func(b *ir.Branch) bool { return c.faulty[ir.Underlying(b.Type)] }) {
		u.Decide = &ir.ByContext{} // the branch has a fault of its own
		return
	}
	all := leavesOf(u)
	if len(all) > grammar.MostBranches {
		c.report(diag.TooLarge, how.span, "decide smaller unions", "the union has more than %d branches", grammar.MostBranches)
		return
	}
	if how.in != nil {
		c.decideWithin(u, how, all)
		return
	}
	u.Decide = c.decideBy(u, how, all)
}

// decideBy decides among leaves by what the author named.
func (c *decider) decideBy(u *ir.Union, how decisionKeys, all []leaf) ir.Decision {
	by := c.byWord(how, all)
	switch {
	case by.word == "context":
		return &ir.ByContext{}
	case by.word == "presence" && how.tagged:
		return c.byPresenceTags(u, how, all)
	case by.word == "kind" && how.tagged:
		return c.byKindTags(u, how)
	case by.word == "presence":
		return c.inferDecision(how, all, presenceOnly)
	case by.word == "kind":
		return c.inferDecision(how, all, kindOnly)
	case by.property == "":
		return c.inferredOrTagged(u, how, all)
	case how.tagged:
		return c.byPropertyTags(u, how, by.property, all)
	}
	return c.byProperty(how, by.property, all)
}

// discriminator is what `by` says: one of the three words, or a property.
type discriminator struct {
	word, property string
}

// byWord reads `by`. The words give way to a property of that name that every branch fixes; {property: kind} says so outright.
func (c *decider) byWord(how decisionKeys, all []leaf) discriminator {
	if how.by == nil {
		return discriminator{}
	}
	if how.by.Value.Kind == syntax.Mapping {
		c.keys(how.by.Value, "by", grammar.Schema(grammar.Inner).Value("by"))
		if e := how.by.Value.Entry("property"); e != nil {
			return discriminator{property: c.text(*e)}
		}
		return discriminator{}
	}
	word := c.text(*how.by)
	if slices.Contains([]string{"presence", "kind", "context"}, word) {
		if tags, _ := tagProperty(all, word); tags == nil {
			return discriminator{word: word}
		}
	}
	return discriminator{property: word}
}

// decideWithin decides by the object that lies in one property of every branch.
func (c *decider) decideWithin(u *ir.Union, how decisionKeys, all []leaf) {
	property := c.text(*how.in)
	inside, missing := within(all, property)
	if missing != nil {
		c.report(diag.InvalidUnion, valueSpan(*how.in), "in names a property that holds an object in every branch", "branch %q has no object in %q",
			missing.name, property)
		return
	}
	in := &ir.InProperty{Property: property}
	how.in, how.within = nil, true
	in.Decide = c.decideBy(u, how, inside)
	u.Decide = in
}

// within replaces each leaf by the object in one of its properties.
func within(all []leaf, property string) (inside []leaf, missing *leaf) {
	for i, l := range all {
		s, ok := l.shape.(*ir.Struct)
		if !ok {
			return nil, &all[i]
		}
		f := s.Field(property)
		if f == nil || f.Optional {
			return nil, &all[i]
		}
		shape, ok := ir.Underlying(f.Type).(*ir.Struct)
		if !ok {
			return nil, &all[i]
		}
		inside = append(inside, leaf{l.branch, shape, l.name})
	}
	return inside, nil
}

// inferredOrTagged decides without `by`: from the shapes, or by the one property that takes the given tags.
func (c *decider) inferredOrTagged(u *ir.Union, how decisionKeys, all []leaf) ir.Decision {
	if !how.tagged {
		return c.inferDecision(how, all, anyWay)
	}
	if how.absent == nil {
		if d, _ := new(inference).infer(all, anyWay, 0); d != nil && !isPresence(d) {
			return d
		}
	}
	for _, property := range constProperties(all) {
		return c.byPropertyTags(u, how, property, all)
	}
	c.report(diag.InvalidUnion, how.span, "add by: and the property that holds the tag, or by: presence",
		"the union has tags and does not say what they are values of")
	return nil
}

func isPresence(d ir.Decision) bool { _, ok := d.(*ir.ByPresence); return ok }

// inferDecision decides by the shapes alone, or reports the two branches that cannot be told apart.
func (c *decider) inferDecision(how decisionKeys, all []leaf, way way) ir.Decision {
	d, clash := new(inference).infer(all, way, 0)
	if clash == nil {
		return c.withAbsent(how, d)
	}
	c.undecidable(how, *clash)
	return nil
}

func (c *decider) undecidable(how decisionKeys, clash clash) {
	at := how.span
	if how.by != nil {
		at = valueSpan(*how.by)
	}
	help := "give each a constant property of its own value, or a required property that the other lacks"
	if ir.KindsOf(clash.a.shape)&ir.KindsOf(clash.b.shape) == ir.KindSet(ir.Array) {
		help = "let them have other numbers of elements, or an element of another kind at some place"
	}
	c.add(diag.Diagnostic{Code: diag.UndecidableUnion, Span: at,
		Help:    help,
		Message: "branches " + quote(clash.a.name) + " and " + quote(clash.b.name) + " cannot be told apart: " + commonWords(clash.a.shape, clash.b.shape),
		Related: []diag.Related{
			{Span: point(clash.a.branch.Pos, 1), Message: "branch " + quote(clash.a.name)},
			{Span: point(clash.b.branch.Pos, 1), Message: "branch " + quote(clash.b.name)}}})
}

// commonWords says what two shapes have in common.
func commonWords(a, b ir.Type) string {
	first, ok := a.(*ir.Struct)
	second, also := b.(*ir.Struct)
	if !ok || !also {
		return sharedKinds(ir.KindsOf(a) & ir.KindsOf(b))
	}
	both := ir.Where(first.Fields, func(f *ir.Field) bool { return second.Field(f.Name) != nil })
	names := ir.Each(both, func(f *ir.Field) string { return quote(f.Name) })
	switch len(names) {
	case 0:
		return "neither requires a property that the other lacks"
	case 1:
		return "both have " + names[0] + ", and nothing that differs is required"
	}
	return "both have " + orList(names[:min(5, len(names))]) + ", and nothing that differs is required"
}

// sharedKinds says that two shapes have kinds of values in common. That both may be null says the least.
func sharedKinds(k ir.Kinds) string {
	if k == ir.EveryKind {
		return "neither says what kind of value it is"
	}
	if rest := k &^ ir.KindSet(ir.Null); rest != 0 {
		k = rest
	}
	return "both may be " + firstKind(k)
}

func firstKind(k ir.Kinds) string {
	words := []string{"null", "a boolean", "an integer", "a number", "a string", "an array", "an object"}
	for kind := ir.Null; kind <= ir.Object; kind++ {
		if k.Has(kind) {
			return words[kind]
		}
	}
	return "anything"
}

// withAbsent adds the author's `absent` to an inferred decision by property.
func (c *decider) withAbsent(how decisionKeys, d ir.Decision) ir.Decision {
	if how.absent == nil {
		return d
	}
	by, ok := d.(*ir.ByProperty)
	if !ok {
		c.report(diag.AbsentNoTag, how.absent.Key.Span, "absent belongs to a union by property", "this union is not decided by a property")
		return d
	}
	c.absentCase(how, by)
	return by
}

// absentCase finds the tag that `absent` names.
func (c *decider) absentCase(how decisionKeys, by *ir.ByProperty) {
	if how.absent == nil {
		return
	}
	tag := c.text(*how.absent)
	var tags []string
	for _, one := range by.Cases {
		if one.Tag.Text == tag {
			by.Absent = one.Then
			return
		}
		tags = append(tags, one.Tag.Text)
	}
	help := cmp.Or(c.suggest(tag, func() []string { return tags }), "the tags are "+orList(tags))
	c.report(diag.AbsentNoTag, valueSpan(*how.absent), help, "absent names %q, which is not a tag of this union", tag)
}
