package diff

import (
	"maps"
	"slices"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/language/subschema"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
)

// fits reports whether every value of one type is a value of another. What it returns are the values that are not, in words; empty:
// there are none. Where it cannot tell it names the type, so that a change is rather called too bad than too good.
func (c *typeComparer) fits(from, to ir.Type) string { return c.fitter().fits(from, to, nil, nil) }

// fitter takes declarations that are compared with each other to fit: what they lack is reported where they are declared.
func (c *typeComparer) fitter() fitter { return fitter{c.pairing.types, map[[2]*ir.Decl]bool{}} }

// fitter remembers the pairs of declarations on the way: within themselves they are taken to fit.
type fitter struct {
	compared map[*ir.Decl]*ir.Decl // with each other
	met      map[[2]*ir.Decl]bool
}

// fits looks through references, and collects the rules that were added on the way.
func (f fitter) fits(from, to ir.Type, fromRules, toRules []ir.Rule) string {
	if u, ok := to.(*ir.Union); ok && declOf(from) != nil && f.branch(from, u) {
		return ""
	}
	if f.chosen(from, to) {
		return ""
	}
	if a, ok := from.(*ir.Ref); ok {
		if b, ok := to.(*ir.Ref); ok {
			if f.compared[a.Decl] == b.Decl || f.compared[b.Decl] == a.Decl || f.met[[2]*ir.Decl{a.Decl, b.Decl}] {
				return ""
			}
			f.met[[2]*ir.Decl{a.Decl, b.Decl}] = true
		}
		return f.fits(a.Decl.Type, to, append(fromRules, a.Rules...), toRules)
	}
	if any, anything := ir.Underlying(to).(*ir.Any); anything && len(any.Rules) == 0 {
		return ""
	}
	if names := alternatives(from); names != nil {
		return f.alternatives(names, to)
	}
	switch a := from.(type) {
	case *ir.Nullable:
		if !takesNull(to) {
			return "null"
		}
		return f.fits(a.Elem, to, fromRules, toRules)
	case *ir.Union:
		return f.branches(a, to)
	}
	if b, ok := to.(*ir.Ref); ok {
		return f.fits(from, b.Decl.Type, fromRules, append(toRules, b.Rules...))
	}
	return f.values(from, to, append(fromRules, limits(from)...), append(toRules, limits(to)...))
}

// chosen reports whether a declared type is one that the JSON Schema of raw values chooses among, under its name in the other version.
func (f fitter) chosen(from, to ir.Type) bool {
	d := declOf(from)
	return d != nil && slices.ContainsFunc(alternatives(to), func(name string) bool { return f.named(d, name) })
}

// named reports whether a declaration is compared with one of a name.
func (f fitter) named(d *ir.Decl, name string) bool {
	if o := f.compared[d]; o != nil && o.Name == name {
		return true
	}
	return d.Name == name && slices.Contains(slices.Collect(maps.Values(f.compared)), d)
}

// alternatives are the definitions that the JSON Schema of raw values chooses among; nil if it is another schema.
func alternatives(t ir.Type) []string {
	rules := ir.AllRules(t)
	if _, raw := ir.Underlying(t).(*ir.Any); !raw || len(rules) != 1 {
		return nil
	}
	if schema, ok := rules[0].(*ir.Conform); ok {
		names, _ := subschema.Alternatives(schema.Schema)
		return names
	}
	return nil
}

// alternatives names the definition that a schema chooses among and that does not fit a type: none of its branches is compared with it.
func (f fitter) alternatives(names []string, to ir.Type) string {
	u, ok := ir.Underlying(to).(*ir.Union)
	for _, name := range names {
		fits := func(b *ir.Branch) bool { d := declOf(b.Type); return d != nil && f.named(d, name) }
		if !ok || !u.Open && !slices.ContainsFunc(u.Branches, fits) {
			return "the branch " + name
		}
	}
	return ""
}

func (f fitter) part(from, to ir.Type) string { return f.fits(from, to, nil, nil) }

func (f fitter) values(from, to ir.Type, fromRules, toRules []ir.Rule) string {
	switch a := from.(type) {
	case *ir.Literal:
		return refusedExample(to, a.Value)
	case *ir.Enum:
		if !a.Open {
			return refusedValue(a, to)
		}
	}
	switch b := to.(type) {
	case *ir.Nullable:
		return f.fits(from, b.Elem, fromRules, toRules)
	case *ir.Union:
		return f.oneOf(from, b)
	}
	if why := f.kinds(from, to); why != "" {
		return why
	}
	return follow(fromRules, toRules)
}

func takesNull(t ir.Type) bool { return refusedExample(t, ir.Value{Kind: ir.Null, Text: "null"}) == "" }

// refusedExample names a value that a type refuses.
func refusedExample(t ir.Type, v ir.Value) string {
	if len(judge.Judge(t, v)) == 0 {
		return ""
	}
	return "the value " + v.String()
}

