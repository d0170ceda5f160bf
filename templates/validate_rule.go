package templates

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// rules writes the rules of one value; converted means that x is of a named type.
func (c checker) rules(g *jen.Group, t ir.Type, rules []ir.Rule, x string, converted bool, at ...string) {
	where := cmp.Or(c.at, jen.Lit(strings.Join(at, "")))
	for _, r := range bindingRules(t, rules) {
		c.rule(g, t, r, x, converted, where.Clone())
	}
}

func (c checker) rule(g *jen.Group, t ir.Type, r ir.Rule, x string, converted bool, at jen.Code) {
	vs, v := jen.Id("vs"), jen.Id(x)
	text := func() jen.Code {
		if converted {
			return jen.String().Call(jen.Id(x))
		}
		return jen.Id(x)
	}
	switch r := r.(type) {
	case *ir.Length:
		if _, ok := t.(*ir.Bytes); ok {
			g.Add(rule("Encoded")).Call(vs, at, jen.Len(v), jen.Lit(r.Min), jen.Lit(r.Max))
			return
		}
		g.Add(rule("Length")).Call(vs, at, text(), jen.Lit(r.Min), jen.Lit(r.Max))
	case *ir.Pattern:
		g.Id(c.names.patternNames[r]).Dot("Check").Call(vs, at, text())
	case *ir.Conform:
		if _, isText := t.(*ir.String); isText {
			g.Id(c.names.patternNames[r]).Dot("CheckText").Call(vs, at, text())
			return
		}
		if isCompound(t) {
			g.Add(c.values.conform(t, r, x, at))
			return
		}
		g.Id(c.names.patternNames[r]).Dot("Check").Call(vs, at, v.Clone().Dot("String").Call())
	case *ir.Count:
		if s, ok := t.(*ir.Struct); ok {
			c.values.checkMembers(g, s, r, x, at)
			return
		}
		name := "Properties"
		if ir.IsArray(t) {
			name = "Items"
		}
		g.Add(rule(name)).Call(vs, at, c.values.count(t, x), jen.Lit(r.Min), jen.Lit(r.Max))
	case *ir.Unique:
		c.unique(g, t.(*ir.List), x, at)
	case *ir.Range:
		c.bounds(g, t, r, x, at)
	case *ir.MultipleOf:
		c.multipleOf(g, t, r, x, converted, at)
	default: // what a struct requires is checked with its fields
		if name := r.Check(); name != "" {
			g.Add(rule(name)).Call(vs, at, text())
		}
	}
}

// conform is a call that checks what x, a value of t, is written as.
func (w *valueWriter) conform(t ir.Type, r *ir.Conform, x string, at jen.Code) jen.Code {
	var written jen.Code = selector(x, "AppendJSON")
	if own := w.names.of(t); own == nil || !own.byPointer() {
		written = jen.Func().Params(jen.Id("b").Index().Byte()).Index().Byte().Block(jen.Return(w.appendExpr(t, x)))
	}
	return invoke(w.names.patternNames[r], "CheckValue", jen.Id("vs"), at, written)
}

func (c checker) unique(g *jen.Group, list *ir.List, x string, at jen.Code) {
	if c.comparable(list.Elem) {
		g.Add(rule("Unique")).Call(jen.Id("vs"), at, jen.Id(x))
		return
	}
	g.Add(wire("Unique")).Call(jen.Id("vs"), at, jen.Id(x), c.values.appendFunc(list.Elem))
}

// comparable reports whether == on two values of t is equality of what they are in JSON.
func (c checker) comparable(t ir.Type) bool {
	if ir.IsBound(t) {
		return false
	}
	switch ir.Underlying(t).(type) {
	case *ir.Bool, *ir.Int, *ir.String, *ir.Enum, *ir.Float:
		return true
	}
	return false
}

func (c checker) bounds(g *jen.Group, t ir.Type, r *ir.Range, x string, at jen.Code) {
	vs, v := jen.Id("vs"), jen.Id(x)
	low, high := bounds(t, r)
	for _, end := range []struct {
		bound           string
		exclusive       bool
		name, exclusion string
	}{{low, r.ExclusiveMin, "Min", "Above"}, {high, r.ExclusiveMax, "Max", "Below"}} {
		switch {
		case end.bound == "":
		case ir.Is[*ir.Decimal](t):
			g.Add(rule("Decimal"+end.name)).Call(vs, at, jen.String().Call(v), jen.Lit(end.bound), jen.Lit(end.exclusive))
		case end.exclusive && !ir.Is[*ir.Int](t):
			g.Add(rule(end.exclusion)).Call(vs, at, v, jen.Id(end.bound))
		default:
			g.Add(rule(end.name)).Call(vs, at, v, jen.Id(end.bound))
		}
	}
}

