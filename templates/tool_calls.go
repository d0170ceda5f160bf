package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// declarations is the receiver of what runtime/mcp calls; named reports whether it is used.
func declarations(named bool) *jen.Statement {
	if named {
		return jen.Id("d").Op("*").Id("declarations")
	}
	return jen.Op("*").Id("declarations")
}

// servedBy begins a method of the declarations that takes a context and a call.
func (w *toolWriter) servedBy(f *jen.File, name, call string) *jen.Statement {
	boundary(f)
	return f.Func().Params(declarations(true)).Id(name).
		Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("c").Op("*").Add(mcp(call)))
}

// implements begins a method of mcp.Declarations. It is unused where there is nothing to call.
func (w *toolWriter) implements(f *jen.File, name, call string, used bool) *jen.Statement {
	boundary(f)
	f.Comment(name + " implements mcp.Declarations.")
	ctx := "ctx"
	if !used {
		ctx = "_"
	}
	return f.Func().Params(declarations(used)).Id(name).Params(jen.Id(ctx).Qual("context", "Context"), jen.Id("c").Op("*").Add(mcp(call)))
}

// emitByName writes the method of mcp.Declarations that finds a tool or a prompt by its name, and the list of these. All are their names in the
// schema and in Go.
func (w *toolWriter) emitByName(f *jen.File, what, verb string, all [][2]string) {
	w.implements(f, verb+what, what+"Call", len(all) > 0).BlockFunc(func(g *jen.Group) {
		if len(all) == 0 {
			g.Add(invoke("c", "NotFound", jen.Lit("")))
			return
		}
		g.Switch(invoke("c", "Name")).BlockFunc(func(g *jen.Group) {
			for _, one := range all {
				g.Case(jen.Id(what + one[1])).Block(jen.Id("d").Dot(Unexported(verb)+one[1]).Call(jen.Id("ctx"), jen.Id("c")))
			}
			g.Default().Block(invoke("c", "NotFound", jen.Id(Unexported(what)+"Names")))
		})
	})
	if len(all) > 0 {
		list := Unexported(what) + "Names"
		boundary(f)
		f.Comment(list + " are the " + Unexported(what) + "s, for finding the nearest name.")
		f.Const().Id(list).Op("=").Add(nameList(ir.Each(all, func(one [2]string) string { return one[0] })))
	}
}

// sentBy decodes and checks what a model or a user sends, an object that may not have other members than those of t.
func (w *toolWriter) sentBy(g *jen.Group, t ir.Type, x string) {
	if t == nil {
		g.For(invoke("c", "Arguments")).Block(invoke("c", "Reader").Dot("NoMembers").Call())
	} else {
		g.Var().Id(x).Add(w.names.goType(t))
		g.For(invoke("c", "Arguments")).BlockFunc(func(g *jen.Group) {
			w.calls.decodeWith(g, t, x, invoke("c", "Reader").Dot("Strict").Call())
			w.calls.checkWhole(g, t, x, "c")
		})
	}
	g.If(invoke("c", "Answered")).Block(jen.Return())
}

// orFail names what a call gives, and answers its error.
func (w *toolWriter) orFail(g *jen.Group, x string, call *jen.Statement) {
	g.List(jen.Id(x), jen.Err()).Op(":=").Add(call)
	g.If(jen.Err().Op("!=").Nil()).Block(invoke("c", "Fail", jen.Err()), jen.Return())
}

// plainText is x, a value of the text t, as a string.
func (w *toolWriter) plainText(t ir.Type, x string) jen.Code {
	if w.names.of(t) == nil && !ir.IsBound(t) {
		return jen.Id(x)
	}
	return jen.String().Call(jen.Id(x))
}
