package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// A checker writes the checks of one value.
type checker struct {
	names  *names
	forms  *forms
	values *valueWriter
	field  string         // the field that is being checked; empty for the type itself
	at     *jen.Statement // the pointer, when it is not a literal
}

// checker returns the checker of a field, or of the type itself if field is empty.
func (w *valueWriter) checker(field string) checker {
	return checker{names: w.names, forms: w.forms, values: w, field: field}
}

// checkField checks a field in whatever form it is held.
func (c checker) checkField(g *jen.Group, f *ir.Field, at string) {
	x := "v." + c.field
	switch formOf(f) {
	case formOpt:
		g.If(jen.List(jen.Id("x"), jen.Id("ok")).Op(":=").Id(x).Dot("Get").Call(), jen.Id("ok")).BlockFunc(func(g *jen.Group) {
			c.check(g, f.Type, "x", at)
		})
	case formNil, formPointer:
		g.If(jen.Id(x).Op("!=").Nil()).BlockFunc(func(g *jen.Group) { c.check(g, f.Type, x, at) })
	case formDefault:
		if zeroMeansDefault(f.Type) {
			g.If(c.values.notZero(f.Type, x)).BlockFunc(func(g *jen.Group) { c.check(g, f.Type, x, at) })
			return
		}
		c.check(g, f.Type, x, at)
	default:
		c.check(g, f.Type, x, at)
	}
}

// check checks x, a value of t that lies at the pointer at.
func (c checker) check(g *jen.Group, t ir.Type, x, at string) {
	if ref, ok := t.(*ir.Ref); ok && len(ref.Rules) > 0 {
		if null, ok := ir.Underlying(t).(*ir.Nullable); ok {
			c.checkNullable(g, null, ref.Rules, x, at)
			return
		}
		c.rules(g, ir.Underlying(t), ref.Rules, c.held(t, x), c.names.of(t) != nil && c.names.of(t).kind() == kindScalar, at)
	}
	if own := c.names.of(t); own != nil {
		c.checkNamed(g, own, x, at)
		return
	}
	switch s := t.(type) {
	case *ir.List:
		c.rules(g, s, s.Rules, x, false, at)
		c.checkElements(g, s, x, at)
	case *ir.Map:
		c.rules(g, s, s.Rules, x, false, at)
		if c.forms.checked(s.Elem) {
			g.Add(rule("EachMember")).Call(jen.Id("vs"), jen.Lit(at), jen.Id(x), c.function(s.Elem))
		}
	case *ir.Nullable:
		if c.forms.checked(s.Elem) {
			g.If(jen.List(jen.Id("x"), jen.Id("ok")).Op(":=").Id(x).Dot("Get").Call(), isThere(s)).BlockFunc(func(g *jen.Group) {
				c.check(g, s.Elem, "x", at)
			})
		}
	default:
		c.rules(g, t, ir.AllRules(t), x, false, at)
	}
}

// checkNullable checks a value that may be null by rules of its type and of its use.
func (c checker) checkNullable(g *jen.Group, null *ir.Nullable, rules []ir.Rule, x, at string) {
	of := c.names.of(null.Elem)
	g.If(jen.List(jen.Id("x"), jen.Id("ok")).Op(":=").Id(x).Dot("Get").Call(), isThere(null)).BlockFunc(func(g *jen.Group) {
		c.rules(g, ir.Underlying(null.Elem), rules, c.held(null.Elem, "x"), of != nil && of.kind() == kindScalar, at)
		c.check(g, null.Elem, "x", at)
	})
}

// held is what x, a value of t, holds: a checked value that is kept as it is lies in a struct.
func (c checker) held(t ir.Type, x string) string {
	own := c.names.of(t)
	for own != nil && own.kind() == kindAlias {
		own = c.names.of(own.typ)
	}
	if own != nil && own.decl != nil && own.kind() == kindWrapper {
		return x + ".Value"
	}
	return x
}

// isThere is the condition that x, got with ok from a value that may be null, can be checked.
func isThere(null *ir.Nullable) jen.Code {
	if null.Boxed {
		return jen.Id("ok").Op("&&").Id("x").Op("!=").Nil()
	}
	return jen.Id("ok")
}

func (c checker) checkElements(g *jen.Group, s *ir.List, x, at string) {
	if !c.forms.checked(s.Elem) {
		return
	}
	ref, isRef := s.Elem.(*ir.Ref)
	ruled := isRef && len(binding(ir.NonNull(s.Elem), ref.Rules)) > 0
	if own := c.names.of(s.Elem); own != nil && own.byPointer() && !ruled {
		g.Add(rule("Each")).Call(jen.Id("vs"), jen.Lit(at), jen.Id(x), jen.Parens(jen.Op("*").Add(own.ident())).Dot("CheckRules"))
		return
	}
	g.Add(rule("EachValue")).Call(jen.Id("vs"), jen.Lit(at), jen.Id(x), c.function(s.Elem))
}

// function is a function that checks a value of t.
func (c checker) function(t ir.Type) jen.Code {
	if own := c.names.of(t); own != nil && own.kind() == kindUnion {
		return own.sibling("Check" + own.name)
	}
	return jen.Func().Params(violations(), jen.Id("v").Add(c.names.goType(t))).BlockFunc(func(g *jen.Group) {
		c.check(g, t, "v", "")
	})
}

// checkNamed checks x, which is held as the named type own.
func (c checker) checkNamed(g *jen.Group, own *named, x, at string) {
	if own.kind() == kindAlias {
		c.check(g, own.typ, x, at)
		return
	}
	if !c.forms.checks[own] {
		return
	}
	var call jen.Code
	switch own.kind() {
	case kindEnum, kindScalar:
		if own.kind() == kindEnum && own.decl == nil {
			c.checkEnum(g, own, x, jen.Lit(at), false)
			return
		}
		g.Id(x).Dot("CheckAt").Call(jen.Id("vs"), jen.Lit(at))
		return
	case kindUnion:
		call = own.sibling("Check"+own.name).Call(jen.Id("vs"), jen.Id(x))
	default:
		call = jen.Id(x).Dot("CheckRules").Call(jen.Id("vs"))
	}
	if at == "" {
		g.Add(call)
		return
	}
	in := "in" + c.field
	g.Id(in).Op(":=").Id("vs").Dot("Enter").Call()
	g.Add(call)
	g.Id("vs").Dot("Leave").Call(jen.Id(in), jen.Lit(at))
}

// checkEnum checks that x, which is held as own, is a value of the enumeration, with small code or fast. Inline enumerations are checked where they
// are used: a method would take the compiler longer, which makes a second one for pointers.
func (c checker) checkEnum(g *jen.Group, own *named, x string, at jen.Code, small bool) {
	e := own.typ.(*ir.Enum)
	kind, check, all := jen.String(), "Enum", jen.Lit(strings.Join(enumNames(e), "\n"))
	if enumBase(e) != "string" {
		kind, check = jen.Int64(), "EnumInt"
	} else if small {
		g.Add(rule("Listed")).Call(jen.Id("vs"), at, kind.Call(jen.Id(x)), all)
		return
	}
	g.Switch(jen.Id(x)).BlockFunc(func(g *jen.Group) {
		g.CaseFunc(func(g *jen.Group) {
			for i := range e.Values {
				g.Add(own.sibling(c.names.values[&e.Values[i]]))
			}
		})
		g.Default().Block(rule(check).Call(jen.Id("vs"), at, kind.Call(jen.Id(x)), all))
	})
}

func violations() *jen.Statement { return jen.Id("vs").Op("*").Add(rule("Violations")) }
