package allkinds_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// Random inputs are the same in each run, so that what fails has failed by a change; -rapid.seed=0 draws others.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

// A generator draws values of types. Careful ones fit; a careless one oversteps limits now and then, by as little as can be.
type generator struct {
	t        *rapid.T
	careless bool
}

// deepest is how far values are nested before they are kept small.
const deepest = 4

// fitting draws a value that fits a type.
func fitting(t *rapid.T, typ ir.Type) ir.Value {
	for range 60 {
		g := generator{t: t}
		v := g.value(typ, nil, 0)
		if len(judge.Judge(typ, v)) == 0 {
			return v
		}
	}
	t.Skip("no value found")
	return ir.Value{}
}

// chance tells yes once in n times.
func (g *generator) chance(n int) bool { return g.pick(n) == n-1 }

// overstep reports whether a careless generator should do wrong now.
func (g *generator) overstep() bool { return g.careless && g.chance(12) }

func (g *generator) pick(n int) int { return below(n).Draw(g.t, "pick") }

// below draws numbers less than n. Most draws are such, so what draws them is made once.
func below(n int) *rapid.Generator[int] {
	if 0 < n && n < len(numbersBelow) {
		return numbersBelow[n]
	}
	return rapid.IntRange(0, n-1)
}

var numbersBelow = func() (all [1000]*rapid.Generator[int]) {
	for n := 1; n < len(all); n++ {
		all[n] = rapid.IntRange(0, n-1)
	}
	return all
}()

func choose[T any](g *generator, from ...T) T { return from[g.pick(len(from))] }

// value draws a value of a type; the rules are those of the uses that lead to it.
func (g *generator) value(t ir.Type, rules []ir.Rule, depth int) ir.Value {
	switch t := t.(type) {
	case *ir.Ref:
		if bound := t.Decl.Go.Type; bound != "" {
			return g.bound(bound)
		}
		return g.value(t.Decl.Type, slices.Concat(rules, t.Rules), depth)
	case *ir.Nullable:
		if g.chance(4) || t.Boxed && (depth > deepest || depth > 1 && !g.chance(3)) { // several fields of Chain hold one each
			return null
		}
		return g.value(t.Elem, rules, depth)
	case *ir.Literal:
		if g.overstep() {
			return g.anything(deepest)
		}
		return t.Value
	case *ir.Enum:
		return g.enum(t)
	case *ir.List:
		return g.list(t, slices.Concat(rules, t.Rules), depth)
	case *ir.Tuple:
		return g.tuple(t, slices.Concat(rules, t.Rules), depth)
	case *ir.Map:
		return g.dictionary(t, slices.Concat(rules, t.Rules), depth)
	case *ir.Struct:
		return g.structure(t, slices.Concat(rules, t.Rules), depth)
	case *ir.Union:
		return g.union(t, depth)
	case *ir.Any:
		return g.conforming(slices.Concat(rules, t.Rules), func() ir.Value { return g.anything(depth) })
	}
	return g.scalar(t, rules)
}

// conforming draws a value that fits the JSON Schemas among rules: one that is drawn, or one of a few that are known.
func (g *generator) conforming(rules []ir.Rule, draw func() ir.Value) ir.Value {
	fits := func(v ir.Value) bool {
		return !slices.ContainsFunc(rules, func(r ir.Rule) bool {
			c, ok := r.(*ir.Conform)
			return ok && !judge.Conforms(c.Schema, v)
		})
	}
	v := draw()
	if fits(v) || g.overstep() {
		return v
	}
	var fitting []ir.Value
	for _, text := range []string{"2", "-10", "1e1", `"latest"`, `"0x1f"`, `"a"`, "null", "[]", "[[],null]", "[[[]]]", `["a"]`, `["a",1.5]`, "{}", `{"a":1}`, `{"b":null,"ab":7}`} {
		if v, _ := ir.ParseJSON([]byte(text)); fits(v) {
			fitting = append(fitting, v)
		}
	}
	return choose(g, fitting...)
}

