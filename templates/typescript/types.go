package typescript

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/decimal"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// declaration writes a type with a name.
func (m *module) declaration(e *entry) doc {
	about := comment(commentLines(e.meta, describe(e), m.facts(e.typ)...))
	if s, ok := e.typ.(*ir.Struct); ok {
		members := m.members(s)
		if members == nil {
			return concat{about, "export type " + e.name + " = object;"} // an interface without members would take a number as well
		}
		return concat{about, "export interface " + e.name + " ", members}
	}
	all := m.shape(e.typ)
	if len(all) == 1 {
		return concat{about, assign{"export type " + e.name + " =", bare(all[0])}, ";"}
	}
	return concat{about, group{concat{"export type " + e.name + " =", indent{concat{space, group{options(all)}}}, ";"}}}
}

func describe(e *entry) string {
	if e.said == "" {
		return ""
	}
	return strings.ToUpper(e.said[:1]) + e.said[1:] + "."
}

// facts are what the type of TypeScript does not say of a value.
func (m *module) facts(t ir.Type) []string {
	switch t := ir.NonNull(t).(type) {
	case *ir.String:
		if words := ir.FormatIn(t.Rules).Words; words != "" {
			return []string{"It is " + words + "."}
		}
	default:
		if s := ir.ScalarOf(t); s != nil && s.Fact != "" {
			return []string{s.Fact}
		}
	}
	return nil
}

// members writes the body of an interface. It is nil if there are no members to write.
func (m *module) members(s *ir.Struct) doc {
	var lines []doc
	for _, f := range s.Fields {
		name := key(f.Name)
		if f.Optional {
			name += "?"
		}
		facts := []string{}
		if _, named := f.Type.(*ir.Ref); !named {
			facts = m.facts(f.Type)
		}
		if f.Default != nil {
			facts = append(facts, "Default: "+f.Default.String()+".")
		}
		if f.Sensitive {
			facts = append(facts, "Sensitive: it does not belong in a log.")
		}
		lines = append(lines, concat{comment(commentLines(&f.Meta, "", facts...)), name + ": ", union(m.alternatives(f.Type)), ";"})
	}
	if s.Additional == ir.AdditionalKept {
		lines = append(lines, concat{index, union(m.additional(s)), ";"})
	} else if len(lines) == 0 && s.Additional == ir.AdditionalRejected {
		lines = append(lines, "[name: string]: never;")
	}
	if len(lines) == 0 {
		return nil
	}
	return concat{"{", indent{concat{hardline{}, join(hardline{}, lines)}}, hardline{}, "}"}
}

// index is what stands before the type of members with any name.
var index = concat{group{concat{"[", indent{concat{softline, "name: string"}}, softline, "]"}}, ": "}

// additional are the types of the members that are not named. TypeScript wants those of all others among them.
func (m *module) additional(s *ir.Struct) []doc {
	all := m.alternatives(s.Extra)
	optional := false
	for _, f := range s.Fields {
		all = append(all, m.alternatives(f.Type)...)
		optional = optional || f.Optional
	}
	if optional {
		all = append(all, "undefined")
	}
	return distinct(all)
}

// distinct leaves out what is there already. What anything is leaves out all else.
func distinct(all []doc) []doc {
	var kept []doc
	seen := map[string]bool{}
	for _, d := range all {
		written := render(bare(d))
		if written == "unknown" {
			return []doc{"unknown"}
		}
		if !seen[written] {
			seen[written] = true
			kept = append(kept, d)
		}
	}
	return kept
}

// union writes alternatives.
func union(all []doc) doc {
	if len(all) == 1 {
		return bare(all[0])
	}
	start := alternative{concat{space, "| "}, ""}
	return group{indent{concat{start, join(concat{space, "| "}, parts(all))}}}
}

// options writes alternatives that begin on a line of their own if they do not fit on one.
func options(all []doc) doc {
	return concat{alternative{"| ", ""}, join(concat{space, "| "}, parts(all))}
}

// groupedType is a type that needs parentheses among others.
type groupedType struct{ of doc }

// bare is a type that stands alone.
func bare(d doc) doc {
	if t, ok := d.(groupedType); ok {
		return t.of
	}
	return d
}

