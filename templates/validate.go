package templates

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// findChecks finds out which types have rules to check, in themselves or in what lies in them. Types refer to each other in
// circles: a type is asked again when one that it asked about turns out to have some.
func (p *finder) findChecks() {
	w := &waiting{on: map[*named][]*named{}}
	p.waiting = w
	for queue := p.allNamed(); len(queue) > 0; queue = queue[1:] {
		t := queue[0]
		if w.asking = t; !p.checks[t] && p.hasRules(t) {
			p.checks[t] = true
			queue = append(queue, w.on[t]...)
		}
	}
	p.waiting = nil
}

// waiting says which types asked about others that have no rules so far.
type waiting struct {
	asking *named
	on     map[*named][]*named
}

func (p *finder) allNamed() []*named {
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

// hasRules reports whether a value held as t can break a rule.
func (p *finder) hasRules(t *named) bool {
	switch s := t.typ.(type) {
	case *ir.Struct:
		if len(s.Rules) > 0 || s.Additional == ir.AdditionalKept && p.checked(s.Extra) {
			return true
		}
		for _, f := range s.Fields {
			if p.fieldChecked(f) {
				return true
			}
		}
		return false
	case *ir.Tuple:
		return p.tupleHasRules(s)
	case *ir.Union:
		return !contextual(s)
	case *ir.Enum:
		return !s.Open
	}
	return p.under(t).checked(t.typ)
}

// holdsUnion reports whether a field must hold a union: its nil is a fault.
func holdsUnion(f *ir.Field) bool {
	u, ok := ir.Underlying(f.Type).(*ir.Union)
	return ok && !f.Optional && !contextual(u)
}

// fieldChecked reports whether the value of a field can break a rule.
func (p *plan) fieldChecked(f *ir.Field) bool {
	form := formOf(f)
	return !f.Go.Bound() && form != formConst && form != formOptConst && (p.checked(f.Type) || holdsUnion(f))
}

// checked reports whether a value of t can break a rule.
func (p *plan) checked(t ir.Type) bool {
	if isBound(t) {
		return false
	}
	if ref, ok := t.(*ir.Ref); ok && len(binding(ir.NonNull(t), ref.Rules)) > 0 {
		return true
	}
	if own := p.of(t); own != nil {
		if own.kind() == kindAlias {
			return p.checked(own.typ)
		}
		if p.waiting != nil && !p.checks[own] {
			p.waiting.on[own] = append(p.waiting.on[own], p.waiting.asking)
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
	return len(binding(t, ir.AllRules(t))) > 0
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

// checkWriter writes the rules of types.
type checkWriter struct{ *valueWriter }

// emitValidators writes the rules of every type that has some.
func emitValidators(p *plan, f *jen.File) bool {
	w := &checkWriter{&valueWriter{p}}
	said := false
	for _, t := range p.types {
		if p.checks[t] && t.kind() != kindAlias && p.wantsCheck(t) {
			w.emitCheck(f, t)
			said = true
		}
		for _, v := range p.patterns[t] {
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

// wantsCheck reports whether something calls the function that checks t.
func (p *plan) wantsCheck(t *named) bool {
	switch t.kind() {
	case kindEnum, kindScalar:
		return !p.spared[t]
	}
	return p.wants(t, needsBoth|needsCheck)
}

func violations() *jen.Statement { return jen.Id("vs").Op("*").Add(rule("Violations")) }

func (p *checkWriter) emitCheck(f *jen.File, t *named) {
	if p.walks[t] {
		p.emitThinCheck(f, t)
		return
	}
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
		case *ir.Tuple:
			p.checkTuple(g, s)
		default:
			if t.kind() == kindWrapper {
				value = "v.Value"
			}
			c := checker{valueWriter: p.under(t)}
			c.check(g, t.typ, value, "")
		}
	})
	p.emitValidate(f, t)
}

// emitValidate writes what users call to check v.
func (p *checkWriter) emitValidate(f *jen.File, t *named) {
	if p.compact {
		return
	}
	boundary(f)
	f.Comment("Validate returns the rules that v breaks as a *rule.Error, or nil.")
	receiver := jen.Id("v").Id(t.name)
	if t.byPointer() {
		receiver = jen.Id("v").Op("*").Id(t.name)
	}
	f.Func().Params(receiver).Id("Validate").Params().Error().Block(jen.Return(rule("Validate").Call(jen.Id("v"))))
}

func (p *checkWriter) checkScalar(g *jen.Group, t *named) {
	e, ok := t.typ.(*ir.Enum)
	if !ok {
		c := checker{valueWriter: p.under(t), at: jen.Id("at")}
		c.rules(g, t.typ, ir.AllRules(t.typ), "v", true)
		return
	}
	all := jen.Lit(strings.Join(enumNames(e), "\n"))
	if p.compact && !p.fast[t] && enumBase(e) == "string" {
		g.Add(rule("Listed")).Call(jen.Id("vs"), jen.Id("at"), jen.String().Call(jen.Id("v")), all)
		return
	}
	g.Switch(jen.Id("v")).BlockFunc(func(g *jen.Group) {
		g.CaseFunc(func(g *jen.Group) {
			for i := range e.Values {
				g.Id(p.values[&e.Values[i]])
			}
		})
		g.Default().BlockFunc(func(g *jen.Group) {
			if enumBase(e) == "string" {
				g.Add(rule("Enum")).Call(jen.Id("vs"), jen.Id("at"), jen.String().Call(jen.Id("v")), all)
			} else {
				g.Add(rule("EnumInt")).Call(jen.Id("vs"), jen.Id("at"), jen.Int64().Call(jen.Id("v")), all)
			}
		})
	})
}

// branchesChecked reports whether checkCases has a case to write.
func (p *checkWriter) branchesChecked(u *ir.Union, seen map[*ir.Union]bool) bool {
	if seen[u] {
		return false
	}
	seen[u] = true
	for _, b := range u.Branches {
		t := p.branchType(b)
		inner, nested := t.typ.(*ir.Union)
		if nested && t.kind() == kindUnion && p.branchesChecked(inner, seen) || branchChecked(p.plan, b) && t.kind() != kindUnion {
			return true
		}
	}
	return false
}

// branchChecked reports whether a value of a branch can break a rule, of its type or of its use here.
func branchChecked(p *plan, b *ir.Branch) bool {
	return p.checks[p.branchType(b)] || p.wrappers[b] == nil && p.checked(b.Type)
}

// checkRuled writes the case of a branch that stands for itself and has rules of its use.
func (p *checkWriter) checkRuled(g *jen.Group, t *named, of ir.Type) {
	held, c := jen.Id(t.name), checker{valueWriter: p.valueWriter}
	if t.byPointer() {
		held = jen.Op("*").Add(held)
	}
	g.Case(held).BlockFunc(func(g *jen.Group) { c.check(g, of, "v", "") })
}

// checkCases writes a case for each branch with rules.
func (p *checkWriter) checkCases(g *jen.Group, u *ir.Union, seen map[*named]bool) {
	for _, b := range u.Branches {
		t := p.branchType(b)
		if seen[t] || !branchChecked(p.plan, b) {
			continue
		}
		seen[t] = true
		if ref, ok := b.Type.(*ir.Ref); ok && p.wrappers[b] == nil && len(ref.Rules) > 0 {
			p.checkRuled(g, t, b.Type)
			continue
		}
		switch t.kind() {
		case kindUnion:
			p.checkCases(g, t.typ.(*ir.Union), seen)
		case kindStruct, kindTuple, kindWrapper:
			g.Case(jen.Op("*").Id(t.name)).Block(jen.Id("v").Dot("CheckRules").Call(jen.Id("vs")))
		case kindList, kindMap:
			g.Case(jen.Id(t.name)).Block(jen.Id("v").Dot("CheckRules").Call(jen.Id("vs")))
		case kindEnum, kindScalar:
			g.Case(jen.Id(t.name)).Block(jen.Id("v").Dot("CheckAt").Call(jen.Id("vs"), jen.Lit("")))
		}
	}
}

func (p *checkWriter) checkStruct(g *jen.Group, s *ir.Struct) {
	for _, f := range s.Fields {
		if p.fieldChecked(f) {
			p.checkMember(g, f)
		}
	}
	if s.Additional == ir.AdditionalKept && p.checked(s.Extra) {
		c := checker{valueWriter: p.valueWriter, field: "Extra"}
		g.Add(rule("EachMember")).Call(jen.Id("vs"), jen.Lit(""), jen.Id("v.Extra"), c.function(s.Extra))
	}
	for _, r := range s.Rules {
		p.checkObjectRule(g, s, r)
	}
}

// checkMember writes the rules of a field.
func (p *checkWriter) checkMember(g *jen.Group, f *ir.Field) {
	c := checker{valueWriter: p.valueWriter, field: p.field(f)}
	at := "/" + strings.ReplaceAll(strings.ReplaceAll(f.Name, "~", "~0"), "/", "~1")
	if !f.Sensitive {
		c.checkField(g, f, at)
		return
	}
	in := "in" + c.field
	g.Id(in).Op(":=").Id("vs").Dot("Enter").Call()
	c.checkField(g, f, "")
	g.Id("vs").Dot("LeaveSensitive").Call(jen.Id(in), jen.Lit(at))
}

// checkObjectRule writes a rule about which members an object has.
func (p *checkWriter) checkObjectRule(g *jen.Group, s *ir.Struct, r ir.Rule) {
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
	case *ir.Conform:
		g.Add(p.conform(s, r, "v", jen.Lit("")))
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

// present reports whether the member called name is there.
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