var null = ir.Value{Kind: ir.Null, Text: "null"}

func textual(s string) ir.Value { return ir.Value{Kind: ir.Text, Text: s} }

func (g *generator) scalar(t ir.Type, rules []ir.Rule) ir.Value {
	switch t := t.(type) {
	case *ir.Bool:
		return ir.Value{Kind: ir.Boolean, Text: choose(g, "true", "false")}
	case *ir.Int:
		return g.integer(t, slices.Concat(rules, t.Rules))
	case *ir.Float:
		return g.float(slices.Concat(rules, t.Rules))
	case *ir.Decimal:
		return g.decimal(slices.Concat(rules, t.Rules))
	case *ir.String:
		all := slices.Concat(rules, t.Rules)
		return g.conforming(all, func() ir.Value { return textual(g.text(all)) })
	case *ir.Bytes:
		return textual(g.base64(slices.Concat(rules, t.Rules)))
	case *ir.Time:
		return textual(choose(g, moments...))
	case *ir.ID:
		if g.chance(2) {
			return textual(g.free(0, 6))
		}
		return choose(g, ir.NumberValue("0"), ir.NumberValue("-17"), ir.NumberValue("9223372036854775808"), ir.NumberValue("123456789012345678901234567890"))
	}
	panic(fmt.Sprintf("%T", t))
}

// moments are the date-times that are drawn. Second 60 is not among them: the independent validator knows leap seconds, Go's
// time does not.
var moments = []string{"2026-01-31T12:00:00Z", "2024-02-29T23:59:59.999999999+14:00", "0000-01-01T00:00:00-23:59", "9999-12-31T23:59:59Z",
	"1985-04-12t23:20:50.52z", "2026-07-28T00:00:00.1-00:00", "2000-06-01T01:02:03.000001+05:30"}

// known are values that the Go types take which the schema binds.
var known = map[string][]ir.Value{
	"Addr":   {textual("127.0.0.1"), textual("::1"), textual("2001:db8::1")},
	"Prefix": {textual("10.0.0.0/8"), textual("::/0")},
	// Numbers are spelled as they are: big.Int reads 12, and not 12.0.
	"Int": {{Kind: ir.Number, Text: "0"}, {Kind: ir.Number, Text: "-12"}, {Kind: ir.Number, Text: "123456789012345678901234567890"}},
}

func (g *generator) bound(goType string) ir.Value { return choose(g, known[goType]...) }

// anything draws a JSON value of any kind.
func (g *generator) anything(depth int) ir.Value {
	n := 8
	if depth >= deepest {
		n = 6
	}
	switch g.pick(n) {
	case 0:
		return null
	case 1:
		return ir.Value{Kind: ir.Boolean, Text: choose(g, "true", "false")}
	case 2:
		return ir.NumberValue(choose(g, "0", "-1", "7", "1e2", "12345678901234567890", "-0"))
	case 3:
		return ir.NumberValue(choose(g, "0.5", "-1.25", "1e-7", "0.1"))
	case 4:
		return textual(g.free(0, 8))
	case 5:
		return textual("")
	case 6:
		v := ir.Value{Kind: ir.Array}
		for range g.pick(4) {
			v.Items = append(v.Items, g.anything(depth+1))
		}
		return v
	}
	v := ir.Value{Kind: ir.Object}
	for range g.pick(4) {
		v.Fields = set(v.Fields, g.free(0, 3), g.anything(depth+1))
	}
	return v
}

// set adds a member, or changes the one of that name.
func set(members []ir.Member, name string, v ir.Value) []ir.Member {
	for i := range members {
		if members[i].Name == name {
			members = slices.Clone(members)
			members[i].Value = v
			return members
		}
	}
	return append(members, ir.Member{Name: name, Value: v})
}

func get(v ir.Value, name string) (ir.Value, bool) {
	for _, m := range v.Fields {
		if m.Name == name {
			return m.Value, true
		}
	}
	return ir.Value{}, false
}