// parts are types that stand among others.
func parts(all []doc) []doc {
	return ir.Each(all, func(d doc) doc {
		if t, ok := d.(groupedType); ok {
			return concat{"(", t.of, ")"}
		}
		return d
	})
}

// alternatives are the types that a value of t may have.
func (m *module) alternatives(t ir.Type) []doc {
	if e := m.namedEntry(t); e != nil {
		return []doc{e.name}
	}
	return m.shape(t)
}

// shape are the alternatives of a type itself, whatever it is called.
func (m *module) shape(t ir.Type) []doc {
	switch t := t.(type) {
	case *ir.Ref:
		return m.alternatives(t)
	case *ir.Nullable:
		return distinct(append(m.alternatives(t.Elem), "null"))
	case *ir.Decimal:
		m.decimals = true
		return []doc{decimalName}
	case *ir.Literal:
		return []doc{m.constant(t.Value)}
	case *ir.List:
		return []doc{m.elements(t.Elem)}
	case *ir.Map:
		value := union(m.alternatives(t.Elem))
		return []doc{group{concat{"{", indent{concat{space, index, value, alternative{";", ""}}}, space, "}"}}}
	case *ir.Enum:
		return m.values(t)
	case *ir.Tuple:
		return []doc{m.tuple(t)}
	case *ir.Union:
		return m.branches(t)
	}
	s := ir.ScalarOf(t)
	if s == nil || s.Script == nil {
		return []doc{"unknown"}
	}
	all := ir.Each(s.Script, func(name string) doc { return name })
	if s.Big != "" && m.opts.BigInt {
		all = append(all, "bigint")
	}
	return all
}

// elements writes an array of a type.
func (m *module) elements(t ir.Type) doc {
	all := m.alternatives(t)
	if len(all) == 1 {
		return concat{parts(all)[0], "[]"}
	}
	return concat{group{concat{"(", indent{concat{softline, options(all)}}, softline, ")"}}, "[]"}
}

func (m *module) values(t *ir.Enum) []doc {
	all := ir.Each(t.Values, func(v ir.EnumValue) doc { return m.constant(v.Value) })
	switch {
	case !t.Open:
	case len(t.Values) > 0 && t.Values[0].Value.Kind == ir.Integer:
		all = append(all, "(number & {})")
		if m.opts.BigInt {
			all = append(all, "bigint")
		}
	default:
		all = append(all, "(string & {})")
	}
	return distinct(all)
}

// constant writes the type of one value. A number that no literal is has the type of its kind.
func (m *module) constant(v ir.Value) string {
	switch v.Kind {
	case ir.Text:
		return text.ScriptString(v.Text)
	case ir.Integer, ir.Number:
		number, ok := number(v.Text)
		switch {
		case ok:
			return number
		case integral(v.Text):
			return "bigint"
		}
		m.decimals = true
		return decimalName
	case ir.Array, ir.Object:
		return "unknown"
	}
	return v.Text
}

// number writes a number as JavaScript does, if it holds it.
func number(written string) (literal string, ok bool) {
	f, err := strconv.ParseFloat(written, 64)
	if err != nil {
		return "", false
	}
	literal = strconv.FormatFloat(f, 'g', -1, 64)
	if abs := max(f, -f); abs < 1e21 && abs >= 1e-6 || f == 0 {
		literal = strconv.FormatFloat(f, 'f', -1, 64)
	}
	literal = exponent().ReplaceAllString(literal, "e$1")
	a, _ := decimal.Parse(literal)
	b, _ := decimal.Parse(written)
	exact := a.Cmp(b) == 0 && (!b.IsInteger() || max(f, -f) <= 1<<53-1 || strings.ContainsAny(written, ".eE"))
	if f == 0 {
		literal = "0"
	}
	return literal, exact
}

// exponent is what Go writes of an exponent and JavaScript does not.
var exponent = text.Pattern(`e(?:\+|(-))0?`)

func integral(written string) bool {
	d, ok := decimal.Parse(written)
	return ok && d.IsInteger()
}

