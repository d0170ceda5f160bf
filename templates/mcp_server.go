package templates

import (
	"sort"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// handlerMethod is a method of the interface that an MCP server implements.
type handlerMethod struct {
	pos      diag.Pos
	name     string
	document func(g adder, verb string)
	param    string // how the parameter is called
	takes    jen.Code
	gives    jen.Code // nil for an error only
	fallback jen.Code // what it gives when it is not written yet; nil for runtime.ErrUnimplemented
}

// answering is what a method of a server does, in its documentation.
const answering = "answers"

// handlerMethods lists what a server implements, in the author's order.
func (w *serverWriter) handlerMethods() []handlerMethod {
	all := ir.Each(w.names.servedMethods(serverSide), w.methodHandler)
	all = append(all, ir.Each(w.names.tools, w.toolHandler)...)
	for _, r := range w.names.resources {
		all = append(all, w.resourceHandler(r))
		if r.Params != nil {
			all = append(all, w.completers(r.Pos, r.name, "the template "+r.Name, r.Params)...)
		}
	}
	for _, o := range w.names.prompts {
		all = append(all, w.promptHandler(o))
		if o.Arguments != nil {
			all = append(all, w.completers(o.Pos, o.name, "the prompt "+o.Name, o.Arguments)...)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].pos.Compare(all[j].pos) < 0 })
	return all
}

func (w *serverWriter) methodHandler(m *method) handlerMethod {
	document := func(g adder, verb string) { w.calls.documentMethod(g, m, verb) }
	return handlerMethod{pos: m.Pos, name: m.name, param: "params", takes: w.heldType(m.Params), gives: w.heldType(m.Result), document: document}
}

func (w *serverWriter) toolHandler(t *tool) handlerMethod { return w.toolMethod(t, w.toolGives(t)) }

// toolCaller is the method of a client for a tool.
func (w *serverWriter) toolCaller(t *tool) handlerMethod { return w.toolMethod(t, w.toolShows(t)) }

func (w *serverWriter) toolMethod(t *tool, gives jen.Code) handlerMethod {
	return handlerMethod{pos: t.Pos, name: t.name, param: "in", takes: w.heldType(t.Input), gives: gives, document: func(g adder, verb string) {
		document(g, t.name, verb+" the tool "+t.Name+".", &t.Meta)
		if t.Output == nil && several(t) {
			g.Comment("")
			say(g, "The content blocks are of the types "+blockTypes(t)+".")
		}
		w.calls.documentErrors(g, t.Errors)
	}}
}

// heldType is the Go type of what is taken or given; nil if there is nothing.
func (w *serverWriter) heldType(t ir.Type) jen.Code {
	if t == nil {
		return nil
	}
	return w.names.goType(t)
}

// toolGives is what the handler of a tool gives; nil if nothing.
func (w *serverWriter) toolGives(t *tool) jen.Code { return w.toolResult(t, t.Output, t.resultName()) }

// toolShows is what calling a tool gives; nil if nothing.
func (w *serverWriter) toolShows(t *tool) jen.Code {
	return w.toolResult(t, t.Published(), t.seenName())
}

func (w *serverWriter) toolResult(t *tool, output ir.Type, mixed string) jen.Code {
	switch {
	case t.mixed():
		return w.names.ownName(mixed)
	case t.whole():
		return mcp("CallToolResult")
	case t.Content != nil:
		return contentType(t)
	}
	return w.heldType(output)
}

func (w *serverWriter) resourceHandler(r *resource) handlerMethod {
	what, uri := "resource", r.URI
	if r.Template != nil {
		what, uri = "template", r.Template.Text
	}
	h := handlerMethod{pos: r.Pos, name: "Read" + r.name, param: "params", gives: w.contentType(r), document: func(g adder, verb string) {
		document(g, "Read"+r.name, "reads the "+what+" "+r.Name+", "+uri+".", &r.Meta)
		if r.Template != nil && verb == answering {
			g.Comment("")
			g.Comment("The error is mcp.ErrNotFound when there is none.")
		}
	}}
	if r.Params != nil {
		h.takes = w.names.goType(r.Params)
	}
	return h
}

