package typescript

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// straight writes the functions that take most values that fit, as they are. They need not take all that fit: others are judged by checks.
type straight struct {
	*module
	declared map[string]string // the names of functions and patterns, by what they are
	all      []doc             // their declarations
	asked    map[*entry]bool   // types whose functions others call
	judged   []*entry          // types without a test
}

// logic is a test with parts, all of which must hold, or one of them.
type logic struct {
	op    string
	parts []doc
}

func and(parts ...doc) doc { return combine("&&", parts) }
func or(parts ...doc) doc  { return combine("||", parts) }

func combine(op string, parts []doc) doc {
	var all []doc
	for _, p := range parts {
		if inner, ok := p.(logic); ok && inner.op == op {
			all = append(all, inner.parts...)
		} else {
			all = append(all, p)
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	return logic{op, all}
}

// layout is the test on one line, or each part on its own; one within another has parentheses.
func (l logic) layout() doc {
	parts := ir.Each(l.parts, func(p doc) doc {
		inner, ok := p.(logic)
		if !ok {
			return p
		}
		all := inner.layout().(concat)
		return group{concat{"(", all[0], indent{all[1:]}, ")"}}
	})
	all := concat{parts[0]}
	for _, p := range parts[1:] {
		all = append(all, " "+l.op, space, p)
	}
	return all
}

// compare is a comparison, which breaks after its sign.
func compare(v, sign, with string) doc {
	return group{concat{v + " " + sign, indent{concat{space, with}}}}
}

// is compares the kind of a value.
func is(v, kind string) doc { return compare("typeof "+v, "===", strconv.Quote(kind)) }

// declare gives a name to what is written once.
func (s *straight) declare(what, typ string, value doc) string {
	text := flat(value)
	name, ok := s.declared[text]
	if !ok {
		name = fmt.Sprintf("%s%d", what, len(s.declared)+1)
		s.declared[text] = name
		if _, ok := value.(call); ok {
			value = concat{"/* @__PURE__ */ ", value}
		}
		s.all = append(s.all, concat{assign{"const " + name + typ + " =", value}, ";"})
	}
	return name
}

// pattern returns the name of a regular expression.
func (s *straight) pattern(expr string) string {
	return s.declare("pattern", "", s.patterns.pattern(expr))
}

// validator writes the function of a type with a name, if it has one, and its check.
func (s *straight) validator(e *entry) (all []doc) {
	test := s.whole(e.typ, "v", "d")
	if test != nil {
		all = append(all, s.define(e, test))
	} else {
		s.judged = append(s.judged, e)
	}
	return append(all, s.module.validator(e, test != nil))
}

// rest writes the functions that others call of types that are judged.
func (s *straight) rest() (all []doc) {
	for _, e := range s.judged {
		if s.asked[e] {
			all = append(all, s.define(e, call{"r.judged", []doc{e.name + "Check", "v", "d"}}))
		}
	}
	return all
}

// define writes the function of a type with a name.
func (s *straight) define(e *entry, test doc) doc {
	return concat{"const " + e.name + "Fits: r.Fits = ", lambda("v", test), ";"}
}

// lambda is a function of a value and a depth.
func lambda(params string, test doc) doc {
	if l, ok := test.(logic); ok {
		test = l.layout()
	}
	if written := flat(test); strings.Contains(written, ", d)") || strings.Contains(written, ", d, ") || strings.Contains(written, "d + 1") {
		params += ", d"
	}
	return concat{"(" + params + ") =>", group{indent{concat{space, group{test}}}}}
}

// test returns the test of a part of a value, which calls the function of its type if that has a name.
func (s *straight) test(t ir.Type, v, d string) doc {
	if e := s.namedEntry(t); e != nil {
		if ref, ok := t.(*ir.Ref); !ok || len(ref.Rules) == 0 {
			s.asked[e] = true
			return call{e.name + "Fits", []doc{v, d}}
		}
	} else if test := s.whole(t, v, d); test != nil {
		return test
	}
	return call{"r.judged", []doc{s.declare("part", ": r.Check<unknown>", lambda("", s.check(t))), v, d}}
}

// function returns the name of a function for the items of a type.
func (s *straight) function(t ir.Type) string {
	test := s.test(t, "v", "d")
	if c, ok := test.(call); ok && strings.HasSuffix(c.name, "Fits") {
		return c.name
	}
	return s.declare("fits", ": r.Fits", lambda("v", test))
}

// whole returns the test of a type itself; nil where it needs more than a test.
func (s *straight) whole(t ir.Type, v, d string) doc {
	var test doc
	switch t := t.(type) {
	case *ir.Ref:
		if len(t.Rules) == 0 {
			return s.test(t, v, d)
		}
	case *ir.Nullable:
		return or(compare(v, "===", "null"), s.test(t.Elem, v, d))
	case *ir.Bool:
		return is(v, "boolean")
	case *ir.Int:
		test = isInteger(t, v)
	case *ir.Float, *ir.Decimal:
		test = call{"Number.isFinite", []doc{v}}
	case *ir.String:
		test = is(v, "string")
	case *ir.Bytes:
		test = and(is(v, "string"), call{"r.isBase64", []doc{v}})
	case *ir.Time:
		return and(is(v, "string"), call{"r.dateTime.test", []doc{v}})
	case *ir.ID:
		return or(is(v, "string"), call{"Number.isSafeInteger", []doc{v}})
	case *ir.Any:
		test = call{"r.isAny", []doc{v}}
	case *ir.Literal:
		return s.equals(t.Value, v)
	case *ir.Enum:
		if !t.Open {
			return oneOf(ir.Each(t.Values, func(e ir.EnumValue) doc { return s.equals(e.Value, v) }))
		}
		if t.Values[0].Value.Kind == ir.Text {
			return is(v, "string")
		}
		return call{"Number.isSafeInteger", []doc{v}}
	case *ir.List:
		test = call{"r.every", []doc{v, d, s.function(t.Elem)}}
	case *ir.Struct:
		test = s.members(t, v, d)
	default:
		if decide := ir.DecisionOf(t); decide != nil && !ir.IsContextual(t) {
			return s.decisionTest(decide, v, v, d)
		}
		if elem := ir.Elem(t); elem != nil { // of a map
			test = and(call{"r.isRecord", []doc{v, d}}, call{"r.others", []doc{v, d, "r.never", s.function(elem)}})
		}
	}
	return s.addRules(test, t, v)
}

// isInteger is the test of an integer. Bounds of 64 bits are beyond those of safe integers, but for 0.
func isInteger(t *ir.Int, v string) doc {
	low, high := t.Bounds()
	tests := []doc{call{"Number.isSafeInteger", []doc{v}}}
	if t.Bits == 32 || t.Unsigned {
		tests = append(tests, compare(v, ">=", low))
	}
	if t.Bits == 32 {
		tests = append(tests, compare(v, "<=", high))
	}
	return and(tests...)
}

// equals compares with a value that JavaScript has; nil for others.
func (s *straight) equals(value ir.Value, v string) doc {
	if written, ok := s.value(value).(string); ok && value.Kind != ir.Array && value.Kind != ir.Object {
		return compare(v, "===", written)
	}
	return nil
}

// oneOf is one of several tests; nil if one is missing.
func oneOf(tests []doc) doc {
	if len(tests) == 0 || slices.Contains(tests, nil) {
		return nil
	}
	return or(tests...)
}

// members is the test of an object with members that have names.
func (s *straight) members(t *ir.Struct, v, d string) doc {
	all := []doc{call{"r.isRecord", []doc{v, d}}}
	for _, f := range t.Fields {
		member := memberOf(v, f.Name)
		test := s.test(f.Type, member, d+" + 1")
		if f.Optional {
			test = or(compare(member, "===", "undefined"), test)
		}
		all = append(all, test)
	}
	if t.Additional == ir.AdditionalRejected || t.Additional == ir.AdditionalKept {
		named := doc("r.never")
		if len(t.Fields) > 0 {
			names := ir.Each(t.Fields, func(f *ir.Field) doc { return compare("n", "===", text.ScriptString(f.Name)) })
			named = s.declare("named", "", lambda("n: string", or(names...)))
		}
		fits := "r.never"
		if t.Additional == ir.AdditionalKept {
			fits = s.function(t.Extra)
		}
		all = append(all, call{"r.others", []doc{v, d, named, fits}})
	}
	return and(all...)
}

// inheritedMembers are names of members that all objects have.
var inheritedMembers = []string{"constructor", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"}

// memberOf is a member of a value.
func memberOf(v, name string) string {
	switch {
	case strings.HasPrefix(name, "__") || slices.Contains(inheritedMembers, name):
		return "r.own(" + v + ", " + text.ScriptString(name) + ")"
	case letters().MatchString(name):
		return v + "." + name
	}
	return v + "[" + text.ScriptString(name) + "]"
}

// decisionTest is the test of a union, which is decided by x, the value or a part of it.
func (s *straight) decisionTest(decision ir.Decision, x, v, d string) doc {
	record := call{"r.isRecord", []doc{x, d}}
	switch by := decision.(type) {
	case *ir.Pick:
		return s.test(by.Branch.Type, v, d)
	case *ir.ByProperty:
		member := memberOf(x, by.Property)
		tests := ir.Each(by.Cases, func(c ir.Case) doc { return bothTests(s.equals(c.Tag, member), s.decisionTest(c.Then, x, v, d)) })
		if by.Absent != nil {
			tests = append(tests, bothTests(compare(member, "===", "undefined"), s.decisionTest(by.Absent, x, v, d)))
		}
		if test := oneOf(tests); test != nil {
			return and(record, test)
		}
	case *ir.ByPresence:
		var tests, absent []doc
		for _, c := range by.Cases {
			member := memberOf(x, c.Property)
			tests = append(tests, bothTests(and(append(slices.Clone(absent), compare(member, "!==", "undefined"))...), s.decisionTest(c.Then, x, v, d)))
			absent = append(absent, compare(member, "===", "undefined"))
		}
		if by.Else != nil {
			tests = append(tests, bothTests(and(absent...), s.decisionTest(by.Else, x, v, d)))
		}
		if test := oneOf(tests); test != nil {
			return and(record, test)
		}
	case *ir.ByKind:
		if by.Integers() == nil {
			return oneOf(ir.Each(by.Cases, func(c ir.KindCase) doc { return bothTests(kindOf(c.Kind, x, d), s.decisionTest(c.Then, x, v, d)) }))
		}
	case *ir.InProperty:
		if test := s.decisionTest(by.Decide, memberOf(x, by.Property), v, d); test != nil {
			return and(record, test)
		}
	}
	return nil
}

// kindOf is the test of a kind; integers are numbers.
func kindOf(k ir.Kind, v, d string) doc {
	switch k {
	case ir.Null:
		return compare(v, "===", "null")
	case ir.Array:
		return call{"Array.isArray", []doc{v}}
	case ir.Object:
		return call{"r.isRecord", []doc{v, d}}
	case ir.Text:
		return is(v, "string")
	case ir.Boolean:
		return is(v, "boolean")
	}
	return is(v, "number")
}

// bothTests is two tests; nil if one is missing.
func bothTests(a, b doc) doc {
	if a == nil || b == nil {
		return nil
	}
	if flat(a) == flat(b) {
		return a
	}
	return and(a, b)
}

// addRules adds the rules of a type to its test; nil where one cannot be tested.
func (s *straight) addRules(test doc, t ir.Type, v string) doc {
	tests := []doc{test}
	for _, r := range ir.RulesOf(t) {
		tests = append(tests, s.rule(r, t, v)...)
	}
	if slices.Contains(tests, nil) {
		return nil
	}
	return and(tests...)
}

// rule is the tests of a rule, of which one is nil where it needs more.
func (s *straight) rule(r ir.Rule, t ir.Type, v string) []doc {
	limits := func(name string, low, high int) []doc {
		args := []doc{v, strconv.Itoa(max(low, 0))}
		if high >= 0 {
			args = append(args, strconv.Itoa(high))
		}
		return []doc{call{name, args}}
	}
	if _, free := t.(*ir.Any); free {
		return []doc{nil} // what a rule is about depends on the value
	}
	switch r := r.(type) {
	case *ir.Length:
		return limits("r.sized", r.Min, r.Max)
	case *ir.Count:
		return limits("r.counts", r.Min, r.Max)
	case *ir.Range:
		least, most := ">=", "<="
		if r.ExclusiveMin {
			least = ">"
		}
		if r.ExclusiveMax {
			most = "<"
		}
		return append(boundTests(v, least, r.Min), boundTests(v, most, r.Max)...)
	case *ir.MultipleOf:
		if n, ok := limitDoc(r.Of).(string); ok && !strings.HasPrefix(n, `"`) {
			return []doc{call{"r.isMultiple", []doc{v, n}}}
		}
	case *ir.Pattern:
		return []doc{call{s.pattern(r.Expr) + ".test", []doc{v}}}
	case *ir.Format:
		return []doc{call{"r." + libraryName(r.Name) + ".test", []doc{v}}}
	case *ir.Require:
		args := []doc{v, text.ScriptString(requires[r.How])}
		return []doc{call{"r.relates", append(args, ir.Each(r.Fields, func(name string) doc { return text.ScriptString(name) })...)}}
	case *ir.Unique:
		switch ir.Underlying(t.(*ir.List).Elem).(type) {
		case *ir.String, *ir.Int, *ir.Float, *ir.Bool, *ir.Enum:
			return []doc{call{"r.distinct", []doc{v}}}
		}
	}
	return []doc{nil}
}

// boundTests compares with a limit; nil for one that JavaScript would round.
func boundTests(v, sign, written string) []doc {
	if written == "" {
		return nil
	}
	if n := limitDoc(written).(string); !strings.HasPrefix(n, `"`) {
		return []doc{compare(v, sign, n)}
	}
	return []doc{nil}
}
