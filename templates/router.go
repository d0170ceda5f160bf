package templates

import (
	"github.com/dave/jennifer/jen"
)

// flat is how many methods one switch over their names takes: it is a search, and which way that turns cannot be foretold. Beyond,
// methods are first told apart by a number made of their names, to which one jump leads.
const flat = 64

// emitRoutes writes the switch over the methods of a side, in the author's order.
func (p *serverWriter) emitRoutes(f *jen.File, s side, methods []*method) {
	boundary(f)
	if len(methods) <= flat {
		f.Comment("Handle implements runtime.Handler.")
		p.routing(f, s).BlockFunc(func(g *jen.Group) { p.routeByName(g, s, methods) })
		return
	}
	f.Comment("Handle implements runtime.Handler. Methods are first told apart by a number made of their names, because a search among")
	f.Comment("so many names takes longer: few have the same.")
	p.routing(f, s).BlockFunc(func(g *jen.Group) { p.routeByNumber(g, s, methods) })
}

func (p *serverWriter) routing(f *jen.File, s side) *jen.Statement {
	return f.Func().Params(jen.Id("h").Op("*").Id(s.handler)).Id("Handle").
		Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("c").Op("*").Add(rt("Call")))
}

func (p *serverWriter) routeByName(g *jen.Group, s side, methods []*method) {
	g.Switch(calledMethod()).BlockFunc(func(g *jen.Group) {
		for _, m := range methods {
			g.Case(jen.Id("Method" + m.name)).Block(serve(m))
		}
		g.Default().Block(notFound(s))
	})
}

func (p *serverWriter) routeByNumber(g *jen.Group, s side, methods []*method) {
	groups, bits := grouped(methods)
	g.Switch(gen("Hash").Call(calledMethod()).Op(">>").Lit(32 - bits)).BlockFunc(func(g *jen.Group) {
		for _, same := range groups {
			g.Case(jen.Lit(same.number)).BlockFunc(func(g *jen.Group) {
				for _, m := range same.methods {
					g.If(calledMethod().Op("==").Id("Method"+m.name)).Block(serve(m), jen.Return())
				}
			})
		}
	})
	g.Add(notFound(s))
}

func calledMethod() *jen.Statement { return jen.Id("c").Dot("Method").Call() }

func serve(m *method) jen.Code {
	return jen.Id("h").Dot("serve"+m.name).Call(jen.Id("ctx"), jen.Id("c"))
}

func notFound(s side) jen.Code {
	return jen.Id("c").Dot("MethodNotFound").Call(jen.Id(s.handler + "Methods"))
}
