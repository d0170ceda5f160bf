package check

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// progress reads which notification reports the progress of requests.
func (c *checker) progress(e syntax.Entry) {
	if !c.d.mapping(e, "write method: $/progress and param: workDoneToken below it") {
		return
	}
	c.d.keys(e.Value, "progress", grammar.Document().Value("protocol").Value("progress"))
	p := &c.doc.Protocol.Progress
	p.Token = "token"
	for _, e := range e.Value.Entries {
		switch e.Key.Text {
		case "method":
			p.Method = c.d.text(e)
			c.d.settle(func() { c.checkReporting(e) })
		case "token":
			p.Token = c.d.text(e)
		case "param":
			p.Param = c.d.text(e)
			c.d.settle(func() { c.checkReported(e) })
		}
	}
	if p.Method == "" || p.Param == "" {
		c.d.report(diag.MissingKey, e.Key.Span, "write {method: $/progress, param: workDoneToken}", "progress needs method and param")
		*p = ir.Progress{}
	}
}

// checkReporting checks the notification that reports progress: the server sends it, and it has a token.
func (c *checker) checkReporting(e syntax.Entry) {
	p := c.doc.Protocol.Progress
	if p.Method == "" {
		return
	}
	m := c.methods.byName[p.Method]
	const help = "declare it under notifications, with from: server"
	switch {
	case c.doc.Server != nil:
		c.d.report(diag.ConflictingKeys, e.Value.Span, "remove progress", "an MCP server reports progress as MCP does")
	case m == nil:
		c.d.report(diag.UnknownMethod, e.Value.Span, help, "%q is not declared", p.Method)
	case !m.Notification:
		c.d.report(diag.UnknownMethod, e.Value.Span, help, "%q is a method, and no notification", p.Method)
	case m.From == ir.FromClient:
		c.d.report(diag.UnknownMethod, e.Value.Span, help, "%q is sent by the client, and servers report progress", p.Method)
	case !isToken(m.Params, p.Token, false) || m.ParamsOptional:
		c.d.report(diag.InvalidPath, e.Value.Span, "give it the required field "+p.Token+": string | integer, or say token: with the name of such a field",
			"the params of %q have no token", p.Method)
	}
}

// checkReported checks that a client can ask for progress of some request.
func (c *checker) checkReported(e syntax.Entry) {
	p := c.doc.Protocol.Progress
	if p.Method == "" {
		return
	}
	asks := func(m *ir.Method) bool {
		return !m.Notification && m.From != ir.FromServer && isToken(m.Params, p.Param, true)
	}
	if !slices.ContainsFunc(c.doc.Methods, asks) {
		c.d.report(diag.InvalidPath, e.Value.Span, "give a method the optional field "+p.Param+"?: string | integer",
			"no method has a param %q for the token", p.Param)
	}
}

// isToken reports whether params have a field for a token.
func isToken(params ir.Type, name string, optional bool) bool {
	s, ok := ir.Underlying(params).(*ir.Struct)
	if !ok {
		return false
	}
	f := s.Field(name)
	return f != nil && f.Optional == optional && f.Default == nil && ir.Is[*ir.ID](f.Type)
}
