package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"
)

// flat is how many methods one switch takes. Beyond, methods are first told apart by their area, the part of the name before the
// first slash or dot: that is faster to run, and much faster to compile.
const flat = 64

// emitRoutes writes the switch over the methods of a side, in the author's order.
func (p *plan) emitRoutes(f *jen.File, s side, methods []*method) {
	areas := byArea(methods)
	if len(methods) <= flat || len(areas) < 2 {
		areas = nil
	}
	boundary(f)
	f.Comment("Handle implements runtime.Handler.")
	p.routing(f, s, "Handle").BlockFunc(func(g *jen.Group) {
		if areas == nil {
			p.routeMethods(g, s, methods)
			return
		}
		g.Switch(rt("Area").Call(jen.Id("c").Dot("Method").Call())).BlockFunc(func(g *jen.Group) {
			for _, a := range areas {
				g.Case(jen.Lit(a.name)).Block(jen.Id("h").Dot(p.routeName(a)).Call(jen.Id("ctx"), jen.Id("c")))
			}
			g.Default().Block(jen.Id("c").Dot("MethodNotFound").Call(jen.Id(s.handler + "Methods")))
		})
	})
	for _, a := range areas {
		boundary(f)
		p.routing(f, s, p.routeName(a)).BlockFunc(func(g *jen.Group) { p.routeMethods(g, s, a.methods) })
	}
}

func (p *plan) routing(f *jen.File, s side, name string) *jen.Statement {
	return f.Func().Params(jen.Id("h").Op("*").Id(s.handler)).Id(name).
		Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("c").Op("*").Add(rt("Call")))
}

func (p *plan) routeMethods(g *jen.Group, s side, methods []*method) {
	g.Switch(jen.Id("c").Dot("Method").Call()).BlockFunc(func(g *jen.Group) {
		for _, m := range methods {
			g.Case(jen.Id("Method" + m.name)).Block(jen.Id("h").Dot("serve"+m.name).Call(jen.Id("ctx"), jen.Id("c")))
		}
		g.Default().Block(jen.Id("c").Dot("MethodNotFound").Call(jen.Id(s.handler + "Methods")))
	})
}

// area is methods whose names begin alike.
type area struct {
	name    string // with its slash or dot; empty: names without one
	methods []*method
}

// byArea groups methods, in the order in which their areas turn up.
func byArea(methods []*method) []area {
	var areas []area
	index := map[string]int{}
	for _, m := range methods {
		name := m.Name[:strings.IndexAny(m.Name, "/.")+1]
		i, known := index[name]
		if !known {
			i = len(areas)
			index[name] = i
			areas = append(areas, area{name: name})
		}
		areas[i].methods = append(areas[i].methods, m)
	}
	return areas
}

// routeName is the function that routes the methods of an area.
func (p *plan) routeName(a area) string { return "route" + p.namer.exported(a.name) }
