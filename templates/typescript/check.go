package typescript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// validator writes the check of a type with a name. It is a function, so that it may refer to others in any order, and costs nothing unless it is used.
func (m *module) validator(e *entry, fast bool) doc {
	check := m.checkOf(e.typ)
	if fast {
		check = call{"r.straight", []doc{e.name + "Fits", check}}
	}
	body := group{indent{concat{space, check}}}
	of := group{concat{"<", indent{concat{softline, "t." + e.name}}, softline, ">"}}
	return concat{"export const " + e.name + "Check: r.Check", of, " = () =>", body, ";"}
}

// check writes the check of a type.
func (m *module) check(t ir.Type) doc {
	e := m.namedEntry(t)
	if e == nil {
		return m.checkOf(t)
	}
	name := e.name + "Check"
	if ref, ok := t.(*ir.Ref); ok && len(ref.Rules) > 0 {
		return call{"r.ruled", append([]doc{name}, m.rules(ref.Rules, ref)...)}
	}
	return name
}

// checkOf writes the check of a type itself, whatever it is called.
func (m *module) checkOf(t ir.Type) doc {
	rules := m.rules(ir.RulesOf(t), t)
	switch t := t.(type) {
	case *ir.Ref:
		return m.check(t)
	case *ir.Nullable:
		return call{"r.nullable", []doc{m.check(t.Elem)}}
	case *ir.Any:
		if len(rules) > 0 {
			return call{"r.anything", rules}
		}
		return "r.any"
	case *ir.Literal:
		return m.literal(t.Value)
	case *ir.Enum:
		return m.enum(t)
	}
	s := ir.ScalarOf(t)
	if s == nil {
		return m.composite(t, rules)
	}
	name := "r." + s.Check
	if s.Big != "" && m.opts.BigInt {
		name = "r." + s.Big
	}
	if !ir.CanHaveRules(t) {
		return name
	}
	return call{name, rules}
}

func (m *module) composite(t ir.Type, rules []doc) doc {
	switch t := t.(type) {
	case *ir.List:
		return call{"r.list", append([]doc{m.check(t.Elem)}, rules...)}
	case *ir.Map:
		return call{"r.map", append([]doc{m.check(t.Elem)}, rules...)}
	case *ir.Tuple:
		return m.elementsOf(t, rules)
	case *ir.Struct:
		return m.structure(t, rules)
	case *ir.Union:
		if t.Decide == nil || ir.IsContextual(t) {
			if len(rules) == 0 {
				return call{"r.unknown", nil}
			}
			return call{"r.ruled", append([]doc{call{"r.unknown", nil}}, rules...)}
		}
		args := []doc{m.decision(t.Decide)}
		if t.Open {
			args = append(args, "true")
		}
		return call{"r.union", args}
	}
	return "r.any"
}

func (m *module) elementsOf(t *ir.Tuple, rules []doc) doc {
	items := ir.Each(t.Items, func(f *ir.Field) doc { return m.check(f.Type) })
	required := ir.Where(t.Items, func(f *ir.Field) bool { return !f.Optional })
	args := []doc{array(items...), strconv.Itoa(len(required))}
	if t.Rest != nil {
		args = append(args, m.check(t.Rest))
	} else if len(rules) > 0 {
		args = append(args, "undefined")
	}
	return call{"r.tuple", append(args, rules...)}
}

// structure writes the check of an object.
func (m *module) structure(t *ir.Struct, rules []doc) doc {
	fields := spread()
	for _, f := range t.Fields {
		check := m.check(f.Type)
		if f.Optional {
			args := []doc{check}
			if f.Default != nil {
				args = append(args, m.value(*f.Default))
			}
			check = call{"r.optional", args}
		}
		fields.parts = append(fields.parts, assign{ownKey(f.Name) + ":", check})
	}
	var check doc
	switch t.Additional {
	case ir.AdditionalRejected:
		check = call{"r.closed", []doc{fields}}
	case ir.AdditionalKept:
		check = call{"r.open", []doc{m.check(t.Extra), fields}}
	default:
		check = call{"r.object", []doc{fields}}
	}
	if len(rules) > 0 {
		check = call{"r.ruled", append([]doc{check}, rules...)}
	}
	return check
}

