package templates

import (
	"cmp"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// emitServer writes what a server needs: the interface that it implements, its router, and the client for calling back.
func emitServer(p plan, f *jen.File) bool {
	w := newServerWriter(p)
	if len(p.names.methods) == 0 && !p.names.ownsServer() {
		return false
	}
	if p.names.ownsServer() {
		w.emitServerInterface(f)
	} else {
		w.emitInterface(f, serverSide)
	}
	w.emitRates(f, serverSide)
	w.emitKeeps(f, serverSide)
	w.emitScopes(f)
	if len(p.names.methods) > 0 {
		w.emitRouter(f, serverSide)
	}
	if len(p.names.servedMethods(clientSide)) > 0 {
		w.calls.emitStub(f, clientSide)
		w.calls.emitStreams(f, clientSide)
	}
	if m := p.names.progress(); m != nil {
		w.emitReporter(f, m)
	}
	return true
}

// emitClient writes what a client needs: the stub that calls the server, and the interface and router for being called back.
func emitClient(p plan, f *jen.File) bool {
	w := newServerWriter(p)
	if len(p.names.methods) == 0 && !p.names.ownsServer() {
		return false
	}
	stub := serverSide
	if p.names.ownsServer() {
		(&mcpClientWriter{p.names, w.calls, w}).emitServerClient(f)
		stub.client, stub.newClient, stub.batch = "MethodClient", "NewMethodClient", "MethodBatch"
	}
	if len(p.names.servedMethods(stub)) > 0 || !p.names.ownsServer() {
		w.calls.emitStub(f, stub)
		w.calls.emitStreams(f, stub)
	}
	if len(p.names.servedMethods(clientSide)) > 0 {
		w.emitInterface(f, clientSide)
		w.emitRates(f, clientSide)
		w.emitKeeps(f, clientSide)
		w.emitRouter(f, clientSide)
	}
	if m := p.names.progress(); m != nil {
		w.emitWatch(f, m)
	}
	return true
}

func (w *serverWriter) emitInterface(f *jen.File, s sideNames) {
	title := cmp.Or(w.names.doc.Title, w.names.doc.Package)
	boundary(f)
	remark(f, s.iface+" is what a "+s.what+" of "+title+" implements. Its methods may be called by many goroutines at once.")
	f.Type().Id(s.iface).InterfaceFunc(func(g *jen.Group) {
		for i, m := range w.names.servedMethods(s) {
			if i > 0 {
				g.Line()
			}
			w.calls.documentMethod(g, m, "answers")
			g.Id(m.name).Add(w.handlerSignature(m, true))
		}
	})
	boundary(f)
	f.Comment(s.unimplemented + " is " + text.Article(s.iface) + " whose methods all answer that they are not there. Embed it to write them one by one.")
	f.Type().Id(s.unimplemented).Struct()
	for _, m := range w.names.servedMethods(s) {
		boundary(f)
		remark(f, m.name+" answers "+m.Name+".")
		f.Func().Params(jen.Id(s.unimplemented)).Id(m.name).Add(w.handlerSignature(m, false)).BlockFunc(func(g *jen.Group) {
			if m.Result == nil {
				g.Return(rt("ErrUnimplemented"))
				return
			}
			g.Var().Id("none").Add(w.names.goType(m.Result))
			g.Return(jen.Id("none"), rt("ErrUnimplemented"))
		})
		w.calls.flush()
	}
}

// handlerSignature is the signature of a method as it is implemented; named reports whether the parameters have names.
func (w *serverWriter) handlerSignature(m *method, named bool) *jen.Statement {
	ctx, params := jen.Qual("context", "Context"), jen.Code(nil)
	if m.Params != nil {
		params = w.names.goType(m.Params)
	}
	if named {
		ctx = jen.Id("ctx").Add(ctx)
		if params != nil {
			params = jen.Id("params").Add(params)
		}
	}
	s := jen.ParamsFunc(func(g *jen.Group) {
		g.Add(ctx)
		if params != nil {
			g.Add(params)
		}
		if m.Items != nil && named {
			g.Id("out").Id(m.name + streamOf)
		} else if m.Items != nil {
			g.Id(m.name + streamOf)
		}
	})
	if m.Result == nil {
		return s.Error()
	}
	return s.Params(w.names.goType(m.Result), jen.Error())
}

func (w *serverWriter) emitRouter(f *jen.File, s sideNames) {
	methods := w.names.servedMethods(s)
	held, fields := []jen.Code{jen.Id(s.what)}, []jen.Code{jen.Id(s.what).Id(s.iface)}
	if w.names.rated(s) {
		held, fields = append(held, newLimiter(s)), append(fields, jen.Id("limiter").Op("*").Add(ratelimit("Limiter")))
	}
	boundary(f)
	f.Comment(s.newHandler + " returns the handler that decodes, checks and routes messages to a " + s.what + ".")
	f.Func().Id(s.newHandler).Params(jen.Id(s.what).Id(s.iface)).Add(rt("Handler")).Block(
		jen.Return(jen.Op("&").Id(s.handler).Values(held...)))
	boundary(f)
	f.Type().Id(s.handler).Struct(fields...)

	w.emitRoutes(f, s, methods)
	var names []string
	for _, m := range onWire(methods) {
		if !m.Notification {
			names = append(names, m.OnWire())
		}
	}
	for name := range ends(methods) {
		names = append(names, name)
	}
	boundary(f)
	f.Comment(s.handler + "Methods are the methods of a " + s.what + " that requests can name, for finding the nearest one.")
	f.Const().Id(s.handler + "Methods").Op("=").Add(nameList(names))
	boundary(f)
	f.Comment("Protocol implements runtime.Handler.")
	f.Func().Params(jen.Op("*").Id(s.handler)).Id("Protocol").Params().Add(rt("Protocol")).Block(jen.Return(w.protocol(s)))
	boundary(f)
	f.Comment("Condition implements runtime.Handler.")
	condition := jen.Id("condition").Call(jen.Id("c"))
	param := "c"
	if len(w.names.codedErrors()) == 0 {
		condition, param = jen.Nil(), "_"
	}
	f.Func().Params(jen.Op("*").Id(s.handler)).Id("Condition").Params(jen.Id(param).Add(rt("Condition"))).Error().Block(jen.Return(condition))
	boundary(f)
	f.Comment("Hooks implements runtime.Handler.")
	f.Func().Add(w.hooks(s))
	for _, m := range methods {
		if m.Items != nil {
			w.emitOut(f, m)
		}
		w.emitHandle(f, s, m)
		w.calls.flush()
	}
}

// hooks is the method that says what a handler offers beyond serving calls.
func (w *serverWriter) hooks(s sideNames) jen.Code {
	receiver, d := jen.Op("*").Id(s.handler), jen.Dict{}
	if w.needs.describes(s) || w.names.rated(s) {
		receiver = jen.Id("h").Add(receiver)
	}
	if w.needs.describes(s) {
		setField(d, "ParamsSchema", selector("h", "ParamsSchema"))
	}
	if w.names.rated(s) {
		setField(d, "Limiter", selector("h", "limiter").Dot("Middleware"))
	}
	if slices.ContainsFunc(w.names.servedMethods(s), func(m *method) bool { return m.Timeout > 0 }) {
		setField(d, "Deadlines", jen.True())
	}
	if ordered := constantsOf(w.names.servedMethods(s), func(m *method) bool { return m.Ordered }); len(ordered) > 0 {
		setField(d, "Ordered", jen.Func().Add(oneOf(ordered)))
	}
	if s == serverSide && slices.ContainsFunc(w.names.servedMethods(s), func(m *method) bool { return len(m.Scopes) > 0 }) {
		setField(d, "Permit", selector("scopes", "Method"))
	}
	known := map[*ir.Decl]bool{}
	if sensitive := constantsOf(w.names.servedMethods(s), func(m *method) bool { return m.Params != nil && ir.IsSensitive(m.Params, known) }); len(sensitive) > 0 {
		setField(d, "Sensitive", jen.Func().Add(oneOf(sensitive)))
	}
	return jen.Params(receiver).Id("Hooks").Params().Add(rt("Hooks")).Block(jen.Return(rt("Hooks").Values(d)))
}

// protocol is what the runtime knows of the protocol.
func (w *serverWriter) protocol(s sideNames) jen.Code {
	d := jen.Dict{}
	proto := w.names.doc.Protocol
	name := cmp.Or(proto.Name, w.names.doc.Package)
	if !proto.StrictIDs {
		setField(d, "NullID", jen.True())
	}
	setField(d, "Name", jen.Lit(name))
	if proto.Revision != "" {
		setField(d, "Revision", jen.Lit(proto.Revision))
	}
	if proto.CancelMethod != "" {
		setField(d, "CancelMethod", jen.Lit(proto.CancelMethod))
		setField(d, "CancelID", jen.Lit(proto.CancelID))
	}
	for name, method := range w.handshake(s) {
		setField(d, name, jen.Id("Method"+method))
	}
	if proto.Batch {
		setField(d, "Batch", jen.True())
	}
	if proto.Positional {
		setField(d, "Positional", jen.True())
	}
	return rt("Protocol").Values(d)
}

// handshake is the methods that open and end a session, by the fields of runtime.Protocol, on the side that serves them.
func (w *serverWriter) handshake(s sideNames) map[string]string {
	h, all := w.names.doc.Protocol.Handshake, map[string]string{}
	if h.Initialize == "" {
		return all
	}
	for _, m := range w.names.servedMethods(s) {
		switch m.Method.Name {
		case h.Initialize:
			all["InitializeMethod"] = m.name
		case h.Shutdown:
			all["ShutdownMethod"] = m.name
		case h.Exit:
			all["ExitMethod"] = m.name
		}
	}
	return all
}

// emitHandle writes how one method is served: decode, check, call, answer.
func (w *serverWriter) emitHandle(f *jen.File, s sideNames, m *method) {
	boundary(f)
	f.Func().Params(jen.Id("h").Op("*").Id(s.handler)).Id("serve"+m.name).
		Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("c").Op("*").Add(rt("Call"))).BlockFunc(func(g *jen.Group) {
		if m.Items != nil { // before the params are decoded: the next message is read afterwards, and counts against what this one then is
			w.begin(g, m)
		}
		w.handleParams(g, m)
		if s == serverSide {
			if f := w.calls.names.token(m); f != nil {
				g.Id("ctx").Op("=").Add(gen("Reporting")).Call(jen.Id("ctx"), jen.Id("p").Dot(w.calls.names.field(f)))
			}
		}
		if m.Timeout > 0 {
			g.Id("ctx").Op("=").Id("c").Dot("WithTimeout").Call(jen.Id("ctx"), duration(m.Timeout))
		}
		args := arguments(m.Params, "p")
		if m.Items != nil {
			args = append(args, jen.Id(m.name+streamOf).Values(jen.Id("out")))
		}
		call := selector("h", s.what).Dot(m.name).Call(args...)
		if m.Items != nil && m.Items.First {
			g.Add(invoke("out", "Answer", jen.Id("c"), call))
			return
		}
		if m.Result == nil {
			g.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(invoke("c", "Fail", jen.Err()), jen.Return())
			g.Add(invoke("c", "ReturnEmpty"))
			return
		}
		if _, isLiteral := ir.Underlying(m.Result).(*ir.Literal); isLiteral && !ir.IsBound(m.Result) { // whatever it is, the codec writes the constant
			g.If(jen.List(jen.Id("_"), jen.Err()).Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(invoke("c", "Fail", jen.Err()), jen.Return())
			answer := w.calls.appendTo(g, m.Result, "", invoke("c", "Result"))
			g.Add(invoke("c", "Return", answer))
			return
		}
		g.List(jen.Id("result"), jen.Err()).Op(":=").Add(call)
		if w.calls.needs.repliesWhole(m) {
			g.Add(gen("Reply")).Call(jen.Id("c"), jen.Op("&").Id("result"), jen.Err())
			return
		}
		g.If(jen.Err().Op("!=").Nil()).Block(invoke("c", "Fail", jen.Err()), jen.Return())
		w.calls.checkWhole(g, m.Result, "result", "c")
		answer := w.calls.appendTo(g, m.Result, "result", invoke("c", "Result"))
		g.Add(invoke("c", "Return", answer))
	})
}