func drop(members []ir.Member, name string) []ir.Member {
	return slices.DeleteFunc(slices.Clone(members), func(m ir.Member) bool { return m.Name == name })
}

func (g *generator) enum(t *ir.Enum) ir.Value {
	v := t.Values[g.pick(len(t.Values))].Value
	if !g.overstep() && !(t.Open && g.chance(3)) {
		return v
	}
	if v.Kind == ir.Text {
		return textual(choose(g, v.Text+"x", "unknown", strings.ToUpper(v.Text), " "+v.Text))
	}
	return ir.NumberValue(choose(g, "99", "-99", "9223372036854775807", "9223372036854775808", "100"))
}

// characters are drawn for free text: plain ones, such as need escapes, and of every length in UTF-8.
var characters = []rune("aaabbz019 -_/~\"\\<>&'\b\f\n\r\t\x00\x1f\x7f\u00e9\u00df\u2028\u2029\u4e16\u754c\ud7ff\ue000\ufffd\U0001F600\U0010FFFF")

func (g *generator) free(low, high int) string {
	return rapid.StringOfN(rapid.SampledFrom(characters), low, high, -1).Draw(g.t, "text")
}

func (g *generator) list(t *ir.List, rules []ir.Rule, depth int) ir.Value {
	v := ir.Value{Kind: ir.Array}
	l := limitsOf(rules)
	usual := 3
	if depth >= deepest {
		usual = 0
	}
	n := g.length(l, usual)
	if l.unique && g.chance(8) {
		n = min(n+18, 30) // more than are compared pair by pair
	}
	for range n {
		item := g.value(t.Elem, nil, depth+1)
		if l.unique && !g.careless && slices.ContainsFunc(v.Items, func(other ir.Value) bool { return judge.Equal(item, other) }) {
			continue
		}
		v.Items = append(v.Items, item)
	}
	if len(v.Items) > 0 && g.overstep() {
		v.Items = append(v.Items, v.Items[0])
	}
	return v
}

func (g *generator) tuple(t *ir.Tuple, rules []ir.Rule, depth int) ir.Value {
	v := ir.Value{Kind: ir.Array}
	l, least := limitsOf(rules), 0
	for _, f := range t.Items {
		if !f.Optional {
			least++
		}
	}
	l.low = max(l.low, least)
	usual := len(t.Items) - l.low
	switch {
	case depth >= deepest:
		usual = 0
	case t.Rest != nil:
		usual = max(0, usual) + 2
	}
	if t.Rest == nil {
		l.high = l.low + usual
	}
	for i := range g.length(l, usual) {
		switch {
		case i < len(t.Items):
			v.Items = append(v.Items, g.value(t.Items[i].Type, nil, depth+1))
		case t.Rest != nil:
			v.Items = append(v.Items, g.value(t.Rest, nil, depth+1))
		default:
			v.Items = append(v.Items, g.anything(depth+1))
		}
	}
	return v
}

func (g *generator) dictionary(t *ir.Map, rules []ir.Rule, depth int) ir.Value {
	v := ir.Value{Kind: ir.Object}
	usual := 3
	if depth >= deepest {
		usual = 0
	}
	for range g.length(limitsOf(rules), usual) {
		v.Fields = set(v.Fields, g.key(), g.value(t.Elem, nil, depth+1))
	}
	return v
}

func (g *generator) key() string {
	return choose(g, "a", "b", "long name", "x/y", "~", "", "\u00e9", g.free(1, 3))
}