func refusedValue(e *ir.Enum, to ir.Type) string {
	for _, v := range e.Values {
		if why := refusedExample(to, v.Value); why != "" {
			return why
		}
	}
	return ""
}

func (f fitter) branches(u *ir.Union, to ir.Type) string {
	if b, ok := ir.Underlying(to).(*ir.Union); ok && u.Open && !b.Open {
		return "branches that are not declared"
	}
	for _, b := range u.Branches {
		if why := f.part(b.Type, to); why != "" {
			return "the branch " + b.Name
		}
	}
	return ""
}

// branch reports whether a type is a branch of a union, or fits one.
func (f fitter) branch(from ir.Type, u *ir.Union) bool {
	return slices.ContainsFunc(u.Branches, func(b *ir.Branch) bool { return f.part(from, b.Type) == "" })
}

func (f fitter) oneOf(from ir.Type, u *ir.Union) string {
	if f.branch(from, u) {
		return ""
	}
	if _, object := from.(*ir.Struct); object && u.Open {
		return ""
	}
	return typeWords(from)
}

// kinds compares what is neither a union nor a reference, without its rules.
func (f fitter) kinds(from, to ir.Type) string {
	switch b := to.(type) {
	case *ir.Int:
		return wholeNumbers(from, b)
	case *ir.Float:
		if _, ok := from.(*ir.Int); ok {
			return ""
		}
	case *ir.Any: // with a schema
		return typeWords(from)
	case *ir.Enum:
		return intoEnum(from, b)
	}
	switch {
	case ir.IsArray(to) && ir.IsArray(from):
		return f.arrays(from, to)
	case ir.IsObject(to) && ir.IsObject(from):
		return f.objects(ir.AsStruct(from), to)
	}
	if ir.TakesKinds(to) && ir.Within(from, to) || ir.Scalar(to) && ir.Word(from) == ir.Word(to) {
		return ""
	}
	return typeWords(from)
}

// intoEnum takes texts or integers into an enum.
func intoEnum(from ir.Type, to *ir.Enum) string {
	if !to.Open {
		return "other values than those of the enum"
	}
	_, isText := from.(*ir.String)
	_, isInt := from.(*ir.Int)
	if enum, ok := from.(*ir.Enum); ok {
		isText, isInt = enum.Values[0].Value.Kind == ir.Text, enum.Values[0].Value.Kind != ir.Text
	}
	if text := to.Values[0].Value.Kind == ir.Text; text && isText || !text && isInt {
		return ""
	}
	return typeWords(from)
}

func wholeNumbers(from ir.Type, to *ir.Int) string {
	a, ok := from.(*ir.Int)
	switch {
	case !ok && ir.Numeric(from):
		return "numbers with a fraction"
	case !ok:
		return typeWords(from)
	case a.Bits == to.Bits && a.Unsigned == to.Unsigned, a.Bits < to.Bits && (a.Unsigned || !to.Unsigned):
		return ""
	}
	return "integers that do not fit " + ir.Describe(&ir.Int{Bits: to.Bits, Unsigned: to.Unsigned})
}

// objects compares structs and maps.
func (f fitter) objects(from *ir.Struct, to ir.Type) string {
	if b, ok := to.(*ir.Struct); ok {
		return f.intoStruct(from, b)
	}
	for _, field := range from.Fields {
		if why := f.part(field.Type, ir.Elem(to)); why != "" {
			return "`" + field.Name + "`"
		}
	}
	if from.Extra != nil {
		return f.part(from.Extra, ir.Elem(to))
	}
	return ""
}

func (f fitter) intoStruct(a, b *ir.Struct) string {
	for _, want := range b.Fields {
		have := a.Field(want.Name)
		switch {
		case !want.Optional && (have == nil || have.Optional):
			return "objects without `" + want.Name + "`"
		case have != nil:
			if why := f.part(have.Type, want.Type); why != "" {
				return "`" + want.Name + "`: " + why
			}
		case a.Extra != nil && kindOf(a.Extra) != "any": // of any, no peer relies on what is not declared
			if why := f.part(a.Extra, want.Type); why != "" {
				return "`" + want.Name + "`: " + why
			}
		}
	}
	for _, have := range a.Fields {
		if b.Field(have.Name) == nil && f.furtherMember(have.Type, b) != "" {
			return "`" + have.Name + "`"
		}
	}
	if a.Extra != nil {
		return f.furtherMember(a.Extra, b)
	}
	return ""
}

// furtherMember reports whether a struct takes a member that it does not name.
func (f fitter) furtherMember(t ir.Type, b *ir.Struct) string {
	switch b.Additional {
	case ir.AdditionalRejected:
		return "further members"
	case ir.AdditionalKept:
		return f.part(t, b.Extra)
	}
	return ""
}