func (m *module) tuple(t *ir.Tuple) doc {
	labelled := !slices.ContainsFunc(t.Items, func(f *ir.Field) bool { return !plainName().MatchString(f.Name) })
	var items []doc
	for _, f := range t.Items {
		all := m.alternatives(f.Type)
		item := union(all)
		switch {
		case labelled && f.Optional:
			item = concat{f.Name + "?: ", item}
		case labelled:
			item = concat{f.Name + ": ", item}
		case f.Optional && len(all) > 1:
			item = concat{"(", item, ")?"}
		case f.Optional:
			item = concat{item, "?"}
		}
		items = append(items, item)
	}
	if t.Rest != nil {
		lead := "..."
		if labelled {
			lead = "...rest: "
		}
		items = append(items, concat{lead, m.elements(t.Rest)})
	}
	return group{concat{"[", indent{concat{softline, join(concat{",", space}, items)}}, alternative{",", ""}, softline, "]"}}
}

// branches are the alternatives of a union. A branch that leaves the tag to its union is there with the tag.
func (m *module) branches(t *ir.Union) []doc {
	by, _ := t.Decide.(*ir.ByProperty)
	var all []doc
	for _, b := range t.Branches {
		of := m.alternatives(b.Type)
		if tag := m.tag(by, b); tag != "" {
			of = []doc{groupedType{concat{"{ " + key(by.Property) + ": " + tag + " } & ", union(of)}}}
		}
		all = append(all, of...)
	}
	if t.Open {
		all = append(all, m.unknownBranch(t))
	}
	return distinct(all)
}

// unknownBranch is the branch of an open union that the schema does not know. Its tag is a text that no schema writes, as far as TypeScript sees: a
// known tag excludes it, so that unions narrow. Tags that are not texts have no such type, and leave it among the branches.
func (m *module) unknownBranch(t *ir.Union) doc {
	by, ok := t.Decide.(*ir.ByProperty)
	if !ok || by.Else != nil || slices.ContainsFunc(by.Cases, func(c ir.Case) bool { return c.Tag.Kind != ir.Text }) {
		return concat{"{ ", index, "unknown }"}
	}
	m.unknowns = true
	tag := key(by.Property)
	if by.Absent == nil {
		tag += "?"
	}
	return group{concat{"{", indent{concat{space, tag + ": " + unknownName + ";", space, index, "unknown", alternative{";", ""}}}, space, "}"}}
}

// declares reports whether values of a type themselves say which constants a property has.
func declares(t ir.Type, property string) bool {
	shape := ir.Underlying(t)
	if u, ok := shape.(*ir.Union); ok {
		return !slices.ContainsFunc(u.Branches, func(b *ir.Branch) bool { return !declares(b.Type, property) })
	}
	s := ir.AsStruct(shape)
	if s == nil || s.Field(property) == nil {
		return s == nil
	}
	switch ir.Underlying(s.Field(property).Type).(type) {
	case *ir.Literal, *ir.Enum:
		return true
	}
	return false
}

// tag is the type of the property that tells a branch apart, if the branch does not say so itself.
func (m *module) tag(by *ir.ByProperty, b *ir.Branch) string {
	if by == nil || declares(b.Type, by.Property) {
		return ""
	}
	picks := func(d ir.Decision) bool { p, ok := d.(*ir.Pick); return ok && p.Branch == b }
	if by.Absent != nil && picks(by.Absent) || by.Else != nil && picks(by.Else) {
		return ""
	}
	tagged := ir.Where(by.Cases, func(c ir.Case) bool { return picks(c.Then) })
	return strings.Join(ir.Each(tagged, func(c ir.Case) string { return m.constant(c.Tag) }), " | ")
}

var plainName = text.Pattern(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// letters are names that need no quotes.
var letters = text.Pattern(`^[\p{L}_$][\p{L}\p{Nd}_$]*$`)

// key writes the name of a member.
func key(name string) string {
	if letters().MatchString(name) {
		return name
	}
	return text.ScriptString(name)
}

// ownKey is key for a member of a value, where __proto__ alone would set its prototype.
func ownKey(name string) string {
	if name == "__proto__" {
		return `["__proto__"]`
	}
	return key(name)
}
