package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// In the compact codec one method of a struct lists its members for reading, writing and checking: WalkJSON. A struct whose members
// are read in other ways has the methods of the full codec, and so has one that is fast.

// findWalks finds out which structs have a WalkJSON.
func (p *finder) findWalks() {
	p.walks, p.walked, p.spared = map[*named]bool{}, map[*named]needs{}, map[*named]bool{}
	small := p.findSmall()
	for _, t := range p.types {
		s, ok := t.typ.(*ir.Struct)
		p.walks[t] = ok && small[t] && t.kind() == kindStruct && !t.isError && p.walkable(s)
		if p.walks[t] && !p.compact {
			p.walked[t] = needsBoth
		}
	}
}

// walkable reports whether a Walker can handle every member of s.
func (p *plan) walkable(s *ir.Struct) bool {
	for _, f := range s.Fields {
		if f.Go.Bound() || isBound(f.Type) || p.nullAbsent(f) || jsonString(f.Name) != `"`+f.Name+`"` {
			return false
		}
	}
	conforms := slices.ContainsFunc(s.Rules, func(r ir.Rule) bool { _, ok := r.(*ir.Conform); return ok })
	return len(s.Fields) > 0 && s.Additional != ir.AdditionalKept && !conforms
}

// reachCall is reach for params and results that the runtime reads and writes: a struct with a WalkJSON needs no other methods.
func (p *finder) reachCall(t ir.Type, n needs) {
	if own := p.of(t); own != nil && p.walks[own] && !isBound(t) {
		p.reachWalk(own, n)
		return
	}
	p.reach(t, n)
}

// reachWalk notes that a Walker takes values of t the way n.
func (p *finder) reachWalk(t *named, n needs) {
	if p.walked[t]&n == n {
		return
	}
	p.walked[t] |= n
	for _, f := range t.typ.(*ir.Struct).Fields {
		if _, inner := p.walksTo(f); inner != nil {
			p.reachWalk(inner, n)
			continue
		}
		if p.choice(f) != nil && p.of(f.Type).decl == nil {
			p.spared[p.of(f.Type)] = true
		}
		p.reachField(f, n)
	}
}

// lies is how a struct that a Walker takes lies in a member.
type lies uint8

const (
	liesNot lies = iota
	liesWhole
	liesPointed
	liesListed
)

// walksTo returns the struct in f that a Walker takes as it is, and how it lies there.
func (p *plan) walksTo(f *ir.Field) (lies, *named) {
	form, in, t := formOf(f), liesNot, f.Type
	list, isList := t.(*ir.List)
	switch {
	case f.Sensitive && p.fieldChecked(f):
		return liesNot, nil
	case isList && p.of(t) == nil && (form == formPlain || form == formNil):
		if _, ok := onlyCount(list); !ok {
			return liesNot, nil
		}
		in, t = liesListed, list.Elem
	case form == formPlain:
		in = liesWhole
	case form == formPointer:
		in = liesPointed
	}
	own := p.of(t)
	if ref, ok := t.(*ir.Ref); in == liesNot || own == nil || !p.walks[own] || isBound(t) || ok && len(ref.Rules) > 0 {
		return liesNot, nil
	}
	return in, own
}

// onlyCount returns how many elements a list may have. It reports false if there are other rules, or several of that kind.
func onlyCount(list *ir.List) (*ir.Count, bool) {
	count := &ir.Count{Max: -1}
	for i, r := range list.Rules {
		c, ok := r.(*ir.Count)
		if !ok || i > 0 {
			return nil, false
		}
		count = c
	}
	return count, true
}

// choice returns the closed enumeration of strings that f holds, if a Walker takes and checks it.
func (p *plan) choice(f *ir.Field) *ir.Enum {
	e, ok := ir.Underlying(f.Type).(*ir.Enum)
	own, form := p.of(f.Type), formOf(f)
	if !ok || e.Open || enumBase(e) != "string" || own == nil || own.kind() != kindEnum || own.pkg != "" || f.Sensitive {
		return nil
	}
	if ref, ok := f.Type.(*ir.Ref); ok && len(ref.Rules) > 0 {
		return nil
	}
	if form == formPlain || form == formDefault && zeroMeansDefault(f.Type) {
		return e
	}
	return nil
}

