package check

import (
	"strconv"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// enum lowers `enum`: a list of values, or a mapping from value to what is said about it.
func (c *valueChecker) enum(n *syntax.Node, at ir.At, base ir.Type) ir.Type {
	e := n.Entry("enum")
	t := &ir.Enum{At: at}
	if open := n.Entry("open"); open != nil {
		t.Open = c.boolean(*open)
	}
	entries := c.enumEntries(*e)
	if len(entries) == 0 {
		return c.brokenType(at.Pos)
	}
	kind, ok := c.enumKind(n, base, entries)
	if !ok {
		return c.brokenType(at.Pos)
	}
	seen := make(map[string]*syntax.Node, len(entries))
	t.Values = make([]ir.EnumValue, 0, len(entries))
	for _, entry := range entries {
		c.enumValue(t, kind, entry, seen)
	}
	return t
}

// enumEntries gives a list the form of a mapping whose values say nothing.
func (c *valueChecker) enumEntries(e syntax.Entry) []syntax.Entry {
	entries := e.Value.Entries
	switch {
	case e.Value.Kind == syntax.Scalar:
		c.report(diag.WrongKind, e.Key.Span, "write [a, b]", "enum must be a list or a mapping, not %s", describe(e.Value))
		return nil
	case e.Value.Kind == syntax.Sequence:
		for _, item := range e.Value.Items {
			if item.Kind != syntax.Scalar || item.IsEmpty() {
				c.report(diag.InvalidEnum, item.Span, "write text or whole numbers", "an enum value must be a scalar, not %s", describe(item))
				return nil
			}
			entries = append(entries, syntax.Entry{Key: item, Value: &syntax.Node{Span: item.Span}})
		}
	}
	if len(entries) == 0 {
		c.report(diag.InvalidEnum, e.Key.Span, "write at least one value", "the enum is empty")
	}
	return entries
}

// enumKind says whether the values are text or integers. Plain numbers are integers when all values are, or when the type
// says so; what could be either is not guessed.
func (c *valueChecker) enumKind(n *syntax.Node, base ir.Type, entries []syntax.Entry) (ir.Kind, bool) {
	switch base := base.(type) {
	case *ir.String:
		return ir.Text, len(base.Rules) == 0 || c.enumBase(n)
	case *ir.Int:
		return ir.Integer, true
	case nil:
	default:
		return ir.Text, c.enumBase(n)
	}
	integers := 0
	for _, e := range entries {
		switch e.Key.JSON() {
		case ir.Integer:
			integers++
		case ir.Null:
			c.report(diag.InvalidEnum, e.Key.Span, "name the enum under types and write Name | null", "null is not an enum value")
			return ir.Text, false
		case ir.Boolean:
			c.report(diag.InvalidEnum, e.Key.Span, "quote it, or say type: string", "%s is not an enum value", e.Key.Text)
			return ir.Text, false
		}
	}
	switch integers {
	case 0:
		return ir.Text, true
	case len(entries):
		return ir.Integer, true
	}
	c.report(diag.InvalidEnum, n.Entry("enum").Key.Span, "say type: string, or quote the numbers", "the enum mixes text and integers")
	return ir.Text, false
}

func (c *valueChecker) enumBase(n *syntax.Node) bool {
	c.report(diag.ConflictingKeys, valueSpan(*n.Entry("type")), "say type: string or type: integer, or remove type", "an enum lists strings or integers")
	return false
}

func (c *valueChecker) enumValue(t *ir.Enum, kind ir.Kind, e syntax.Entry, seen map[string]*syntax.Node) {
	v := ir.EnumValue{Meta: c.enumMeta(e), Value: ir.Value{Pos: e.Key.Span.Pos, Kind: kind, Text: e.Key.Text}}
	if kind == ir.Integer {
		whole, ok := wholeNumber(e.Key)
		if !ok {
			c.report(diag.InvalidEnum, e.Key.Span, "write a whole number", "%q is not an integer", e.Key.Text)
			return
		}
		v.Value.Text = strconv.Itoa(whole)
	}
	if first := seen[v.Value.Text]; first != nil {
		c.collide(diag.DuplicateEnum, e.Key.Span, "remove one of the two",
			"the value "+quote(e.Key.Text)+" is already there", first.Span, "other "+quote(e.Key.Text))
		return
	}
	seen[v.Value.Text] = e.Key
	t.Values = append(t.Values, v)
}

// enumMeta reads what a mapping says about a value: nothing, a description, or {description, deprecated, go}.
func (c *valueChecker) enumMeta(e syntax.Entry) ir.Meta {
	pos := e.Key.Span.Pos
	switch {
	case e.Value.IsEmpty():
		return ir.Meta{Pos: pos}
	case e.Value.Kind == syntax.Mapping:
		c.keys(e.Value, "an enum value", grammar.Schema(grammar.Inner).Value("enum").Each)
		return c.meta(e.Value, pos)
	}
	return ir.Meta{Pos: pos, Doc: c.text(e)}
}
