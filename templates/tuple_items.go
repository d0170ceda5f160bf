package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// count is how many elements or members x, a value of t, has.
func (w *valueWriter) count(t ir.Type, x string) *jen.Statement {
	tuple, ok := t.(*ir.Tuple)
	if !ok {
		return jen.Len(jen.Id(x))
	}
	least := leastItems(tuple)
	n := jen.Lit(least).Op("+").Len(jen.Id(x + ".Rest"))
	if least == len(tuple.Items) {
		return n
	}
	return n.Op("+").Add(rule("Count")).CallFunc(func(g *jen.Group) {
		for _, f := range tuple.Items[least:] {
			g.Add(w.presentItem(x, f))
		}
	})
}

// itemCount writes how many elements are written: n.
func (w *valueWriter) itemCount(g *jen.Group, t *ir.Tuple) {
	least := leastItems(t)
	g.Id("n").Op(":=").Lit(least)
	if least+1 == len(t.Items) {
		g.If(w.reaches(t, least)).Block(jen.Id("n").Op("=").Lit(least + 1))
		return
	}
	g.Switch().BlockFunc(func(g *jen.Group) {
		for i := len(t.Items) - 1; i >= least; i-- {
			g.Case(w.reaches(t, i)).Block(jen.Id("n").Op("=").Lit(i + 1))
		}
	})
}

// reaches reports whether element i is there, or those after the last one that has a name.
func (w *valueWriter) reaches(t *ir.Tuple, i int) *jen.Statement {
	there := w.presentItem("v", t.Items[i])
	if i == len(t.Items)-1 && t.Rest != nil {
		return jen.Len(jen.Id("v.Rest")).Op(">").Lit(0).Op("||").Add(there)
	}
	return there
}

// presentItem reports whether an element that may be missing is there.
func (w *valueWriter) presentItem(owner string, f *ir.Field) *jen.Statement {
	return w.present(&ir.Struct{Fields: []*ir.Field{f}}, owner, f.Name)
}

// present reports whether the member called name is there.
func (w *valueWriter) present(s *ir.Struct, owner, name string) *jen.Statement {
	for _, f := range s.Fields {
		if f.Name != name {
			continue
		}
		x := jen.Id(owner + "." + w.names.field(f))
		switch formOf(f) {
		case formOpt:
			return x.Dot("IsSet").Call()
		case formNil, formPointer:
			return x.Op("!=").Nil()
		case formOptConst:
			return x
		}
	}
	return jen.True()
}
