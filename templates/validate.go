package templates

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// findChecks finds out which types have rules to check, in themselves or in what lies in them. Types refer to each other in
// circles, so the answer grows until it stays.
func (p *plan) findChecks() {
	all := p.allNamed()
	for changed := true; changed; {
		changed = false
		for _, t := range all {
			if !p.checks[t] && p.hasRules(t) {
				p.checks[t] = true
				changed = true
			}
		}
	}
}

func (p *plan) allNamed() []*named {
	all := append([]*named(nil), p.types...)
	for _, t := range p.byDecl {
		if t.pkg != "" {
			all = append(all, t)
		}
	}
	for _, t := range p.byType {
		if t.pkg != "" {
			all = append(all, t)
		}
	}
	return all
}

// hasRules tells whether a value held as t can break a rule.
func (p *plan) hasRules(t *named) bool {
	switch s := t.typ.(type) {
	case *ir.Struct:
		if len(s.Rules) > 0 || s.Additional == ir.AdditionalKept && p.checked(s.Extra) {
			return true
		}
		for _, f := range s.Fields {
			if !f.Go.Bound() && (p.checked(f.Type) || holdsUnion(f)) {
				return true
			}
		}
		return false
	case *ir.Union:
		return !contextual(s)
	case *ir.Enum:
		return !s.Open
	}
	return p.under(t).checked(t.typ)
}

// holdsUnion tells whether a field must hold a union: its nil is a fault.
func holdsUnion(f *ir.Field) bool {
	u, ok := shape(f.Type).(*ir.Union)
	return ok && !f.Optional && !contextual(u)
}

// checked tells whether a value of t can break a rule.
func (p *plan) checked(t ir.Type) bool {
	if isBound(t) {
		return false
	}
	if ref, ok := t.(*ir.Ref); ok && len(binding(nonNull(t), ref.Rules)) > 0 {
		return true
	}
	if own := p.of(t); own != nil {
		if own.kind() == kindAlias {
			return p.checked(own.typ)
		}
		return p.checks[own]
	}
	switch s := t.(type) {
	case *ir.List:
		return len(binding(s, s.Rules)) > 0 || p.checked(s.Elem)
	case *ir.Map:
		return len(binding(s, s.Rules)) > 0 || p.checked(s.Elem)
	case *ir.Nullable:
		return p.checked(s.Elem)
	}
	return len(binding(t, allRules(t))) > 0
}

// nonNull is the shape of t when it is not null.
func nonNull(t ir.Type) ir.Type {
	for {
		null, ok := shape(t).(*ir.Nullable)
		if !ok {
			return shape(t)
		}
		t = null.Elem
	}
}

// binding leaves out the rules that no value of t can break, such as a bound beyond the width of an integer: there is nothing
// to write for them.
func binding(t ir.Type, rules []ir.Rule) []ir.Rule {
	return slices.DeleteFunc(slices.Clone(rules), func(r ir.Rule) bool {
		switch r := r.(type) {
		case *ir.Length:
			return r.Min == 0 && r.Max < 0
		case *ir.Count:
			return r.Min == 0 && r.Max < 0
		case *ir.Range:
			low, high := bounds(t, r)
			return low == "" && high == ""
		case *ir.MultipleOf:
			_, isInt := t.(*ir.Int)
			_, ok := intMultiple(r)
			return isInt && !ok
		}
		return false
	})
}

// emitValidators writes the rules of every type that has some.
func emitValidators(p *plan, f *jen.File) bool {
	said := false
	for _, t := range p.types {
		if p.checks[t] && t.kind() != kindAlias {
			p.emitCheck(f, t)
			said = true
		}
		for _, v := range p.patterns[t] {
			boundary(f)
			f.Var().Id(v.name).Op("=").Qual(patternPath, "Pattern").Values(jen.Id("Expr").Op(":").Add(raw(v.pattern.Expr)))
			said = true
		}
	}
	return said
}

func violations() *jen.Statement { return jen.Id("vs").Op("*").Add(rule("Violations")) }