// walkWriter writes the methods that list members.
type walkWriter struct{ *codecWriter }

func (p *walkWriter) emit(f *jen.File, t *named) {
	s, names := t.typ.(*ir.Struct), p.hidden(t.name, "Keys")
	if p.namesKeys(t, s) && p.walked[t]&needsDecode != 0 {
		p.emitKeys(f, t, s, names)
	}
	boundary(f)
	f.Comment("WalkJSON passes each member of v to w.")
	receiver := func() *jen.Statement { return jen.Id("v").Op("*").Id(t.name) }
	f.Func().Params(receiver()).Id("WalkJSON").Params(jen.Id("w").Op("*").Add(wire("Walker"))).BlockFunc(func(g *jen.Group) {
		for _, field := range s.Fields {
			p.walk(g, t, field)
		}
		switch {
		case !p.namesKeys(t, s) || p.walked[t]&needsDecode == 0:
		case s.Additional == ir.AdditionalRejected:
			g.Id("w").Dot("Reject").Call(jen.Id(names))
		default:
			g.Id("w").Dot("Unknown").Call(jen.Id(names))
		}
		if len(s.Rules) > 0 {
			p.hatch(g, func(g *jen.Group) {
				for _, r := range s.Rules {
					(&checkWriter{p.valueWriter}).checkObjectRule(g, s, r)
				}
			})
		}
	})
	if p.wants(t, needsAppend) {
		appendSignature(f, receiver()).Block(jen.Return(wire("WalkAppend").Call(jen.Id("b"), jen.Id("v"))))
	}
	if p.wants(t, needsDecode) {
		decodeSignature(f, t).Block(wire("WalkDecode").Call(jen.Id("r"), jen.Id("v")))
	}
}

// namesKeys reports whether the code of t needs the names of all members: those that a message may not have are compared with them.
func (p *plan) namesKeys(t *named, s *ir.Struct) bool {
	return s.Additional == ir.AdditionalRejected || p.strict[t]
}

// hasKeys reports whether the names of the members of t are a constant.
func (p *plan) hasKeys(t *named, s *ir.Struct) bool {
	if p.walks[t] {
		return p.namesKeys(t, s) && p.walked[t]&needsDecode != 0
	}
	return p.wants(t, needsDecode)
}

// hatch writes what is done only while rules are checked.
func (p *walkWriter) hatch(g *jen.Group, check func(*jen.Group)) {
	g.If(jen.Id("vs").Op(":=").Id("w").Dot("Violations").Call(), jen.Id("vs").Op("!=").Nil()).BlockFunc(check)
}

// walk writes what takes the member f.
func (p *walkWriter) walk(g *jen.Group, t *named, f *ir.Field) {
	key := raw("," + jsonString(f.Name) + ":")
	address := jen.Op("&").Id("v." + p.field(f))
	if in, inner := p.walksTo(f); inner != nil {
		p.walkInner(g, f, in, inner, key, address)
		return
	}
	if formOf(f) == formConst {
		g.Id("w").Dot("Const").Call(key, raw(jsonText(ir.Underlying(f.Type).(*ir.Literal).Value)), presence(f))
		return
	}
	if e := p.choice(f); e != nil {
		text := jen.Parens(jen.Op("*").String()).Call(address)
		names := nameList(enumNames(e))
		if formOf(f) == formDefault {
			g.Id("w").Dot("ChoiceOr").Call(text, key, names, jen.Lit(f.Default.Text))
		} else {
			g.Id("w").Dot("Choice").Call(text, key, names)
		}
		return
	}
	if list, ok := f.Type.(*ir.List); ok && p.walkTexts(g, f, list, key, address) {
		return
	}
	if call := p.walkScalar(f, key, address); call != nil {
		ruled := call.rules(p.plan, f)
		g.Add(call.code)
		if p.fieldChecked(f) && !ruled {
			p.hatch(g, func(g *jen.Group) { (&checkWriter{p.valueWriter}).checkMember(g, f) })
		}
		return
	}
	p.walkAny(g, t, f, key)
}

