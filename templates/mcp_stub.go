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
	return jen.Id("c.mcp").Dot("NewToolRequest").Call(jen.Id("Tool"+t.name), w.calls.decodeErrors())
}

// receiveResult decodes the result of a tool.
func (w *mcpClientWriter) receiveResult(g *jen.Group, t *tool) {
	errors := toolErrors(t)
	switch {
	case t.mixed():
		g.For(jen.Id("q").Dot("Structured").Call(errors)).BlockFunc(func(g *jen.Group) {
			w.calls.decodeWith(g, t.Published(), "out.Output", jen.Id("q").Dot("Reader").Call())
			w.calls.checkWhole(g, t.Published(), "out.Output", "q")
		})
		g.Id("out.Content").Op("=").Add(receivedBlocks(t))
		g.Return(jen.Id("out"), jen.Id("q").Dot("Err").Call())
	case t.Content != nil && !t.whole():
		g.Id("q").Dot("NoResult").Call(errors)
		g.Id("out").Op("=").Add(receivedBlocks(t))
		g.Return(jen.Id("out"), jen.Id("q").Dot("Err").Call())
	case t.whole():
		g.Id("q").Dot("Whole").Call(jen.Op("&").Id("out"), errors)
		g.Return(jen.Id("out"), jen.Id("q").Dot("Err").Call())
	case t.Output == nil:
		g.Id("q").Dot("NoResult").Call(errors)
		g.Return(jen.Id("q").Dot("Err").Call())
	default:
		w.receiveLoop(g, jen.Id("q").Dot("Structured").Call(errors), t.Published(), "out")
	}
}

// sendArguments checks and sends what a tool or a prompt takes.
func (w *mcpClientWriter) sendArguments(g *jen.Group, t ir.Type, x string) {
	if t == nil {
		g.Id("q").Dot("SendEmpty").Call(jen.Id("ctx"))
		return
	}
	w.calls.checkWhole(g, t, x, "q")
	arguments := w.calls.appendTo(g, t, x, jen.Id("q").Dot("Arguments").Call())
	g.Id("q").Dot("Send").Call(jen.Id("ctx"), arguments)
}

// receiveLoop decodes and checks what the server answered.
func (w *mcpClientWriter) receiveLoop(g *jen.Group, more *jen.Statement, t ir.Type, x string) {
	g.For(more).BlockFunc(func(g *jen.Group) {
		w.calls.decodeWith(g, t, x, jen.Id("q").Dot("Reader").Call())
		w.calls.checkWhole(g, t, x, "q")
	})
	g.Return(jen.Id(x), jen.Id("q").Dot("Err").Call())
}

// toolErrors is what decodes the declared errors of a tool.
func toolErrors(t *tool) jen.Code {
	if len(t.Errors) > 0 {
		return jen.Id("decodeToolError")
	}
	return jen.Nil()
}