func (c checker) multipleOf(g *jen.Group, t ir.Type, r *ir.MultipleOf, x string, converted bool, at jen.Code) {
	vs, v := jen.Id("vs"), jen.Id(x)
	switch t := t.(type) {
	case *ir.Int:
		of, ok := intMultiple(r)
		switch _, high := intRange(t); {
		case !ok:
		case of.Cmp(high) > 0:
			g.Add(rule("MultipleOfText")).Call(vs, at, v, jen.Lit(of.String()))
		default:
			g.Add(rule("MultipleOf")).Call(vs, at, v, jen.Id(of.String()))
		}
	case *ir.Float:
		step, places := decimalStep(r.Of)
		if _, err := strconv.ParseUint(step, 10, 64); err != nil {
			g.Add(rule("MultipleOfText")).Call(vs, at, v, jen.Lit(r.Of))
			return
		}
		if converted {
			v = jen.Float64().Call(v)
		}
		g.Add(rule("MultipleOfFloat")).Call(vs, at, v, jen.Id(step), jen.Lit(places))
	case *ir.Decimal:
		g.Add(rule("DecimalMultipleOf")).Call(vs, at, jen.String().Call(v), jen.Lit(r.Of))
	}
}

// checkMembers writes a rule about how many members x, a struct, has.
func (w *valueWriter) checkMembers(g *jen.Group, s *ir.Struct, r *ir.Count, x string, at jen.Code) {
	present := ir.Each(s.Fields, func(f *ir.Field) jen.Code { return w.present(s, x, f.Name) })
	n := rule("Count").Call(present...)
	if s.Additional == ir.AdditionalKept {
		n = n.Op("+").Len(jen.Id(x + ".Extra"))
	}
	g.Add(rule("Properties")).Call(jen.Id("vs"), at, n, jen.Lit(r.Min), jen.Lit(r.Max))
}

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
		c.rules(g, ir.Underlying(t), ref.Rules, c.heldValue(t, x), c.names.isScalar(t), at)
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
	g.If(jen.List(jen.Id("x"), jen.Id("ok")).Op(":=").Id(x).Dot("Get").Call(), isThere(null)).BlockFunc(func(g *jen.Group) {
		c.rules(g, ir.Underlying(null.Elem), rules, c.heldValue(null.Elem, "x"), c.names.isScalar(null.Elem), at)
		c.check(g, null.Elem, "x", at)
	})
}

// heldValue is what x, a value of t, holds: a checked value that is kept as it is lies in a struct.
func (c checker) heldValue(t ir.Type, x string) string {
	own := c.names.target(t)
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
	ruled := isRef && len(bindingRules(ir.NonNull(s.Elem), ref.Rules)) > 0
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
func (c checker) checkNamed(g *jen.Group, own *namedType, x, at string) {
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
		call = invoke(x, "CheckRules", jen.Id("vs"))
	}
	if at == "" {
		g.Add(call)
		return
	}
	in := "in" + c.field
	g.Id(in).Op(":=").Id("vs").Dot("Enter").Call()
	g.Add(call)
	g.Add(invoke("vs", "Leave", jen.Id(in), jen.Lit(at)))
}

// checkEnum checks that x, which is held as own, is a value of the enumeration, with small code or fast. Inline enumerations are checked where they
// are used: a method would take the compiler longer, which makes a second one for pointers.
func (c checker) checkEnum(g *jen.Group, own *namedType, x string, at jen.Code, small bool) {
	e := own.typ.(*ir.Enum)
	kind, check, all := jen.String(), "Enum", jen.Lit(strings.Join(enumNames(e), "\n"))
	if len(strings.Join(enumNames(e), "\n")) > longest {
		all = rawLines(strings.Join(enumNames(e), "\n"))
	}
	if enumBase(e) != "string" {
		kind, check = jen.Int64(), "EnumInt"
	} else if small {
		g.Add(rule("Listed")).Call(jen.Id("vs"), at, kind.Call(jen.Id(x)), all)
		return
	}
	g.Switch(jen.Id(x)).BlockFunc(func(g *jen.Group) {
		g.CaseFunc(func(g *jen.Group) { c.cases(g, own, e) })
		g.Default().Block(rule(check).Call(jen.Id("vs"), at, kind.Call(jen.Id(x)), all))
	})
}

// longest is how many bytes the values of an enumeration have on one line at most.
const longest = 120

// cases lists the values of an enumeration, on several lines if they are many.
func (c checker) cases(g *jen.Group, own *namedType, e *ir.Enum) {
	width := 0
	for i := range e.Values {
		name := c.names.values[&e.Values[i]]
		value := own.sibling(name)
		if width += len(name) + len(", "); width > longest {
			width, value = len(name), jen.Line().Add(value)
		}
		g.Add(value)
	}
}

func violations() *jen.Statement { return jen.Id("vs").Op("*").Add(rule("Violations")) }