// presence says whether f is required.
func presence(f *ir.Field) *jen.Statement {
	if f.Optional {
		return wire("Optional")
	}
	return wire("Required")
}

// walkInner writes what takes a member that holds a struct which lists its own members.
func (p *walkWriter) walkInner(g *jen.Group, f *ir.Field, in lies, inner *named, key, address *jen.Statement) {
	ruled, walk := jen.Lit(p.checks[inner]), jen.Parens(jen.Op("*").Id(inner.name)).Dot("WalkJSON")
	switch in {
	case liesWhole:
		g.Id("w").Dot("Struct").Call(address, key, ruled)
	case liesPointed:
		g.Add(wire("WalkPointer")).Call(jen.Id("w"), address, key, ruled, walk)
	default:
		count, _ := onlyCount(f.Type.(*ir.List))
		g.Add(wire("WalkList")).Call(jen.Id("w"), address, key, presence(f), jen.Lit(count.Min), jen.Lit(count.Max), ruled, walk)
	}
}

// walkTexts writes what takes a list of strings. It reports false if there is no call for f.
func (p *walkWriter) walkTexts(g *jen.Group, f *ir.Field, list *ir.List, key, address *jen.Statement) bool {
	_, isText := list.Elem.(*ir.String)
	count, ok := onlyCount(list)
	form := formOf(f)
	if !ok || !isText || p.of(f.Type) != nil || p.of(list.Elem) != nil || p.checked(list.Elem) || f.Sensitive || form != formPlain && form != formNil {
		return false
	}
	g.Id("w").Dot("Strings").Call(address, key, presence(f), jen.Lit(count.Min), jen.Lit(count.Max))
	return true
}

// walkCall is a call that takes a member, and the rules that follow it.
type walkCall struct{ code *jen.Statement }

// walkers are the methods that take required members, by what their value is held as.
var walkers = map[string]string{"string": "String", "bool": "Bool", "int64": "Int64", "int32": "Int32", "float64": "Float64"}

// walkScalar returns the call that takes a string, boolean or number, or nil if there is none.
func (p *walkWriter) walkScalar(f *ir.Field, key, address *jen.Statement) *walkCall {
	name, own := walkers[memberOf(f.Type).goType], p.of(f.Type)
	switch form := formOf(f); {
	case name == "":
		return nil
	case form == formPlain && own == nil:
		return &walkCall{jen.Id("w").Dot(name).Call(address, key)}
	case form == formPlain:
		return &walkCall{jen.Id("w").Dot(name).Call(jen.Parens(jen.Op("*").Id(memberOf(f.Type).goType)).Call(address), key)}
	case form == formOpt && own == nil:
		return &walkCall{gen("Walk"+name).Call(jen.Id("w"), address, key)}
	}
	return nil
}

// rules adds the rules of f to the call. It reports false if there is one that it cannot check.
func (c *walkCall) rules(p *plan, f *ir.Field) bool {
	if p.of(f.Type) != nil || f.Sensitive {
		return false
	}
	all := binding(f.Type, ir.AllRules(f.Type))
	code := c.code.Clone()
	for _, r := range all {
		switch r := r.(type) {
		case *ir.Length:
			if _, ok := f.Type.(*ir.String); !ok {
				return false
			}
			code.Dot("Length").Call(jen.Lit(r.Min), jen.Lit(r.Max))
		case *ir.Range:
			if _, ok := f.Type.(*ir.Int); !ok {
				return false
			}
			low, high := bounds(f.Type, r)
			if low != "" {
				code.Dot("Min").Call(jen.Id(low))
			}
			if high != "" {
				code.Dot("Max").Call(jen.Id(high))
			}
		default:
			return false
		}
	}
	c.code = code
	return true
}

