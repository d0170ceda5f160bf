package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// In the compact codec one method of a struct lists its members for reading, writing and checking: WalkJSON. A struct whose members
// are read in other ways has the methods of the full codec, and so has one that is fast.

func (w *walkWriter) emit(f *jen.File, t *namedType) {
	s, names := t.typ.(*ir.Struct), w.names.hiddenName(t.name, "Keys")
	if w.needs.namesKeys(t, s) && w.needs.walked[t]&needsDecode != 0 {
		w.codec.emitKeys(f, t, s, names)
	}
	boundary(f)
	f.Comment("WalkJSON passes each member of v to w.")
	receiver := func() *jen.Statement { return jen.Id("v").Op("*").Id(t.name) }
	f.Func().Params(receiver()).Id("WalkJSON").Params(jen.Id("w").Op("*").Add(wire("Walker"))).BlockFunc(func(g *jen.Group) {
		for _, field := range s.Fields {
			w.walk(g, t, field)
		}
		switch {
		case !w.needs.namesKeys(t, s) || w.needs.walked[t]&needsDecode == 0:
		case s.Additional == ir.AdditionalRejected:
			g.Add(invoke("w", "Reject", jen.Id(names)))
		default:
			g.Add(invoke("w", "Unknown", jen.Id(names)))
		}
		if len(s.Rules) > 0 {
			w.hatch(g, func(g *jen.Group) {
				for _, r := range s.Rules {
					w.checks.checkObjectRule(g, s, r)
				}
			})
		}
	})
	w.needs.emitBoth(f, t, receiver(), func(g *jen.Group) { g.Return(wire("WalkAppend").Call(jen.Id("b"), jen.Id("v"))) },
		func(g *jen.Group) { g.Add(wire("WalkDecode").Call(jen.Id("r"), jen.Id("v"))) })
}

// hatch writes what is done only while rules are checked.
func (w *walkWriter) hatch(g *jen.Group, check func(*jen.Group)) {
	g.If(jen.Id("vs").Op(":=").Id("w").Dot("Violations").Call(), jen.Id("vs").Op("!=").Nil()).BlockFunc(check)
}

// walk writes what takes the member f.
func (w *walkWriter) walk(g *jen.Group, t *namedType, f *ir.Field) {
	key := raw("," + jsonString(f.Name) + ":")
	address := jen.Op("&").Id("v." + w.names.field(f))
	if in, inner := w.needs.walksTo(f); inner != nil {
		w.walkInner(g, f, in, inner, key, address)
		return
	}
	if formOf(f) == formConst {
		g.Add(invoke("w", "Const", key, raw(jsonText(ir.Underlying(f.Type).(*ir.Literal).Value)), presence(f)))
		return
	}
	if e := w.needs.choice(f); e != nil {
		text := jen.Parens(jen.Op("*").String()).Call(address)
		names := nameList(enumNames(e))
		if formOf(f) == formDefault {
			g.Add(invoke("w", "ChoiceOr", text, key, names, jen.Lit(f.Default.Text)))
		} else {
			g.Add(invoke("w", "Choice", text, key, names))
		}
		return
	}
	if list, ok := f.Type.(*ir.List); ok && w.walkTexts(g, f, list, key, address) {
		return
	}
	if call := w.walkScalar(f, key, address); call != nil {
		ruled := call.rules(w.names, f)
		g.Add(call.code)
		if w.forms.fieldChecked(f) && !ruled {
			w.hatch(g, func(g *jen.Group) { w.checks.checkMember(g, f) })
		}
		return
	}
	w.walkAny(g, t, f, key)
}

// presence says whether f is required.
func presence(f *ir.Field) *jen.Statement {
	if f.Optional {
		return wire("Optional")
	}
	return wire("Required")
}

// walkInner writes what takes a member that holds a struct which lists its own members.
func (w *walkWriter) walkInner(g *jen.Group, f *ir.Field, in lies, inner *namedType, key, address *jen.Statement) {
	ruled, walk := jen.Lit(w.forms.checks[inner]), jen.Parens(jen.Op("*").Id(inner.name)).Dot("WalkJSON")
	switch in {
	case liesWhole:
		g.Add(invoke("w", "Struct", address, key, ruled))
	case liesPointed:
		g.Add(wire("WalkPointer")).Call(jen.Id("w"), address, key, ruled, walk)
	default:
		count, _ := onlyCount(f.Type.(*ir.List))
		g.Add(wire("WalkList")).Call(jen.Id("w"), address, key, presence(f), jen.Lit(count.Min), jen.Lit(count.Max), ruled, walk)
	}
}

// walkTexts writes what takes a list of strings. It reports false if there is no call for f.
func (w *walkWriter) walkTexts(g *jen.Group, f *ir.Field, list *ir.List, key, address *jen.Statement) bool {
	_, isText := list.Elem.(*ir.String)
	count, ok := onlyCount(list)
	form := formOf(f)
	if !ok || !isText || w.names.of(f.Type) != nil || w.names.of(list.Elem) != nil || w.forms.checked(list.Elem) || f.Sensitive || form != formPlain &&
		form != formNil {
		return false
	}
	g.Add(invoke("w", "Strings", address, key, presence(f), jen.Lit(count.Min), jen.Lit(count.Max)))
	return true
}

