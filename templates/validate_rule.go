package templates

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// rules writes the rules of one value; converted means that x is of a named type.
func (c checker) rules(g *jen.Group, t ir.Type, rules []ir.Rule, x string, converted bool, at ...string) {
	where := c.at
	if where == nil {
		where = jen.Lit(strings.Join(at, ""))
	}
	for _, r := range binding(t, rules) {
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
	case *ir.Format:
		format, _ := ir.FormatNamed(r.Name)
		g.Add(rule(format.Check)).Call(vs, at, text())
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
	}
}

// conform is a call that checks what x, a value of t, is written as.
func (w *valueWriter) conform(t ir.Type, r *ir.Conform, x string, at jen.Code) jen.Code {
	var written jen.Code = jen.Id(x).Dot("AppendJSON")
	if own := w.names.of(t); own == nil || !own.byPointer() {
		written = jen.Func().Params(jen.Id("b").Index().Byte()).Index().Byte().Block(jen.Return(w.appendExpr(t, x)))
	}
	return jen.Id(w.names.patternNames[r]).Dot("CheckValue").Call(jen.Id("vs"), at, written)
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
	if isBound(t) {
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
	_, isDecimal := t.(*ir.Decimal)
	_, isInt := t.(*ir.Int)
	if low != "" {
		switch {
		case isDecimal:
			g.Add(rule("DecimalMin")).Call(vs, at, jen.String().Call(v), jen.Lit(low), jen.Lit(r.ExclusiveMin))
		case r.ExclusiveMin && !isInt:
			g.Add(rule("Above")).Call(vs, at, v, jen.Id(low))
		default:
			g.Add(rule("Min")).Call(vs, at, v, jen.Id(low))
		}
	}
	if high != "" {
		switch {
		case isDecimal:
			g.Add(rule("DecimalMax")).Call(vs, at, jen.String().Call(v), jen.Lit(high), jen.Lit(r.ExclusiveMax))
		case r.ExclusiveMax && !isInt:
			g.Add(rule("Below")).Call(vs, at, v, jen.Id(high))
		default:
			g.Add(rule("Max")).Call(vs, at, v, jen.Id(high))
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
	present := make([]jen.Code, len(s.Fields))
	for i, f := range s.Fields {
		present[i] = w.present(s, x, f.Name)
	}
	n := rule("Count").Call(present...)
	if s.Additional == ir.AdditionalKept {
		n = n.Op("+").Len(jen.Id(x + ".Extra"))
	}
	g.Add(rule("Properties")).Call(jen.Id("vs"), at, n, jen.Lit(r.Min), jen.Lit(r.Max))
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
