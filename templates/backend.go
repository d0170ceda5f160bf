package templates

import (
	"cmp"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitBackend writes what answers the tools with http: a server that calls their backends.
func emitBackend(p plan, f *jen.File) bool {
	handlers := newServerWriter(p)
	w := &backendWriter{p.names, p.forms, handlers.calls.values, handlers.calls, handlers, map[*ir.Backend]string{}}
	all := p.names.doc.Backends
	if len(all) == 0 {
		return false
	}
	for i, name := range p.names.backendNames() {
		w.called[all[i]] = name
	}
	w.emitType(f, all)
	w.emitNew(f, all)
	for _, b := range all {
		w.emitAPI(f, b)
	}
	for _, t := range p.names.tools {
		if t.HTTP != nil {
			w.emitCall(f, t)
			w.emitMethod(f, t)
			w.calls.flush()
		}
	}
	return true
}

// backendNames are the names of the backends in Go, in their order.
func (n *names) backendNames() (all []string) {
	used := map[string]int{}
	for _, b := range n.doc.Backends {
		name := cmp.Or(b.Go.Name, n.namer.export(b.Name))
		if used[name]++; used[name] > 1 {
			name += strconv.Itoa(used[name])
		}
		all = append(all, name)
	}
	return all
}

func (w *backendWriter) client(b *ir.Backend) string { return Unexported(w.called[b]) + "Client" }
func (w *backendWriter) api(b *ir.Backend) string    { return Unexported(w.called[b]) + "API" }

func (w *backendWriter) emitType(f *jen.File, all []*ir.Backend) {
	boundary(f)
	f.Comment("Backend is a Server that answers tools by calls to HTTP APIs. Embed it to write methods of your own; tools without http are not")
	f.Comment("implemented.")
	f.Type().Id("Backend").StructFunc(func(g *jen.Group) {
		g.Id("UnimplementedServer")
		for _, b := range all {
			g.Id(w.client(b)).Op("*").Add(backend("Client"))
		}
	})
	boundary(f)
	if len(all) == 1 {
		remark(f, "BackendOptions say how "+all[0].Name+" is called.")
		f.Type().Id("BackendOptions").Op("=").Add(backend("Options"))
		return
	}
	f.Comment("BackendOptions say how the APIs are called.")
	f.Type().Id("BackendOptions").StructFunc(func(g *jen.Group) {
		for _, b := range all {
			g.Id(w.called[b]).Add(backend("Options"))
		}
	})
}

func (w *backendWriter) emitNew(f *jen.File, all []*ir.Backend) {
	boundary(f)
	f.Comment("NewBackend returns a Backend. The error says which option is not valid.")
	f.Func().Id("NewBackend").Params(jen.Id("o").Id("BackendOptions")).Params(jen.Op("*").Id("Backend"), jen.Error()).BlockFunc(func(g *jen.Group) {
		fields := jen.Dict{}
		for _, b := range all {
			options := jen.Id("o")
			if len(all) > 1 {
				options = options.Dot(w.called[b])
			}
			g.List(jen.Id(w.client(b)), jen.Err()).Op(":=").Add(backend("New")).Call(jen.Op("&").Id(w.api(b)), options)
			g.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
			fields[jen.Id(w.client(b))] = jen.Id(w.client(b))
		}
		g.Return(jen.Op("&").Id("Backend").Values(fields), jen.Nil())
	})
}

func (w *backendWriter) emitAPI(f *jen.File, b *ir.Backend) {
	boundary(f)
	remark(f, w.api(b)+" is the API "+b.Name+".")
	table(f, w.api(b), backend("API"), func(set func(string, bool, jen.Code)) {
		set("Name", true, jen.Lit(b.Name))
		set("Server", true, jen.Lit(b.Server))
		set("Variables", len(b.Variables) > 0, rows(backend("Variable"), len(b.Variables), func(i int, g *jen.Group) {
			v := b.Variables[i]
			addMember(g, "Name", v.Name)
			addMember(g, "Default", v.Default)
			addMember(g, "Pattern", v.Pattern)
			if v.Values != nil {
				g.Id("Values").Op(":").Index().String().Add(texts(v.Values))
			}
		}))
		set("Headers", len(b.Headers) > 0, constants(b.Headers))
		set("Schemes", len(b.Schemes) > 0, rows(backend("Scheme"), len(b.Schemes), func(i int, g *jen.Group) {
			s := b.Schemes[i]
			addMember(g, "Name", s.Name)
			addMember(g, "Kind", s.Kind)
			addMember(g, "In", s.In)
			addMember(g, "Param", s.Param)
			if s.Scopes != nil {
				g.Id("Scopes").Op(":").Index().String().Add(texts(s.Scopes))
			}
			addMember(g, "Authorize", s.Authorize)
			addMember(g, "Token", s.Token)
		}))
		set("Auth", len(b.Auth) > 0, alternatives(b.Auth))
		set("Message", b.Message != "", jen.Lit(b.Message))
		set("Details", b.Details != "", jen.Lit(b.Details))
		set("Timeout", b.Timeout > 0, duration(b.Timeout))
	})
}

func (w *backendWriter) emitMethod(f *jen.File, t *tool) {
	h := w.handlers.toolHandler(t)
	boundary(f)
	remark(f, t.name+" calls "+t.HTTP.Verb+" "+t.HTTP.Path+" of "+t.HTTP.Backend.Name+".")
	f.Func().Params(jen.Id("b").Op("*").Id("Backend")).Id(t.name).ParamsFunc(func(g *jen.Group) {
		g.Id("ctx").Qual("context", "Context")
		if h.takes != nil {
			g.Id("in").Add(h.takes)
		}
	}).ParamsFunc(func(g *jen.Group) {
		if h.gives != nil {
			g.Id("out").Add(h.gives)
		}
		g.Err().Error()
	}).BlockFunc(func(g *jen.Group) {
		args := []jen.Code{jen.Id("ctx"), jen.Op("&").Id(w.names.callVar(t)), jen.Nil(), jen.Nil(), jen.Nil()}
		if t.Input != nil {
			args[2] = w.appender(t.Input, "in")
		}
		if t.Output != nil {
			args[3], args[4] = w.decoder(t.Output, "out"), w.checker(t.Output, "out")
		}
		call := jen.Id("b").Dot(w.client(t.HTTP.Backend)).Dot("Do").Call(args...)
		if h.gives == nil {
			g.Return(call)
			return
		}
		g.Err().Op("=").Add(call)
		g.Return(jen.Id("out"), jen.Err())
	})
}

func (w *backendWriter) appender(t ir.Type, x string) jen.Code {
	if w.names.ownMethods(t) {
		return selector(x, "AppendJSON")
	}
	return jen.Func().Params(jen.Id("b").Index().Byte()).Index().Byte().BlockFunc(func(g *jen.Group) {
		g.Return(w.values.appendExpr(t, x))
	})
}

func (w *backendWriter) decoder(t ir.Type, x string) jen.Code {
	if w.names.ownMethods(t) {
		return selector(x, "DecodeJSON")
	}
	return jen.Func().Params(jen.Id("r").Op("*").Add(wire("Reader"))).BlockFunc(func(g *jen.Group) { w.values.decodeInto(g, t, x) })
}

func (w *backendWriter) checker(t ir.Type, x string) jen.Code {
	switch {
	case !w.forms.needsCheck(t):
		return jen.Nil()
	case w.names.ownMethods(t):
		return selector(x, "CheckRules")
	}
	return jen.Func().Params(jen.Id("vs").Op("*").Add(rt("Violations"))).BlockFunc(func(g *jen.Group) { w.values.checker("").check(g, t, x, "") })
}
