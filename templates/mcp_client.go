package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitServerClient writes the typed client of an MCP server.
func (w *mcpClientWriter) emitServerClient(f *jen.File) {
	boundary(f)
	remark(f, "Client calls a server of "+w.names.title()+". It may be used by many goroutines at once.")
	f.Type().Id("Client").Struct(jen.Id("mcp").Op("*").Add(mcpclient("Client")))
	boundary(f)
	f.Comment("NewClient returns a client that calls over conn.")
	f.Func().Id("NewClient").Params(jen.Id("conn").Op("*").Add(mcpclient("Client"))).Op("*").Id("Client").BlockFunc(func(g *jen.Group) {
		if len(w.names.headers()) > 0 {
			g.Add(invoke("conn", "Mirror", jen.Id("toolHeaders").Call()))
		}
		g.Return(jen.Op("&").Id("Client").Values(jen.Id("conn")))
	})
	for _, t := range w.names.tools {
		w.emitToolStub(f, t)
		w.calls.flush()
	}
	for _, r := range w.names.resources {
		w.emitResourceStub(f, r)
	}
	for _, o := range w.names.prompts {
		w.emitPromptStub(f, o)
	}
}

func (w *mcpClientWriter) emitToolStub(f *jen.File, t *tool) {
	if t.Task == ir.TaskRequired {
		w.emitTaskCall(f, t)
	} else {
		w.stub(f, w.handlers.toolCaller(t), "out").BlockFunc(func(g *jen.Group) {
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
		g.Add(invoke("q", "Send", jen.Id("ctx")))
		switch contentOf(r) {
		case contentWhole:
			g.Add(invoke("q", "Whole", jen.Op("&").Id("content")))
		case contentText:
			g.Id("content").Op("=").Add(w.textAs(r.Content, invoke("q", "Text")))
		case contentBlob:
			g.Id("content").Op("=").Id("q").Dot("Blob").Call()
		default:
			w.receiveLoop(g, invoke("q", "JSON"), r.Content, "content")
			return
		}
		if contentOf(r) != contentWhole {
			w.calls.checkWhole(g, r.Content, "content", "q")
		}
		g.Return(jen.Id("content"), invoke("q", "Err"))
	})
}

// textAs is a string as a value of the text t.
func (w *mcpClientWriter) textAs(t ir.Type, text *jen.Statement) jen.Code {
	if w.names.of(t) == nil && !ir.IsBound(t) {
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
		g.Add(invoke("q", "Whole", jen.Op("&").Id("result")))
		g.Return(jen.Id("result"), invoke("q", "Err"))
	})
}