func (p *plan) emitCheck(f *jen.File, t *named) {
	boundary(f)
	switch t.kind() {
	case kindEnum, kindScalar:
		f.Comment("CheckAt reports to vs, at the pointer at, the rules that v breaks.")
		f.Func().Params(jen.Id("v").Id(t.name)).Id("CheckAt").Params(violations(), jen.Id("at").String()).BlockFunc(func(g *jen.Group) {
			p.checkScalar(g, t)
		})
		return
	case kindUnion:
		name := "Check" + t.name
		f.Comment(name + " reports to vs the rules that v breaks.")
		f.Func().Id(name).Params(violations(), jen.Id("v").Id(t.name)).BlockFunc(func(g *jen.Group) {
			missing := rule("Missing").Call(jen.Id("vs"), jen.Lit(""))
			if !p.branchesChecked(t.typ.(*ir.Union), map[*ir.Union]bool{}) {
				g.If(jen.Id("v").Op("==").Nil()).Block(missing)
				return
			}
			g.Switch(jen.Id("v").Op(":=").Id("v").Assert(jen.Type())).BlockFunc(func(g *jen.Group) {
				p.checkCases(g, t.typ.(*ir.Union), map[*named]bool{})
				g.Case(jen.Nil()).Block(missing)
			})
		})
		return
	}
	receiver, value := jen.Id("v").Id(t.name), "v"
	if t.byPointer() {
		receiver = jen.Id("v").Op("*").Id(t.name)
	}
	f.Comment("CheckRules reports to vs the rules that v breaks.")
	f.Func().Params(receiver).Id("CheckRules").Params(violations()).BlockFunc(func(g *jen.Group) {
		switch s := t.typ.(type) {
		case *ir.Struct:
			p.checkStruct(g, s)
		default:
			if t.kind() == kindWrapper {
				value = "v.Value"
			}
			c := checker{plan: p.under(t)}
			c.check(g, t.typ, value, "")
		}
	})
	if p.compact {
		return
	}
	boundary(f)
	f.Comment("Validate returns the rules that v breaks as a *rule.Error, or nil.")
	receiver = jen.Id("v").Id(t.name)
	if t.byPointer() {
		receiver = jen.Id("v").Op("*").Id(t.name)
	}
	f.Func().Params(receiver).Id("Validate").Params().Error().Block(jen.Return(rule("Validate").Call(jen.Id("v"))))
}

func (p *plan) checkScalar(g *jen.Group, t *named) {
	e, ok := t.typ.(*ir.Enum)
	if !ok {
		c := checker{plan: p.under(t), at: jen.Id("at")}
		c.rules(g, t.typ, allRules(t.typ), "v", true)
		return
	}
	names := make([]string, len(e.Values))
	g.Switch(jen.Id("v")).BlockFunc(func(g *jen.Group) {
		g.CaseFunc(func(g *jen.Group) {
			for i := range e.Values {
				names[i] = e.Values[i].Value.Text
				g.Id(p.values[&e.Values[i]])
			}
		})
		g.Default().BlockFunc(func(g *jen.Group) {
			if enumBase(e) == "string" {
				g.Add(rule("Enum")).Call(jen.Id("vs"), jen.Id("at"), jen.String().Call(jen.Id("v")), jen.Lit(strings.Join(names, "\n")))
			} else {
				g.Add(rule("EnumInt")).Call(jen.Id("vs"), jen.Id("at"), jen.Int64().Call(jen.Id("v")), jen.Lit(strings.Join(names, "\n")))
			}
		})
	})
}

// branchesChecked tells whether checkCases has a case to write.
func (p *plan) branchesChecked(u *ir.Union, seen map[*ir.Union]bool) bool {
	if seen[u] {
		return false
	}
	seen[u] = true
	for _, b := range u.Branches {
		t := p.branchType(b)
		inner, nested := t.typ.(*ir.Union)
		if nested && t.kind() == kindUnion && p.branchesChecked(inner, seen) || p.checks[t] && t.kind() != kindUnion {
			return true
		}
	}
	return false
}