// structure draws an object. The members that rules relate are drawn again until the rules are content.
func (g *generator) structure(t *ir.Struct, rules []ir.Rule, depth int) ir.Value {
	v := ir.Value{Kind: ir.Object}
	there := g.presence(t, rules, depth)
	for i, f := range t.Fields {
		if !there[i] {
			continue
		}
		if f.Go.Type != "" {
			v.Fields = append(v.Fields, ir.Member{Name: f.Name, Value: g.bound(f.Go.Type)})
			continue
		}
		v.Fields = append(v.Fields, ir.Member{Name: f.Name, Value: g.value(f.Type, nil, depth+1)})
	}
	switch {
	case t.Additional == ir.AdditionalKept && depth < deepest:
		for range g.pick(3) {
			if name := "+" + g.key(); !slices.ContainsFunc(t.Fields, func(f *ir.Field) bool { return f.Name == name }) {
				v.Fields = set(v.Fields, name, g.value(t.Extra, nil, depth+1))
			}
		}
	case t.Additional == ir.AdditionalIgnored && g.chance(4), g.overstep():
		v.Fields = append(v.Fields, ir.Member{Name: "+ignored", Value: g.anything(depth + 1)})
	}
	return v
}

func (g *generator) presence(t *ir.Struct, rules []ir.Rule, depth int) []bool {
	few := len(t.Fields) > 40 || depth >= deepest
	for range 50 {
		there := make([]bool, len(t.Fields))
		probe := ir.Value{Kind: ir.Object}
		for i, f := range t.Fields {
			there[i] = !f.Optional && !g.overstep() || f.Optional && (depth < deepest || len(rules) > 0) && (!few && g.chance(2) || g.chance(6))
			if there[i] {
				probe.Fields = append(probe.Fields, ir.Member{Name: f.Name, Value: null})
			}
		}
		if g.overstep() || content(rules, probe) {
			return there
		}
	}
	return make([]bool, len(t.Fields))
}

// content reports whether an object has the members that rules ask for.
func content(rules []ir.Rule, v ir.Value) bool {
	any := make([]*ir.Field, len(v.Fields))
	for i, m := range v.Fields {
		any[i] = &ir.Field{Name: m.Name, Type: &ir.Any{}}
	}
	return len(judge.Judge(&ir.Struct{Fields: any, Rules: rules}, v)) == 0
}

// union draws a value of one branch, and sets the tag where the branch leaves it to the union.
func (g *generator) union(u *ir.Union, depth int) ir.Value {
	if u.Open && g.chance(4) {
		v := ir.Value{Kind: ir.Object, Fields: []ir.Member{{Name: "other", Value: g.anything(depth + 1)}}}
		if by, ok := u.Decide.(*ir.ByProperty); ok && g.chance(2) {
			v.Fields = append(v.Fields, ir.Member{Name: by.Property, Value: choose(g, textual("unheard of"), null, ir.NumberValue("7"))})
		}
		return v
	}
	if u.Open && g.overstep() {
		return g.anything(depth)
	}
	b := u.Branches[g.pick(len(u.Branches))]
	v := g.value(b.Type, nil, depth+1)
	if by, ok := u.Decide.(*ir.ByProperty); ok && v.Kind == ir.Object {
		for _, c := range by.Cases {
			if pick, ok := c.Then.(*ir.Pick); ok && pick.Branch == b {
				if tag, there := get(v, by.Property); !there || tag.Kind == ir.Text && !g.overstep() && !tagged(by, b, tag) {
					v.Fields = set(v.Fields, by.Property, c.Tag)
				}
				if by.Absent == c.Then && g.chance(3) {
					v.Fields = drop(v.Fields, by.Property)
				}
				break
			}
		}
		if g.overstep() {
			v.Fields = set(drop(v.Fields, by.Property), by.Property, choose(g, textual("unheard of"), null, ir.NumberValue("7"), ir.Value{Kind: ir.Object}))
		}
	}
	return v
}

// tagged reports whether a tag is one that leads to a branch.
func tagged(by *ir.ByProperty, b *ir.Branch, tag ir.Value) bool {
	return slices.ContainsFunc(by.Cases, func(c ir.Case) bool {
		pick, ok := c.Then.(*ir.Pick)
		return ok && pick.Branch == b && judge.Equal(c.Tag, tag)
	})
}
