package check

import (
	"cmp"
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// union lowers `union`, `anyOf` and `oneOf`.
func (c *typeChecker) union(n *syntax.Node, at ir.At) ir.Type {
	e := c.unionKey(n)
	var branches []*ir.Branch
	tagged := e.Value.Kind == syntax.Mapping && e.Key.Text == "union"
	switch {
	case tagged:
		branches = ir.Each(e.Value.Entries, func(tag syntax.Entry) *ir.Branch { return c.branch(tag.Key, tag.Value) })
	case c.d.sequence(e, "list the types: [A, B]"):
		branches = ir.Each(e.Value.Items, func(item *syntax.Node) *ir.Branch { return c.branch(nil, item) })
	default:
		return c.d.brokenType(at.Pos)
	}
	if len(branches) == 0 {
		c.d.report(diag.InvalidUnion, e.Key.Span, "list the types: [A, B]", "the union has no branches")
		return c.d.brokenType(at.Pos)
	}
	if slices.ContainsFunc(branches, func(b *ir.Branch) bool { return c.d.faulty[b.Type] }) {
		return c.d.brokenType(at.Pos)
	}
	if e.Key.Text != "union" {
		if enum := enumOf(at, branches); enum != nil {
			return enum
		}
	}
	t := c.unions.alternativesBy(at, branches, decisionKeys{span: e.Key.Span, tagged: tagged, by: n.Entry("by"), in: n.Entry("in"), absent: n.Entry("absent")})
	if open := n.Entry("open"); open != nil {
		if u, ok := t.(*ir.Union); ok {
			u.Open = c.d.boolean(*open)
		}
	}
	return t
}

func (c *typeChecker) unionKey(n *syntax.Node) syntax.Entry {
	var found *syntax.Entry
	for _, key := range []string{"union", "anyOf", "oneOf"} {
		e := n.Entry(key)
		if e != nil && found != nil {
			c.d.report(diag.ConflictingKeys, e.Key.Span, "keep one of the two", "%q and %q exclude each other", key, found.Key.Text)
		}
		found = cmp.Or(found, e)
	}
	return *found
}

func (c *typeChecker) branch(tag, n *syntax.Node) *ir.Branch {
	b := &ir.Branch{Type: c.schema(n, branchOf)}
	at := n.Span
	if tag != nil {
		b.Name, at = tag.Text, tag.Span
	}
	b.Meta = c.d.meta(n, at.Pos)
	return b
}

// enumOf makes an enum of `oneOf: [{const: a, description: ...}, ...]`, which is how JSON Schema documents its values.
func enumOf(at ir.At, branches []*ir.Branch) ir.Type {
	enum := &ir.Enum{At: at}
	for _, b := range branches {
		literal, ok := b.Type.(*ir.Literal)
		if !ok || literal.Value.Kind != ir.Text && literal.Value.Kind != ir.Integer {
			return nil
		}
		if len(enum.Values) > 0 && enum.Values[0].Value.Kind != literal.Value.Kind {
			return nil
		}
		enum.Values = append(enum.Values, ir.EnumValue{Meta: b.Meta, Value: literal.Value})
	}
	return enum
}

// decisionKeys is what an author says about how the branches of a union are distinguished.
type decisionKeys struct {
	span   diag.Span // of the union, for messages
	tagged bool      // the branches were given under tags
	within bool      // it looks at the object in a property of each branch
	by     *syntax.Entry
	in     *syntax.Entry
	absent *syntax.Entry
}

// alternatives makes one type of several: `A | B`.
func (c *decider) alternatives(at ir.At, branches []*ir.Branch, span diag.Span) ir.Type {
	if slices.ContainsFunc(branches, func(b *ir.Branch) bool { return c.faulty[b.Type] }) {
		return c.brokenType(at.Pos)
	}
	return c.alternativesBy(at, branches, decisionKeys{span: span})
}

// alternativesBy takes null out, knows `string | integer`, and puts off the decision until all branches are lowered.
func (c *decider) alternativesBy(at ir.At, branches []*ir.Branch, how decisionKeys) ir.Type {
	rest, nullable := withoutNull(branches)
	var t ir.Type
	switch {
	case len(rest) == 0:
		return &ir.Literal{At: at, Value: ir.Value{Pos: at.Pos, Kind: ir.Null, Text: "null"}}
	case len(rest) == 1 && !how.tagged:
		t = rest[0].Type
	case isID(rest) && !how.tagged:
		t = &ir.ID{At: at}
	default:
		u := &ir.Union{At: at, Branches: rest}
		c.settle(func() {
			nameBranches(u)
			c.decide(u, how)
		})
		t = u
	}
	if _, already := t.(*ir.Nullable); already || !nullable {
		return t
	}
	return &ir.Nullable{At: at, Elem: t}
}

// withoutNull takes out the branches that are null, also from within `T | null`.
func withoutNull(branches []*ir.Branch) (rest []*ir.Branch, nullable bool) {
	for _, b := range branches {
		switch t := b.Type.(type) {
		case *ir.Literal:
			if t.Value.Kind == ir.Null {
				nullable = true
				continue
			}
		case *ir.Nullable:
			nullable = true
			b.Type = t.Elem
		}
		rest = append(rest, b)
	}
	return rest, nullable
}

// isID knows `string | integer`, which is how JSON-RPC writes ids: without rules, and without bounds.
func isID(branches []*ir.Branch) bool {
	if len(branches) != 2 {
		return false
	}
	var text, whole bool
	for _, b := range branches {
		switch t := b.Type.(type) {
		case *ir.String:
			text = len(t.Rules) == 0
		case *ir.Int:
			whole = len(t.Rules) == 0 && t.Bits == 64 && !t.Unsigned
		}
	}
	return text && whole
}

// isUnion reports whether t is a union in place.
func isUnion(t ir.Type) bool { _, ok := t.(*ir.Union); return ok }