// checkCases writes a case for each branch with rules.
func (p *plan) checkCases(g *jen.Group, u *ir.Union, seen map[*named]bool) {
	for _, b := range u.Branches {
		t := p.branchType(b)
		if seen[t] || !p.checks[t] {
			continue
		}
		seen[t] = true
		switch t.kind() {
		case kindUnion:
			p.checkCases(g, t.typ.(*ir.Union), seen)
		case kindStruct, kindWrapper:
			g.Case(jen.Op("*").Id(t.name)).Block(jen.Id("v").Dot("CheckRules").Call(jen.Id("vs")))
		case kindList, kindMap:
			g.Case(jen.Id(t.name)).Block(jen.Id("v").Dot("CheckRules").Call(jen.Id("vs")))
		case kindEnum, kindScalar:
			g.Case(jen.Id(t.name)).Block(jen.Id("v").Dot("CheckAt").Call(jen.Id("vs"), jen.Lit("")))
		}
	}
}

func (p *plan) checkStruct(g *jen.Group, s *ir.Struct) {
	for _, f := range s.Fields {
		if f.Go.Bound() || formOf(f) == formConst || formOf(f) == formOptConst || !p.checked(f.Type) && !holdsUnion(f) {
			continue
		}
		c := checker{plan: p, field: p.field(f)}
		at := "/" + strings.ReplaceAll(strings.ReplaceAll(f.Name, "~", "~0"), "/", "~1")
		if !f.Sensitive {
			c.checkField(g, f, at)
			continue
		}
		in := "in" + c.field
		g.Id(in).Op(":=").Id("vs").Dot("Enter").Call()
		c.checkField(g, f, "")
		g.Id("vs").Dot("LeaveSensitive").Call(jen.Id(in), jen.Lit(at))
	}
	if s.Additional == ir.AdditionalKept && p.checked(s.Extra) {
		c := checker{plan: p, field: "Extra"}
		g.Add(rule("EachMember")).Call(jen.Id("vs"), jen.Lit(""), jen.Id("v.Extra"), c.function(s.Extra))
	}
	for _, r := range s.Rules {
		p.checkObjectRule(g, s, r)
	}
}

// checkObjectRule writes a rule about which members an object has.
func (p *plan) checkObjectRule(g *jen.Group, s *ir.Struct, r ir.Rule) {
	switch r := r.(type) {
	case *ir.Require:
		present := make([]jen.Code, len(r.Fields))
		for i, name := range r.Fields {
			present[i] = p.present(s, "v", name)
		}
		switch r.How {
		case ir.RequireAny:
			g.Add(rule("RequireAny")).Call(jen.Id("vs"), join(present, "||"), jen.Lit(r.Text))
		case ir.RequireOne:
			g.Add(rule("RequireOne")).Call(jen.Id("vs"), rule("Count").Call(present...), jen.Lit(r.Text))
		default:
			g.Add(rule("RequireWith")).Call(jen.Id("vs"), present[0], join(present[1:], "&&"), jen.Lit(r.Text))
		}
	case *ir.Count:
		p.checkMembers(g, s, r, "v", jen.Lit(""))
	}
}

// checkMembers writes a rule about how many members x, a struct, has.
func (p *plan) checkMembers(g *jen.Group, s *ir.Struct, r *ir.Count, x string, at jen.Code) {
	present := make([]jen.Code, len(s.Fields))
	for i, f := range s.Fields {
		present[i] = p.present(s, x, f.Name)
	}
	n := rule("Count").Call(present...)
	if s.Additional == ir.AdditionalKept {
		n = n.Op("+").Len(jen.Id(x + ".Extra"))
	}
	g.Add(rule("Properties")).Call(jen.Id("vs"), at, n, jen.Lit(r.Min), jen.Lit(r.Max))
}

func join(parts []jen.Code, op string) *jen.Statement {
	s := jen.Add(parts[0])
	for _, p := range parts[1:] {
		s = s.Op(op).Add(p)
	}
	return s
}