func (m *module) literal(v ir.Value) doc {
	switch v.Kind {
	case ir.Integer, ir.Number:
		if n, ok := number(v.Text); ok && n == v.Text && !strings.Contains(n, "e") {
			return call{"r.literal", []doc{n}}
		} else if ok {
			return call{"r.literal", []doc{n, text.ScriptString(v.Text)}}
		}
		return call{"r.bigLiteral", []doc{text.ScriptString(v.Text)}}
	}
	return call{"r.literal", []doc{m.value(v)}}
}

func (m *module) enum(t *ir.Enum) doc {
	var values []doc
	name := "r.oneOf"
	for _, v := range t.Values {
		values = append(values, m.value(v.Value))
		if v.Value.Kind == ir.Integer {
			name = "r.oneOfIntegers"
		}
	}
	switch {
	case t.Open && m.opts.BigInt && name == "r.oneOfIntegers":
		name = "r.oneOfIntegersOrBig"
	case t.Open:
		name += "OrOther"
	}
	return call{name, values}
}

// value writes a JSON value.
func (m *module) value(v ir.Value) doc {
	switch v.Kind {
	case ir.Text:
		return text.ScriptString(v.Text)
	case ir.Integer, ir.Number:
		if n, ok := number(v.Text); ok {
			return n
		}
		return call{"r.big", []doc{text.ScriptString(v.Text)}}
	case ir.Array:
		return array(ir.Each(v.Items, m.value)...)
	case ir.Object:
		return object(ir.Each(v.Fields, func(f ir.Member) doc { return assign{ownKey(f.Name) + ":", m.value(f.Value)} })...)
	}
	return v.Text
}

// decision writes how a union finds the branch of a value.
func (m *module) decision(d ir.Decision) doc {
	switch d := d.(type) {
	case *ir.Pick:
		return m.check(d.Branch.Type)
	case *ir.ByProperty:
		args := []doc{text.ScriptString(d.Property), m.cases(d.Cases)}
		var others []doc
		if d.Absent != nil {
			others = append(others, assign{"absent:", m.decision(d.Absent)})
		}
		if d.Else != nil {
			others = append(others, assign{"other:", m.decision(d.Else)})
		}
		if len(others) > 0 {
			args = append(args, object(others...))
		}
		return call{"r.byProperty", args}
	case *ir.ByPresence:
		cases := ir.Each(d.Cases, func(c ir.PresenceCase) doc { return array(text.ScriptString(c.Property), m.decision(c.Then)) })
		return call{"r.byPresence", m.with([]doc{array(cases...)}, d.Else)}
	case *ir.ByKind:
		return m.kinds(d)
	case *ir.ByLength:
		cases := ir.Each(d.Cases, func(c ir.LengthCase) doc { return array(strconv.Itoa(c.Min), strconv.Itoa(c.Max), m.decision(c.Then)) })
		return call{"r.byLength", []doc{array(cases...)}}
	case *ir.ByValue:
		return call{"r.byValue", []doc{m.cases(d.Cases)}}
	case *ir.InElement:
		return call{"r.inElement", m.with([]doc{strconv.Itoa(d.Index), m.decision(d.Decide)}, d.Absent)}
	case *ir.InProperty:
		return call{"r.inProperty", m.with([]doc{text.ScriptString(d.Property), m.decision(d.Decide)}, d.Absent)}
	}
	return "r.any"
}

// with adds a decision, if there is one.
func (m *module) with(args []doc, d ir.Decision) []doc {
	if d == nil {
		return args
	}
	return append(args, m.decision(d))
}

func (m *module) cases(all []ir.Case) doc {
	return array(ir.Each(all, func(c ir.Case) doc { return array(m.value(c.Tag), m.decision(c.Then)) })...)
}