// walkCall is a call that takes a member, and the rules that follow it.
type walkCall struct{ code *jen.Statement }

// walkers are the methods that take required members, by what their value is held as.
var walkers = map[string]string{"string": "String", "bool": "Bool", "int64": "Int64", "int32": "Int32", "float64": "Float64"}

// walkScalar returns the call that takes a string, boolean or number, or nil if there is none.
func (w *walkWriter) walkScalar(f *ir.Field, key, address *jen.Statement) *walkCall {
	name, own := walkers[memberOf(f.Type).goType], w.names.of(f.Type)
	switch form := formOf(f); {
	case name == "":
		return nil
	case form == formPlain && own == nil:
		return &walkCall{invoke("w", name, address, key)}
	case form == formPlain:
		return &walkCall{invoke("w", name, jen.Parens(jen.Op("*").Id(memberOf(f.Type).goType)).Call(address), key)}
	case form == formOpt && own == nil:
		return &walkCall{gen("Walk"+name).Call(jen.Id("w"), address, key)}
	}
	return nil
}

// rules adds the rules of f to the call. It reports false if there is one that it cannot check.
func (c *walkCall) rules(n *names, f *ir.Field) bool {
	if n.of(f.Type) != nil || f.Sensitive {
		return false
	}
	all := bindingRules(f.Type, ir.AllRules(f.Type))
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
func (w *walkWriter) walkAny(g *jen.Group, t *namedType, f *ir.Field, key *jen.Statement) {
	x := "v." + w.names.field(f)
	step := func(g *jen.Group, name string, body func(*jen.Group)) {
		g.Case(wire("Step" + name)).BlockFunc(body)
	}
	g.Switch(invoke("w", "Member", key, presence(f), w.writeCondition(f, x))).BlockFunc(func(g *jen.Group) {
		if w.needs.walked[t]&needsDecode != 0 {
			step(g, "Read", func(g *jen.Group) {
				g.Id("r").Op(":=").Id("w").Dot("Reader").Call()
				w.codec.decodeField(g, f)
			})
			if reset := w.reset(f, x); reset != nil {
				step(g, "Reset", func(g *jen.Group) { g.Add(reset) })
			}
		}
		if w.needs.walked[t]&needsAppend != 0 {
			step(g, "Write", func(g *jen.Group) { w.writeAny(g, f, x) })
		}
		if w.forms.fieldChecked(f) {
			step(g, "Check", func(g *jen.Group) {
				g.Id("vs").Op(":=").Id("w").Dot("Violations").Call()
				w.checks.checkMember(g, f)
			})
		}
	})
}

// writeCondition is the condition that a member is written.
func (w *walkWriter) writeCondition(f *ir.Field, x string) jen.Code {
	switch formOf(f) {
	case formOpt:
		return invoke(x, "IsSet")
	case formNil, formPointer:
		return jen.Id(x).Op("!=").Nil()
	case formOptConst:
		return jen.Id(x)
	case formDefault:
		if zeroMeansDefault(f.Type) {
			return w.values.notZero(f.Type, x)
		}
	}
	return jen.True()
}

// reset is what a member is when it is not there; nil if its absence is a fault.
func (w *walkWriter) reset(f *ir.Field, x string) jen.Code {
	switch formOf(f) {
	case formOpt:
		return invoke(x, "Clear")
	case formNil, formPointer:
		return jen.Id(x).Op("=").Nil()
	case formOptConst:
		return jen.Id(x).Op("=").False()
	case formDefault:
		return jen.Id(x).Op("=").Add(w.values.literal(f.Type, *f.Default))
	}
	return nil
}

// writeAny appends x, the value of f.
func (w *walkWriter) writeAny(g *jen.Group, f *ir.Field, x string) {
	g.Id("b").Op(":=").Id("w").Dot("Buffer").Call()
	var value jen.Code
	switch formOf(f) {
	case formOptConst:
		value = jen.Append(jen.Id("b"), raw(jsonText(ir.Underlying(f.Type).(*ir.Literal).Value)).Op("..."))
	case formOpt:
		g.List(jen.Id("x"), jen.Id("_")).Op(":=").Id(x).Dot("Get").Call()
		value = w.values.appendValue(f, "x")
	case formPointer:
		value = w.values.appendPointed(f, x)
	default:
		value = w.values.appendValue(f, x)
	}
	g.Add(invoke("w", "Wrote", value))
}

// emitThinCheck writes the CheckRules of a struct with a WalkJSON, for what does not walk.
func (w *checkWriter) emitThinCheck(f *jen.File, t *namedType) {
	boundary(f)
	f.Comment("CheckRules reports to vs the rules that v breaks.")
	f.Func().Params(jen.Id("v").Op("*").Id(t.name)).Id("CheckRules").Params(violations()).Block(
		wire("WalkRules").Call(jen.Id("vs"), jen.Id("v")))
}