// walkAny writes what takes a member of any type: a case for each step.
func (p *walkWriter) walkAny(g *jen.Group, t *named, f *ir.Field, key *jen.Statement) {
	x := "v." + p.field(f)
	step := func(g *jen.Group, name string, body func(*jen.Group)) {
		g.Case(wire("Step" + name)).BlockFunc(body)
	}
	g.Switch(jen.Id("w").Dot("Member").Call(key, presence(f), p.written(f, x))).BlockFunc(func(g *jen.Group) {
		if p.walked[t]&needsDecode != 0 {
			step(g, "Read", func(g *jen.Group) {
				g.Id("r").Op(":=").Id("w").Dot("Reader").Call()
				p.decodeField(g, f)
			})
			if reset := p.reset(f, x); reset != nil {
				step(g, "Reset", func(g *jen.Group) { g.Add(reset) })
			}
		}
		if p.walked[t]&needsAppend != 0 {
			step(g, "Write", func(g *jen.Group) { p.writeAny(g, f, x) })
		}
		if p.fieldChecked(f) {
			step(g, "Check", func(g *jen.Group) {
				g.Id("vs").Op(":=").Id("w").Dot("Violations").Call()
				(&checkWriter{p.valueWriter}).checkMember(g, f)
			})
		}
	})
}

// written is the condition that a member is written.
func (p *walkWriter) written(f *ir.Field, x string) jen.Code {
	switch formOf(f) {
	case formOpt:
		return jen.Id(x).Dot("IsSet").Call()
	case formNil, formPointer:
		return jen.Id(x).Op("!=").Nil()
	case formOptConst:
		return jen.Id(x)
	case formDefault:
		if zeroMeansDefault(f.Type) {
			return p.notZero(f.Type, x)
		}
	}
	return jen.True()
}

// reset is what a member is when it is not there; nil if its absence is a fault.
func (p *walkWriter) reset(f *ir.Field, x string) jen.Code {
	switch formOf(f) {
	case formOpt:
		return jen.Id(x).Dot("Clear").Call()
	case formNil, formPointer:
		return jen.Id(x).Op("=").Nil()
	case formOptConst:
		return jen.Id(x).Op("=").False()
	case formDefault:
		return jen.Id(x).Op("=").Add(p.literal(f.Type, *f.Default))
	}
	return nil
}

// writeAny appends x, the value of f.
func (p *walkWriter) writeAny(g *jen.Group, f *ir.Field, x string) {
	g.Id("b").Op(":=").Id("w").Dot("Buffer").Call()
	value := jen.Code(nil)
	switch formOf(f) {
	case formOptConst:
		value = jen.Append(jen.Id("b"), raw(jsonText(ir.Underlying(f.Type).(*ir.Literal).Value)).Op("..."))
	case formOpt:
		g.List(jen.Id("x"), jen.Id("_")).Op(":=").Id(x).Dot("Get").Call()
		value = p.appendValue(f, "x")
	case formPointer:
		value = p.appendPointed(f, x)
	default:
		value = p.appendValue(f, x)
	}
	g.Id("w").Dot("Wrote").Call(value)
}

// enumNames are the values of an enumeration.
func enumNames(e *ir.Enum) []string {
	names := make([]string, len(e.Values))
	for i := range e.Values {
		names[i] = e.Values[i].Value.Text
	}
	return names
}

// emitThinCheck writes the CheckRules of a struct with a WalkJSON, for what does not walk.
func (p *checkWriter) emitThinCheck(f *jen.File, t *named) {
	boundary(f)
	f.Comment("CheckRules reports to vs the rules that v breaks.")
	f.Func().Params(jen.Id("v").Op("*").Id(t.name)).Id("CheckRules").Params(violations()).Block(
		wire("WalkRules").Call(jen.Id("vs"), jen.Id("v")))
	p.emitValidate(f, t)
}
