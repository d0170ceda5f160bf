package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitReporter writes what servers report the progress of their calls with.
func (w *serverWriter) emitReporter(f *jen.File, m *method) {
	token, _ := ir.Underlying(m.Params).(*ir.Struct)
	name := m.name + reporterOfAny
	boundary(f)
	remark(f, name+" sends "+m.Name+" to the caller of one request.")
	f.Type().Id(name).Struct(jen.Id("client").Op("*").Id(clientSide.client), jen.Id("token").Add(rt("ID")))
	boundary(f)
	say(f, m.name+reporterFrom+" returns the reporter of the request that ctx belongs to. It is nil if the caller does not ask for progress; a nil "+
		"reporter sends nothing.")
	f.Func().Id(m.name+reporterFrom).Params(jen.Id("ctx").Qual("context", "Context")).Op("*").Id(name).Block(
		jen.List(jen.Id("conn"), jen.Id("token")).Op(":=").Add(gen("Reports")).Call(jen.Id("ctx")),
		jen.If(jen.Id("conn").Op("==").Nil()).Block(jen.Return(jen.Nil())),
		jen.Return(jen.Op("&").Id(name).Values(jen.Id(clientSide.newClient).Call(jen.Id("conn")), jen.Id("token"))))
	boundary(f)
	field := w.names.field(token.Field(w.names.doc.Protocol.Progress.Token))
	say(f, "Report sends p, with the token of the request.")
	f.Func().Params(jen.Id("r").Op("*").Id(name)).Id("Report").Params(jen.Id("ctx").Qual("context", "Context"),
		jen.Id("p").Add(w.names.goType(m.Params))).Error().Block(
		jen.If(jen.Id("r").Op("==").Nil()).Block(jen.Return(jen.Nil())),
		selector("p", field).Op("=").Id("r").Dot("token"),
		jen.Return(selector("r", "client").Dot(m.name).Call(jen.Id("ctx"), jen.Id("p"))))
}

// emitWatch writes what clients ask for progress with.
func (w *serverWriter) emitWatch(f *jen.File, m *method) {
	boundary(f)
	say(f, withReports+m.name+" returns a context for calls whose progress is passed to f. Methods whose params have no "+w.names.doc.Protocol.Progress.Param+
		", batches, and connections that carry no notifications report none. Another goroutine calls f; a call waits up to a second for it before it returns.")
	f.Func().Id(withReports+m.name).Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("f").Func().Params(jen.Id("p").Add(w.names.goType(m.Params)))).
		Qual("context", "Context").Block(
		jen.Return(gen("WithReports").Call(jen.Id("ctx"), jen.Func().Params(jen.Id("c").Op("*").Add(rt("Call"))).BlockFunc(func(g *jen.Group) {
			w.handleParams(g, m)
			g.Id("f").Call(jen.Id("p"))
			g.Add(invoke("c", "ReturnEmpty"))
		}))))
}

// asks has a stub ask for the progress of a call.
func (w *callWriter) asks(g *jen.Group, m *method) {
	if f := w.names.token(m); f != nil {
		g.Defer().Add(gen("Expect")).Call(jen.Id("ctx"), jen.Id("c.conn"), jen.Id("Method"+w.names.progress().name), jen.Lit(w.names.doc.Protocol.Progress.Token),
			jen.Op("&").Id("p").Dot(w.names.field(f))).Call()
	}
}
