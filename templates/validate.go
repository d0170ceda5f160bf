package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitValidators writes the rules of every type that has some.
func emitValidators(p plan, f *jen.File) bool {
	w := &checkWriter{p.names, p.forms, p.needs, p.values()}
	said := false
	for _, t := range p.names.types {
		p.flush()
		if p.forms.checks[t] && t.kind() != kindAlias && p.needs.wantsCheck(t) {
			w.emitCheck(f, t)
			said = true
		}
		for _, v := range p.names.patterns[t] {
			boundary(f)
			if v.schema != nil {
				f.Var().Id(v.name).Op("=").Qual(conformPath, "Schema").Values(jen.Id("Text").Op(":").Add(raw(jsonText(v.schema.Schema))))
			} else {
				f.Var().Id(v.name).Op("=").Qual(patternPath, "Pattern").Values(jen.Id("Expr").Op(":").Add(raw(v.pattern.Expr)))
			}
			said = true
		}
	}
	return said
}

func (w *checkWriter) emitCheck(f *jen.File, t *namedType) {
	if w.needs.walks[t] {
		w.emitThinCheck(f, t)
		return
	}
	boundary(f)
	switch t.kind() {
	case kindEnum, kindScalar:
		f.Comment("CheckAt reports to vs, at the pointer at, the rules that v breaks.")
		f.Func().Params(jen.Id("v").Id(t.name)).Id("CheckAt").Params(violations(), jen.Id("at").String()).BlockFunc(func(g *jen.Group) {
			w.checkScalar(g, t)
		})
		return
	case kindUnion:
		w.emitCheckUnion(f, t)
		return
	}
	receiver := jen.Id("v").Id(t.name)
	if t.byPointer() {
		receiver = jen.Id("v").Op("*").Id(t.name)
	}
	f.Comment("CheckRules reports to vs the rules that v breaks.")
	f.Func().Params(receiver).Id("CheckRules").Params(violations()).BlockFunc(func(g *jen.Group) {
		switch t.kind() {
		case kindStruct:
			w.checkStruct(g, t.typ.(*ir.Struct))
		case kindTuple:
			w.checkTuple(g, t)
		case kindWrapper:
			w.values.under(t).checker("").check(g, t.typ, "v.Value", "")
		default:
			w.values.under(t).checker("").check(g, t.typ, "v", "")
		}
	})
}

func (w *checkWriter) checkScalar(g *jen.Group, t *namedType) {
	if t.kind() == kindEnum {
		w.values.checker("").checkEnum(g, t, "v", jen.Id("at"), w.needs.compact() && !w.needs.fast(t))
		return
	}
	c := w.values.under(t).checker("")
	c.at = jen.Id("at")
	c.rules(g, t.typ, ir.AllRules(t.typ), "v", true)
}

func (w *checkWriter) checkStruct(g *jen.Group, s *ir.Struct) {
	for _, f := range s.Fields {
		if w.forms.fieldChecked(f) {
			w.checkMember(g, f)
		}
	}
	if s.Additional == ir.AdditionalKept && w.forms.checked(s.Extra) {
		c := w.values.checker("Extra")
		g.Add(rule("EachMember")).Call(jen.Id("vs"), jen.Lit(""), jen.Id("v.Extra"), c.function(s.Extra))
	}
	for _, r := range s.Rules {
		w.checkObjectRule(g, s, r)
	}
}