func (m *module) kinds(d *ir.ByKind) doc {
	cases := ir.Each(d.Cases, func(c ir.KindCase) doc { return assign{key(c.Kind.String()) + ":", m.decision(c.Then)} })
	args := []doc{object(cases...)}
	if integers := d.Integers(); integers != nil {
		low, high := integers.Range.Bounds()
		args = append(args, array(text.ScriptString(low), text.ScriptString(high)))
	}
	return call{"r.byKind", args}
}

// requires is what the library calls relations of members.
var requires = map[ir.RequireHow]string{ir.RequireAny: "any", ir.RequireOne: "one", ir.RequireImplies: "with"}

// rules writes the rules of a type, each kind once in an object.
func (m *module) rules(rules []ir.Rule, of ir.Type) []doc {
	var all []doc
	var now []doc
	var names []string
	flush := func() {
		if len(now) > 0 {
			all = append(all, object(now...))
		}
		now, names = nil, nil
	}
	var require []doc
	for _, r := range rules {
		if one, ok := r.(*ir.Require); ok {
			relation := ir.Each(append([]string{requires[one.How]}, one.Fields...), func(name string) doc { return text.ScriptString(name) })
			require = append(require, array(relation...))
			continue
		}
		for _, p := range m.rule(r, of) {
			if slices.Contains(names, p.name) {
				flush()
			}
			names = append(names, p.name)
			now = append(now, assign{p.name + ":", p.value})
		}
	}
	if len(require) > 0 {
		now = append(now, assign{"require:", array(require...)})
	}
	flush()
	return all
}

// property is a member of the object that holds rules.
type property struct {
	name  string
	value doc
}

func (m *module) rule(r ir.Rule, of ir.Type) (all []property) {
	limits := func(low, high int, noun string) {
		if low > 0 {
			all = append(all, property{"min" + noun, strconv.Itoa(low)})
		}
		if high >= 0 {
			all = append(all, property{"max" + noun, strconv.Itoa(high)})
		}
	}
	bound := func(name, text string) {
		if text != "" {
			all = append(all, property{name, limitDoc(text)})
		}
	}
	switch r := r.(type) {
	case *ir.Length:
		limits(r.Min, r.Max, "Length")
	case *ir.Count:
		kinds := ir.KindsOf(of)
		if kinds.Has(ir.Array) {
			limits(r.Min, r.Max, "Items")
		}
		if kinds.Has(ir.Object) {
			limits(r.Min, r.Max, "Properties")
		}
	case *ir.Range:
		least, most := "minimum", "maximum"
		if r.ExclusiveMin {
			least = "exclusiveMinimum"
		}
		if r.ExclusiveMax {
			most = "exclusiveMaximum"
		}
		bound(least, r.Min)
		bound(most, r.Max)
	case *ir.MultipleOf:
		bound("multipleOf", r.Of)
	case *ir.Format:
		all = append(all, property{"format", "r." + libraryName(r.Name)})
	case *ir.Conform:
		m.conforms = true
		args, written := []doc{text.ScriptString(jsonschema.Patterns(r.Schema, m.patterns.conformPattern).String())}, text.ScriptString(r.Schema.String())
		if args[0] != written {
			args = append(args, written)
		}
		all = append(all, property{"schema", call{"conform", args}})
	default:
		switch name, v := r.Keyword(); name {
		case "": // of fields, which their object writes
		case "pattern":
			all = append(all, property{name, m.fast.pattern(v.Text)})
		default:
			all = append(all, property{name, v.String()})
		}
	}
	return all
}

// libraryName returns what the library calls a format: uriTemplate for uri-template.
func libraryName(format string) string {
	first, rest, more := strings.Cut(format, "-")
	if !more {
		return first
	}
	return first + strings.ToUpper(rest[:1]) + rest[1:]
}

// limitDoc writes a limit: a number where it is written as JavaScript writes it, and otherwise its text.
func limitDoc(written string) doc {
	if n, ok := number(written); ok && n == written && !strings.Contains(written, "e") {
		return n
	}
	return text.ScriptString(written)
}
