package templates

import (
	"math/big"
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
		g.Id(c.patternNames[r]).Dot("Check").Call(vs, at, text())
	case *ir.Conform:
		if _, isText := t.(*ir.String); isText {
			g.Id(c.patternNames[r]).Dot("CheckText").Call(vs, at, text())
			return
		}
		if isCompound(t) {
			g.Add(c.conform(t, r, x, at))
			return
		}
		g.Id(c.patternNames[r]).Dot("Check").Call(vs, at, v.Clone().Dot("String").Call())
	case *ir.Format:
		format, _ := ir.FormatNamed(r.Name)
		g.Add(rule(format.Check)).Call(vs, at, text())
	case *ir.Count:
		if s, ok := t.(*ir.Struct); ok {
			c.checkMembers(g, s, r, x, at)
			return
		}
		if s, ok := t.(*ir.Tuple); ok {
			g.Add(rule("Items")).Call(vs, at, c.count(s, x), jen.Lit(r.Min), jen.Lit(r.Max))
			return
		}
		name := "Items"
		if _, ok := t.(*ir.Map); ok {
			name = "Properties"
		}
		g.Add(rule(name)).Call(vs, at, jen.Len(v), jen.Lit(r.Min), jen.Lit(r.Max))
	case *ir.Unique:
		c.unique(g, t.(*ir.List), x, at)
	case *ir.Range:
		c.bounds(g, t, r, x, at)
	case *ir.MultipleOf:
		c.multipleOf(g, t, r, x, converted, at)
	}
}

// conform is a call that checks what x, a value of t, is written as.
func (p *valueWriter) conform(t ir.Type, r *ir.Conform, x string, at jen.Code) jen.Code {
	var written jen.Code = jen.Id(x).Dot("AppendJSON")
	if own := p.of(t); own == nil || !own.byPointer() {
		written = jen.Func().Params(jen.Id("b").Index().Byte()).Index().Byte().Block(jen.Return(p.appendExpr(t, x)))
	}
	return jen.Id(p.patternNames[r]).Dot("CheckValue").Call(jen.Id("vs"), at, written)
}

func (c checker) unique(g *jen.Group, list *ir.List, x string, at jen.Code) {
	if c.comparable(list.Elem) {
		g.Add(rule("Unique")).Call(jen.Id("vs"), at, jen.Id(x))
		return
	}
	g.Add(wire("Unique")).Call(jen.Id("vs"), at, jen.Id(x), c.appendFunc(list.Elem))
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

// bounds are the ends of a range as a value of t is compared with them; those that say nothing about t are empty. The bounds
// of integers are inclusive.
func bounds(t ir.Type, r *ir.Range) (low, high string) {
	switch t := t.(type) {
	case *ir.Int:
		low, high = intBound(r.Min, r.ExclusiveMin, true), intBound(r.Max, r.ExclusiveMax, false)
		if low != "" && outside(t, low, true) {
			low = ""
		}
		if high != "" && outside(t, high, false) {
			high = ""
		}
		return low, high
	case *ir.Float:
		return floatBound(r.Min), floatBound(r.Max)
	}
	return r.Min, r.Max
}

// floatBound leaves out a bound that no float64 reaches.
func floatBound(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return ""
	}
	return goNumber(text)
}

// intBound turns a bound into the integer that it means for integers, inclusive: more than 1.5 is at least 2.
func intBound(text string, exclusive, isMin bool) string {
	x, ok := new(big.Rat).SetString(text)
	if text == "" || !ok {
		return ""
	}
	floor := new(big.Int).Div(x.Num(), x.Denom()) // Euclidean: rounds down, for the denominator is positive
	switch {
	case x.IsInt() && exclusive && isMin:
		floor.Add(floor, big.NewInt(1))
	case x.IsInt() && exclusive:
		floor.Sub(floor, big.NewInt(1))
	case !x.IsInt() && isMin:
		floor.Add(floor, big.NewInt(1))
	}
	return floor.String()
}

// outside reports whether a bound says nothing, because the type's own range is not wider.
func outside(t *ir.Int, bound string, isMin bool) bool {
	b, _ := new(big.Int).SetString(bound, 10)
	low, high := intRange(t)
	if isMin {
		return b.Cmp(low) <= 0
	}
	return b.Cmp(high) >= 0
}

func intRange(t *ir.Int) (low, high *big.Int) {
	bits := uint(t.Bits)
	one := big.NewInt(1)
	if t.Unsigned {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, bits), one)
	}
	half := new(big.Int).Lsh(one, bits-1)
	return new(big.Int).Neg(half), new(big.Int).Sub(half, one)
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

// intMultiple is the integer that an integer must be a multiple of: v is a multiple of a/b when it is one of a, for a/b in
// lowest terms. It reports false when every integer is.
func intMultiple(r *ir.MultipleOf) (of *big.Int, ok bool) {
	n, ok := new(big.Rat).SetString(r.Of)
	if !ok || n.Num().IsInt64() && n.Num().Int64() == 1 {
		return nil, false
	}
	return n.Num(), true
}

// decimalStep writes a decimal as an integer divided by a power of ten.
func decimalStep(text string) (step string, places int) {
	mantissa, exp, _ := strings.Cut(strings.ToLower(text), "e")
	whole, frac, _ := strings.Cut(mantissa, ".")
	n, _ := strconv.Atoi(exp)
	digits := strings.TrimLeft(whole+frac, "0")
	places = len(frac) - n
	for places > 0 && strings.HasSuffix(digits, "0") {
		digits, places = digits[:len(digits)-1], places-1
	}
	for places < 0 {
		digits, places = digits+"0", places+1
	}
	if digits == "" {
		digits = "0"
	}
	return digits, places
}
