package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// stub begins a method of the client.
func (w *mcpClientWriter) stub(f *jen.File, h handlerMethod, result string) *jen.Statement {
	boundary(f)
	h.document(f, "calls")
	return f.Func().Params(jen.Id("c").Op("*").Id("Client")).Id(h.name).ParamsFunc(func(g *jen.Group) {
		g.Id("ctx").Qual("context", "Context")
		if h.takes != nil {
			g.Id(h.param).Add(h.takes)
		}
	}).ParamsFunc(func(g *jen.Group) {
		if h.gives != nil {
			g.Id(result).Add(h.gives)
		}
		g.Err().Error()
	})
}

// newToolRequest begins a call of a tool.
func (w *mcpClientWriter) newToolRequest(t *tool) jen.Code {
	return invoke("c.mcp", "NewToolRequest", jen.Id("Tool"+t.name), w.calls.decodeErrors())
}

// receiveResult decodes the result of a tool.
func (w *mcpClientWriter) receiveResult(g *jen.Group, t *tool) {
	errors := toolErrors(t)
	switch {
	case t.mixed():
		g.For(invoke("q", "Structured", errors)).BlockFunc(func(g *jen.Group) {
			w.calls.decodeWith(g, t.Published(), "out.Output", invoke("q", "Reader"))
			w.calls.checkWhole(g, t.Published(), "out.Output", "q")
		})
		g.Id("out.Content").Op("=").Add(receivedBlocks(t))
		g.Return(jen.Id("out"), invoke("q", "Err"))
	case t.Content != nil && !t.whole():
		g.Add(invoke("q", "NoResult", errors))
		g.Id("out").Op("=").Add(receivedBlocks(t))
		g.Return(jen.Id("out"), invoke("q", "Err"))
	case t.whole():
		g.Add(invoke("q", "Whole", jen.Op("&").Id("out"), errors))
		g.Return(jen.Id("out"), invoke("q", "Err"))
	case t.Output == nil:
		g.Add(invoke("q", "NoResult", errors))
		g.Return(invoke("q", "Err"))
	default:
		w.receiveLoop(g, invoke("q", "Structured", errors), t.Published(), "out")
	}
}

// sendArguments checks and sends what a tool or a prompt takes.
func (w *mcpClientWriter) sendArguments(g *jen.Group, t ir.Type, x string) {
	if t == nil {
		g.Add(invoke("q", "SendEmpty", jen.Id("ctx")))
		return
	}
	w.calls.checkWhole(g, t, x, "q")
	arguments := w.calls.appendTo(g, t, x, invoke("q", "Arguments"))
	g.Add(invoke("q", "Send", jen.Id("ctx"), arguments))
}

// receiveLoop decodes and checks what the server answered.
func (w *mcpClientWriter) receiveLoop(g *jen.Group, more *jen.Statement, t ir.Type, x string) {
	g.For(more).BlockFunc(func(g *jen.Group) {
		w.calls.decodeWith(g, t, x, invoke("q", "Reader"))
		w.calls.checkWhole(g, t, x, "q")
	})
	g.Return(jen.Id(x), invoke("q", "Err"))
}

// toolErrors is what decodes the declared errors of a tool.
func toolErrors(t *tool) jen.Code {
	if len(t.Errors) > 0 {
		return jen.Id("decodeToolError")
	}
	return jen.Nil()
}
