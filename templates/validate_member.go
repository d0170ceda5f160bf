package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// checkMember writes the rules of a field.
func (w *checkWriter) checkMember(g *jen.Group, f *ir.Field) {
	c := w.values.checker(w.names.field(f))
	at := "/" + ir.EscapePointer(f.Name)
	if !f.Sensitive {
		c.checkField(g, f, at)
		return
	}
	in := "in" + c.field
	g.Id(in).Op(":=").Id("vs").Dot("Enter").Call()
	c.checkField(g, f, "")
	g.Add(invoke("vs", "LeaveSensitive", jen.Id(in), jen.Lit(at)))
}

// checkObjectRule writes a rule about which members an object has.
func (w *checkWriter) checkObjectRule(g *jen.Group, s *ir.Struct, r ir.Rule) {
	switch r := r.(type) {
	case *ir.Require:
		present := ir.Each(r.Fields, func(name string) jen.Code { return w.values.present(s, "v", name) })
		switch r.How {
		case ir.RequireAny:
			g.Add(rule("RequireAny")).Call(jen.Id("vs"), join(present, "||"), jen.Lit(r.Text))
		case ir.RequireOne:
			g.Add(rule("RequireOne")).Call(jen.Id("vs"), rule("Count").Call(present...), jen.Lit(r.Text))
		default:
			g.Add(rule("RequireWith")).Call(jen.Id("vs"), present[0], join(present[1:], "&&"), jen.Lit(r.Text))
		}
	case *ir.Count:
		w.values.checkMembers(g, s, r, "v", jen.Lit(""))
	case *ir.Conform:
		g.Add(w.values.conform(s, r, "v", jen.Lit("")))
	}
}