// present tells whether the member called name is there.
func (p *plan) present(s *ir.Struct, owner, name string) *jen.Statement {
	for _, f := range s.Fields {
		if f.Name != name {
			continue
		}
		x := jen.Id(owner + "." + p.field(f))
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

// A checker writes the checks of one value.
type checker struct {
	*plan
	field string         // the field that is being checked; empty: the type itself
	at    *jen.Statement // the pointer, when it is not a literal
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
			g.If(c.notZero(f.Type, x)).BlockFunc(func(g *jen.Group) { c.check(g, f.Type, x, at) })
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
		if null, ok := shape(t).(*ir.Nullable); ok {
			c.checkNullable(g, null, ref.Rules, x, at)
			return
		}
		c.rules(g, shape(t), ref.Rules, x, c.of(t) != nil && c.of(t).kind() == kindScalar, at)
	}
	if own := c.of(t); own != nil {
		c.checkNamed(g, own, x, at)
		return
	}
	switch s := t.(type) {
	case *ir.List:
		c.rules(g, s, s.Rules, x, false, at)
		c.checkElements(g, s, x, at)
	case *ir.Map:
		c.rules(g, s, s.Rules, x, false, at)
		if c.checked(s.Elem) {
			g.Add(rule("EachMember")).Call(jen.Id("vs"), jen.Lit(at), jen.Id(x), c.function(s.Elem))
		}
	case *ir.Nullable:
		if c.checked(s.Elem) {
			g.If(jen.List(jen.Id("x"), jen.Id("ok")).Op(":=").Id(x).Dot("Get").Call(), jen.Id("ok")).BlockFunc(func(g *jen.Group) {
				c.check(g, s.Elem, "x", at)
			})
		}
	default:
		c.rules(g, t, allRules(t), x, false, at)
	}
}

// checkNullable checks a value that may be null by rules of its type and of its use.
func (c checker) checkNullable(g *jen.Group, null *ir.Nullable, rules []ir.Rule, x, at string) {
	of := c.of(null.Elem)
	g.If(jen.List(jen.Id("x"), jen.Id("ok")).Op(":=").Id(x).Dot("Get").Call(), jen.Id("ok")).BlockFunc(func(g *jen.Group) {
		c.rules(g, shape(null.Elem), rules, "x", of != nil && of.kind() == kindScalar, at)
		c.check(g, null.Elem, "x", at)
	})
}

func (c checker) checkElements(g *jen.Group, s *ir.List, x, at string) {
	if !c.checked(s.Elem) {
		return
	}
	if own := c.of(s.Elem); own != nil && own.byPointer() {
		g.Add(rule("Each")).Call(jen.Id("vs"), jen.Lit(at), jen.Id(x), jen.Parens(jen.Op("*").Add(own.ident())).Dot("CheckRules"))
		return
	}
	g.Add(rule("EachValue")).Call(jen.Id("vs"), jen.Lit(at), jen.Id(x), c.function(s.Elem))
}

// function is a function that checks a value of t.
func (c checker) function(t ir.Type) jen.Code {
	if own := c.of(t); own != nil && own.kind() == kindUnion {
		return own.sibling("Check" + own.name)
	}
	return jen.Func().Params(violations(), jen.Id("v").Add(c.goType(t))).BlockFunc(func(g *jen.Group) {
		c.check(g, t, "v", "")
	})
}

// checkNamed checks x, which is held as the named type own.
func (c checker) checkNamed(g *jen.Group, own *named, x, at string) {
	if own.kind() == kindAlias {
		inner := c
		inner.field = ""
		inner.check(g, own.typ, x, at)
		return
	}
	if !c.checks[own] {
		return
	}
	var call jen.Code
	switch own.kind() {
	case kindEnum, kindScalar:
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

// rules writes the rules of one value; converted tells that x is of a named type.
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
	case *ir.Format:
		g.Add(rule(formatChecks[r.Name])).Call(vs, at, text())
	case *ir.Count:
		if s, ok := t.(*ir.Struct); ok {
			c.checkMembers(g, s, r, x, at)
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

var formatChecks = map[string]string{
	"uri": "URI", "uri-template": "URITemplate", "uri_template": "URITemplate", "email": "Email", "uuid": "UUID", "date": "Date", "duration": "Duration",
}

func (c checker) unique(g *jen.Group, list *ir.List, x string, at jen.Code) {
	if c.comparable(list.Elem) {
		g.Add(rule("Unique")).Call(jen.Id("vs"), at, jen.Id(x))
		return
	}
	g.Add(wire("Unique")).Call(jen.Id("vs"), at, jen.Id(x), c.appendFunc(list.Elem))
}

// comparable tells whether == on two values of t is equality of what they are in JSON.
func (c checker) comparable(t ir.Type) bool {
	if isBound(t) {
		return false
	}
	switch shape(t).(type) {
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

// outside tells whether a bound says nothing, because the type's own range is no wider.
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
// lowest terms. It tells false when every integer is.
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
