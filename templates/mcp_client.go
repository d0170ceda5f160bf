package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// mcpClientWriter writes the client of an MCP server.
type mcpClientWriter struct {
	names    *names
	calls    *callWriter
	handlers *serverWriter
}

// emitServerClient writes the typed client of an MCP server.
func (w *mcpClientWriter) emitServerClient(f *jen.File) {
	boundary(f)
	remark(f, "Client calls a server of "+w.names.title()+". It may be used by many goroutines at once.")
	f.Type().Id("Client").Struct(jen.Id("mcp").Op("*").Add(mcpclient("Client")))
	boundary(f)
	f.Comment("NewClient returns a client that calls over conn.")
	f.Func().Id("NewClient").Params(jen.Id("conn").Op("*").Add(mcpclient("Client"))).Op("*").Id("Client").BlockFunc(func(g *jen.Group) {
		if len(w.names.headers()) > 0 {
			g.Id("conn").Dot("Mirror").Call(jen.Id("toolHeaders").Call())
		}
		g.Return(jen.Op("&").Id("Client").Values(jen.Id("conn")))
	})
	for _, t := range w.names.tools {
		w.emitToolStub(f, t)
	}
	for _, r := range w.names.resources {
		w.emitResourceStub(f, r)
	}
	for _, o := range w.names.prompts {
		w.emitPromptStub(f, o)
	}
}

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

func (w *mcpClientWriter) emitToolStub(f *jen.File, t *tool) {
	if t.Task == ir.TaskRequired {
		w.emitTaskCall(f, t)
	} else {
		w.stub(f, w.handlers.toolHandler(t), "out").BlockFunc(func(g *jen.Group) {
			g.Id("q").Op(":=").Add(w.newToolRequest(t))
			g.Defer().Id("q").Dot("Close").Call(jen.Op("&").Err())
			w.sendArguments(g, t.Input, "in")
			w.receiveResult(g, t)
		})
	}
	if t.Task != ir.TaskNever {
		w.emitTaskStubs(f, t)
	}
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
			w.calls.decodeWith(g, t.Output, "out.Output", jen.Id("q").Dot("Reader").Call())
			w.calls.checkWhole(g, t.Output, "out.Output", "q")
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
		w.receiveLoop(g, jen.Id("q").Dot("Structured").Call(errors), t.Output, "out")
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

func (w *mcpClientWriter) emitResourceStub(f *jen.File, r *resource) {
	address := jen.Id(r.uriName())
	if r.Template != nil {
		address = jen.Id(r.name + "URI").Call(jen.Id("params"))
	}
	w.stub(f, w.handlers.resourceHandler(r), "content").BlockFunc(func(g *jen.Group) {
		g.Id("q").Op(":=").Id("c.mcp").Dot("NewResourceRequest").Call(address, w.calls.decodeErrors())
		g.Defer().Id("q").Dot("Close").Call(jen.Op("&").Err())
		if r.Params != nil {
			w.calls.checkWhole(g, r.Params, "params", "q")
		}
		g.Id("q").Dot("Send").Call(jen.Id("ctx"))
		switch contentOf(r) {
		case contentWhole:
			g.Id("q").Dot("Whole").Call(jen.Op("&").Id("content"))
		case contentText:
			g.Id("content").Op("=").Add(w.textAs(r.Content, jen.Id("q").Dot("Text").Call()))
		case contentBlob:
			g.Id("content").Op("=").Id("q").Dot("Blob").Call()
		default:
			w.receiveLoop(g, jen.Id("q").Dot("JSON").Call(), r.Content, "content")
			return
		}
		if contentOf(r) != contentWhole {
			w.calls.checkWhole(g, r.Content, "content", "q")
		}
		g.Return(jen.Id("content"), jen.Id("q").Dot("Err").Call())
	})
}

// textAs is a string as a value of the text t.
func (w *mcpClientWriter) textAs(t ir.Type, text *jen.Statement) jen.Code {
	if w.names.of(t) == nil && !isBound(t) {
		return text
	}
	return w.names.goType(t).Call(text)
}

func (w *mcpClientWriter) emitPromptStub(f *jen.File, o *prompt) {
	var arguments ir.Type
	if o.Arguments != nil {
		arguments = o.Arguments
	}
	w.stub(f, w.handlers.promptHandler(o), "result").BlockFunc(func(g *jen.Group) {
		g.Id("q").Op(":=").Id("c.mcp").Dot("NewPromptRequest").Call(jen.Id("Prompt"+o.name), w.calls.decodeErrors())
		g.Defer().Id("q").Dot("Close").Call(jen.Op("&").Err())
		w.sendArguments(g, arguments, "args")
		g.Id("q").Dot("Whole").Call(jen.Op("&").Id("result"))
		g.Return(jen.Id("result"), jen.Id("q").Dot("Err").Call())
	})
}
