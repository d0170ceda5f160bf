package check

import (
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

func (c *methodChecker) params(m *ir.Method, e syntax.Entry) {
	if m.Params != nil {
		c.d.report(diag.ConflictingKeys, e.Key.Span, "keep one of the two", "params and params? exclude each other")
		return
	}
	m.Params, m.ParamsOptional = c.types.payload(e), e.Key.Text == "params?"
	c.d.settle(func() {
		if ir.KindsOf(m.Params)&^ir.KindSet(ir.Array, ir.Object) != 0 && !ir.Is[*ir.Any](m.Params) {
			c.d.report(diag.InvalidParams, valueSpan(e), "name an object or a list; write params? where they may be left out",
				"JSON-RPC carries params as an object or an array, not as %s", kindWord(m.Params))
		}
	})
}

// positionalAllowed refuses arrays where the protocol has none.
func (c *methodChecker) positionalAllowed(by ir.ParamsBy, e syntax.Entry) {
	if by == ir.ByPosition && !c.doc.Protocol.Positional {
		c.d.report(diag.ConflictingKeys, e.Value.Span, "remove positional: false from protocol, or write name", "the protocol allows no params by position")
	}
}

// paramsBy decides in which structure params are sent: as the method says, or as the protocol does where that is possible.
func (c *methodChecker) paramsBy(m *ir.Method, e syntax.Entry) {
	m.ParamsBy = ir.ParamsBy(c.d.choice(e, grammar.Method().Value("paramsBy")))
	c.d.settle(func() {
		c.positionalAllowed(m.ParamsBy, e)
		if reason := structureFault(m, m.ParamsBy); reason != "" {
			c.d.report(diag.InvalidParams, e.Value.Span, "remove paramsBy", "%s", reason)
		}
	})
}

// structure gives methods that say nothing of it the structure of the protocol.
func (c *methodChecker) structure() {
	for _, m := range c.doc.Methods {
		if by := c.doc.Protocol.ParamsBy; !m.Key("paramsBy").Valid() && structureFault(m, by) == "" {
			m.ParamsBy = by
		}
	}
}

// structureFault says why params cannot be sent in a structure; empty if they can.
func structureFault(m *ir.Method, by ir.ParamsBy) string {
	if by == ir.ByEither {
		return ""
	}
	if m.Params == nil {
		return "there are no params"
	}
	t := ir.Underlying(m.Params)
	s, object := t.(*ir.Struct)
	switch {
	case object && by == ir.ByPosition && s.Additional == ir.AdditionalKept:
		return "members without a name in the schema have no position"
	case ir.IsArray(t) && by == ir.ByName:
		return "the params are a list, and have no names"
	case !object && !ir.IsArray(t) && by == ir.ByPosition:
		return "only fields, lists and tuples have positions, and the params are " + kindWord(m.Params)
	}
	return ""
}