func (w *serverWriter) promptHandler(o *prompt) handlerMethod {
	h := handlerMethod{pos: o.Pos, name: o.name, param: "args", gives: mcp("GetPromptResult"), document: func(g adder, _ string) {
		document(g, o.name, "makes the prompt "+o.Name+".", &o.Meta)
	}}
	if o.Arguments != nil {
		h.takes = w.names.goType(o.Arguments)
	}
	return h
}

// completers list what completes the fields of s. A server that has not written one gives no values.
func (w *serverWriter) completers(pos diag.Pos, owner, what string, s *ir.Struct) []handlerMethod {
	var all []handlerMethod
	for _, f := range s.Fields {
		if !f.Complete {
			continue
		}
		name := completer(owner, w.names.field(f))
		all = append(all, handlerMethod{pos: pos, name: name, param: "c", takes: mcp("Completing"), gives: jen.Index().String(), fallback: jen.Nil(),
			document: func(g adder, _ string) {
				say(g, name+" gives values for "+f.Name+" of "+what+", the best ones first.")
			}})
	}
	return all
}

// signature is the signature of a handler method; named reports whether its parameters have names.
func (h handlerMethod) signature(named bool) *jen.Statement {
	ctx, takes := jen.Qual("context", "Context"), jen.Add(h.takes)
	if named {
		ctx, takes = jen.Id("ctx").Add(ctx), jen.Id(h.param).Add(h.takes)
	}
	params := []jen.Code{ctx}
	if h.takes != nil {
		params = append(params, takes)
	}
	if h.gives == nil {
		return jen.Params(params...).Error()
	}
	return jen.Params(params...).Params(jen.Add(h.gives), jen.Error())
}

// emitServerInterface writes the interface that an MCP server implements, and what makes a server of it.
func (w *serverWriter) emitServerInterface(f *jen.File) {
	all := w.handlerMethods()
	boundary(f)
	remark(f, "Server is what a server of "+w.names.title()+" implements. Its methods may be called by many goroutines at once.")
	f.Type().Id("Server").InterfaceFunc(func(g *jen.Group) {
		for i, h := range all {
			if i > 0 {
				g.Line()
			}
			h.document(g, answering)
			g.Id(h.name).Add(h.signature(true))
		}
	})
	boundary(f)
	f.Comment("UnimplementedServer is a Server whose methods all answer that they are not there. Embed it to write them one by one.")
	f.Type().Id("UnimplementedServer").Struct()
	for _, h := range all {
		boundary(f)
		f.Comment(h.name + " is not implemented.")
		f.Func().Params(jen.Id("UnimplementedServer")).Id(h.name).Add(h.signature(false)).BlockFunc(h.writeUnimplemented)
		w.calls.flush()
	}
	boundary(f)
	options := jen.Id("o")
	if w.names.hasTasks() {
		options = jen.Qual(mcptaskPath, "Default").Call(options)
	}
	f.Comment("NewServer returns the MCP server that decodes, checks and routes requests to server.")
	f.Func().Id("NewServer").Params(jen.Id("server").Id("Server"), jen.Id("o").Add(mcp("Options"))).Op("*").Add(mcp("Server")).Block(
		jen.Return(mcp("NewServer").Call(jen.Op("&").Id("declarations").Values(jen.Id("server")), options)))
}

func (h handlerMethod) writeUnimplemented(g *jen.Group) {
	switch {
	case h.gives == nil:
		g.Return(rt("ErrUnimplemented"))
	case h.fallback != nil:
		g.Return(h.fallback, jen.Nil())
	default:
		g.Var().Id("none").Add(h.gives)
		g.Return(jen.Id("none"), rt("ErrUnimplemented"))
	}
}
