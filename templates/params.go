package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// paramKeys names the fields of params, for positional ones.
func (w *callWriter) paramKeys(m *method) jen.Code {
	t := w.names.of(m.Params)
	s, ok := ir.Underlying(m.Params).(*ir.Struct)
	switch {
	case !ok || t == nil:
		return jen.Lit("")
	case m.ParamsBy == ir.ByName:
		return gen("ByName")
	case m.ParamsBy == ir.ByPosition && nullableFields(s) != "":
		return w.fieldKeys(t, s).Op("+").Lit("\n\n" + nullableFields(s))
	}
	return w.fieldKeys(t, s)
}

// fieldKeys names the fields of params.
func (w *callWriter) fieldKeys(t *namedType, s *ir.Struct) *jen.Statement {
	switch {
	case t.pkg != "" || t.kind() == kindAlias || len(s.Fields) == 0 || !w.needs.hasKeys(t, s):
		return nameList(strings.Split(keys(s), "\n"))
	}
	return jen.Id(w.names.hiddenName(t.name, "Keys"))
}

// nullableFields names the fields that null stands for in an array: those that may be absent, and not null, before another one.
func nullableFields(s *ir.Struct) string {
	var all []string
	for _, f := range s.Fields[:max(0, len(s.Fields)-1)] {
		if f.Optional && !ir.IsBound(f.Type) && !f.Go.Bound() && !admitsNull(f.Type) {
			all = append(all, f.Name)
		}
	}
	return strings.Join(all, "\n")
}

// decodeWith reads x, a value of t, from the reader that r gives.
func (w *callWriter) decodeWith(g *jen.Group, t ir.Type, x string, r *jen.Statement) {
	own := w.names.of(t)
	switch {
	case w.names.ownMethods(t):
		g.Id(x).Dot("DecodeJSON").Call(r)
	case own != nil && !ir.IsBound(t) && own.kind() == kindUnion:
		g.Id(x).Op("=").Add(own.sibling("Decode" + own.name)).Call(r)
	default:
		g.Id("r").Op(":=").Add(r)
		w.values.decodeInto(g, t, x)
	}
}

// checkWhole checks x, a value of t, and reports to the violations of c.
func (w *callWriter) checkWhole(g *jen.Group, t ir.Type, x, c string) {
	own, vs := w.names.of(t), invoke(c, "Violations")
	switch {
	case !w.forms.needsCheck(t):
	case w.names.ownMethods(t):
		g.Id(x).Dot("CheckRules").Call(vs)
	case own != nil && own.kind() == kindUnion:
		g.Add(own.sibling("Check"+own.name)).Call(vs, jen.Id(x))
	default:
		g.Id("vs").Op(":=").Add(vs)
		w.values.checker("").check(g, t, x, "")
	}
}

// appendTo is an expression that appends x, a value of t, to the buffer that dst gives. Where the buffer is needed by name, a statement names it before.
func (w *callWriter) appendTo(g *jen.Group, t ir.Type, x string, dst *jen.Statement) jen.Code {
	own := w.names.of(t)
	switch {
	case w.names.ownMethods(t):
		return invoke(x, "AppendJSON", dst)
	case own != nil && !ir.IsBound(t) && own.kind() == kindUnion:
		return own.sibling("Append"+own.name).Call(dst, jen.Id(x))
	}
	g.Id("b").Op(":=").Add(dst)
	return w.values.appendExpr(t, x)
}

// decodeErrors is the function that recognises declared errors.
func (w *callWriter) decodeErrors() jen.Code {
	if len(w.names.codedErrors()) == 0 {
		return jen.Nil()
	}
	return jen.Id("decodeError")
}

func (w *serverWriter) handleParams(g *jen.Group, m *method) {
	if m.Params == nil {
		g.If(jen.Op("!").Id("c").Dot("NoParams").Call()).Block(jen.Return())
		return
	}
	loop := "Params"
	if m.ParamsOptional {
		loop = "OptionalParams"
	}
	s, isStruct := ir.Underlying(m.Params).(*ir.Struct)
	if m.ParamsOptional && isStruct && hasDefaults(s) && !ir.IsBound(m.Params) {
		t := w.names.of(m.Params)
		g.Id("p").Op(":=").Add(t.sibling("Default" + t.name)).Call()
	} else {
		g.Var().Id("p").Add(w.names.goType(m.Params))
	}
	g.For(invoke("c", loop, w.calls.paramKeys(m))).BlockFunc(func(g *jen.Group) {
		if w.needs.decodesWhole(m) {
			g.Add(gen("Decode")).Call(jen.Id("c"), jen.Op("&").Id("p"))
			return
		}
		w.calls.decodeWith(g, m.Params, "p", invoke("c", "Reader"))
		w.calls.checkWhole(g, m.Params, "p", "c")
	})
	g.If(invoke("c", "Answered")).Block(jen.Return())
}
