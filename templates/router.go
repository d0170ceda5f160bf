package templates

import (
	"math/bits"
	"strconv"

	"github.com/dave/jennifer/jen"
)

// flat is how many methods one switch over their names takes: it is a search, and which way that turns cannot be foretold. Beyond,
// methods are first told apart by a number made of their names, to which one jump leads.
const flat = 64

// direct is how many methods one jump by number leads to: up to there a second jump takes longer than it saves. Beyond, the first jump leads
// to functions with about part methods each, because the compiler needs more time and memory for a method the larger its function is.
const (
	direct = 2048
	part   = 256
)

// emitRoutes writes the switch over the methods of a side, in the author's order.
func (w *serverWriter) emitRoutes(f *jen.File, s sideNames, methods []*method) {
	methods = onWire(methods)
	boundary(f)
	if len(methods) <= flat {
		f.Comment("Handle implements runtime.Handler.")
		w.routing(f, s).BlockFunc(func(g *jen.Group) {
			w.endings(g, s)
			w.routeByName(g, s, methods)
		})
		return
	}
	f.Comment("Handle implements runtime.Handler. Methods are first told apart by a number made of their names, because a search among")
	f.Comment("so many names takes longer: few have the same.")
	w.routeByNumber(f, s, methods)
}

func (w *serverWriter) routing(f *jen.File, s sideNames) *jen.Statement {
	return f.Func().Params(jen.Id("h").Op("*").Id(s.handler)).Id("Handle").
		Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("c").Op("*").Add(rt("Call")))
}

func (w *serverWriter) routeByName(g *jen.Group, s sideNames, methods []*method) {
	g.Switch(invoke("c", "Method")).BlockFunc(func(g *jen.Group) {
		for _, m := range methods {
			g.Case(jen.Id("Method" + m.name)).Block(w.serve(m))
		}
		g.Default().Block(notFound(s))
	})
}

// routeByNumber writes the jump to the methods of a number, or to the function that has them.
func (w *serverWriter) routeByNumber(f *jen.File, s sideNames, methods []*method) {
	groups, width := groupByNumber(methods)
	number := gen("Hash").Call(jen.Id("method")).Op(">>").Lit(32 - width)
	if len(methods) <= direct {
		w.routing(f, s).BlockFunc(func(g *jen.Group) {
			w.endings(g, s)
			g.Id("method").Op(":=").Id("c").Dot("Method").Call() // once: each inlined call is a variable for the compiler in all blocks
			w.jump(g, s, number, groups)
		})
		return
	}
	parts := make([][]sameNumber, 1<<bits.Len(uint(len(methods)/part)))
	shift := width - bits.Len(uint(len(parts)-1))
	for _, same := range groups {
		parts[same.number>>shift] = append(parts[same.number>>shift], same)
	}
	w.routing(f, s).BlockFunc(func(g *jen.Group) {
		w.endings(g, s)
		g.Id("method").Op(":=").Id("c").Dot("Method").Call()
		g.Id("number").Op(":=").Add(number)
		g.Switch(jen.Id("number").Op(">>").Lit(shift)).BlockFunc(func(g *jen.Group) {
			for i := range parts {
				g.Case(jen.Lit(i)).Block(jen.Id("h").Dot(routeName(i)).Call(jen.Id("ctx"), jen.Id("c"), jen.Id("method"), jen.Id("number")))
			}
		})
	})
	for i, groups := range parts {
		boundary(f)
		f.Func().Params(jen.Id("h").Op("*").Id(s.handler)).Id(routeName(i)).
			Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("c").Op("*").Add(rt("Call")), jen.Id("method").String(), jen.Id("number").Uint32()).
			BlockFunc(func(g *jen.Group) { w.jump(g, s, jen.Id("number"), groups) })
	}
}

// routeName is the function with a part of the methods.
func routeName(i int) string { return "route" + strconv.Itoa(i) }

// jump writes the switch over numbers.
func (w *serverWriter) jump(g *jen.Group, s sideNames, number jen.Code, groups []sameNumber) {
	g.Switch(number).BlockFunc(func(g *jen.Group) {
		for _, same := range groups {
			g.Case(jen.Lit(same.number)).BlockFunc(func(g *jen.Group) {
				for _, m := range same.methods {
					g.If(jen.Id("method").Op("==").Id("Method"+m.name)).Block(w.serve(m), jen.Return())
				}
			})
		}
	})
	g.Add(notFound(s))
}

// serve serves a method, or the one of those with its name on the wire whose constant comes first in the params.
func (w *serverWriter) serve(m *method) jen.Code {
	call := func(m *method) jen.Code { return invoke("h", "serve"+m.name, jen.Id("ctx"), jen.Id("c")) }
	if !w.names.shares(m) {
		return call(m)
	}
	param, _ := m.Constant()
	var values []string
	return jen.Switch(stream("Constant").Call(jen.Id("c"), jen.Lit(param))).BlockFunc(func(g *jen.Group) {
		for _, o := range w.names.methods {
			if o.OnWire() == m.OnWire() {
				_, value := o.Constant()
				values = append(values, value)
				g.Case(jen.Lit(value)).Block(call(o))
			}
		}
		g.Default().Block(stream("NoConstant").Call(jen.Id("c"), jen.Lit(param), nameList(values)))
	})
}

func notFound(s sideNames) jen.Code {
	return invoke("c", "MethodNotFound", jen.Id(s.handler+"Methods"))
}

// sameNumber is methods whose names give the same number.
type sameNumber struct {
	number  int
	methods []*method
}

// groupByNumber groups methods by the highest bits of their numbers, in the order in which these turn up. There are a bit more numbers than
// methods, so that most have one of their own, yet not so many more that the compiler makes no table of jumps.
func groupByNumber(methods []*method) (groups []sameNumber, width int) {
	width = bits.Len(uint(len(methods)*3/2 - 1))
	index := map[int]int{}
	for _, m := range methods {
		n := int(hash(m.OnWire()) >> (32 - width))
		i, known := index[n]
		if !known {
			i = len(groups)
			index[n] = i
			groups = append(groups, sameNumber{number: n})
		}
		groups[i].methods = append(groups[i].methods, m)
	}
	return groups, width
}
