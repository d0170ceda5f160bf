package check

import (
	"cmp"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// valueChecker lowers values: constants, enums, defaults, examples.
type valueChecker struct{ *draft }

// value reads any JSON value, each scalar as JSON would.
func (c *reader) value(n *syntax.Node) ir.Value { return c.valueOf(n, &ir.Any{}) }

// valueOf reads a value of a type: where text is expected, a plain scalar is its source text, whatever YAML thinks of it.
func (c *reader) valueOf(n *syntax.Node, t ir.Type) ir.Value {
	t = ir.Underlying(t)
	if null, ok := t.(*ir.Nullable); ok {
		t = ir.Underlying(null.Elem)
	}
	v := ir.Value{Pos: n.Span.Pos}
	switch n.Kind {
	case syntax.Scalar:
		v.Kind, v.Text = n.JSON(), n.Text
		if v.Kind != ir.Null && wantsText(t, v.Kind) {
			v.Kind = ir.Text
		}
		if v.Kind == ir.Null {
			v.Text = "null"
		}
	case syntax.Sequence:
		v.Kind = ir.Array
		for i, item := range n.Items {
			of := cmp.Or[ir.Type](ir.ElementAt(t, i), &ir.Any{})
			v.Items = append(v.Items, c.valueOf(item, of))
		}
	case syntax.Mapping:
		v.Kind = ir.Object
		for _, e := range n.Entries {
			v.Fields = append(v.Fields, ir.Member{Name: e.Key.Text, Value: c.valueOf(e.Value, ir.MemberType(t, e.Key.Text))})
		}
	}
	return v
}

// wantsText reports whether a scalar of a kind is meant as text: the type takes text, and not that kind.
func wantsText(t ir.Type, kind ir.Kind) bool {
	accepts := ir.KindsOf(t)
	return accepts.Has(ir.Text) && !accepts.Has(kind)
}

// fits reports a value that its own type does not allow.
func (c *valueChecker) fits(code diag.Code, n *syntax.Node, t ir.Type, v ir.Value) bool {
	faults := judge.Judge(t, v)
	if len(faults) == 0 {
		return true
	}
	where := ""
	if faults[0].Pointer != "" {
		where = " at " + faults[0].Pointer
	}
	words := map[diag.Code]string{diag.InvalidDefault: "default", diag.InvalidConst: "const", diag.InvalidExample: "example"}
	c.report(code, n.Span, faults[0].Message+where, "the %s does not fit its own type", words[code])
	return false
}

// examples reads `examples` of a type, once the type can be asked.
func (c *valueChecker) examples(n *syntax.Node, of func() ir.Type) []ir.Value {
	e := n.Entry("examples")
	if e == nil || !c.sequence(*e, "write [value, value]") {
		return nil
	}
	values := make([]ir.Value, len(e.Value.Items))
	c.settle(func() {
		for i, item := range e.Value.Items {
			values[i] = c.valueOf(item, of())
			c.fits(diag.InvalidExample, item, of(), values[i])
		}
	})
	return values
}

// constant lowers `const`: one scalar.
func (c *valueChecker) constant(n *syntax.Node, at ir.At, base ir.Type) ir.Type {
	e := n.Entry("const")
	if e.Value.Kind != syntax.Scalar || e.Value.IsEmpty() {
		c.report(diag.InvalidConst, valueSpan(*e), "write text, a number, true or false", "const must be a scalar, not %s", describe(e.Value))
		return c.brokenType(at.Pos)
	}
	literal := &ir.Literal{At: at, Value: c.value(e.Value)}
	if base != nil {
		literal.Value = c.valueOf(e.Value, base)
		c.settle(func() { c.fits(diag.InvalidConst, e.Value, base, literal.Value) })
	}
	return literal
}
