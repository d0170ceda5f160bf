package templates

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// emitUnionCodec writes the functions that read and write a union: an interface can have no such methods.
func (w *codecWriter) emitUnionCodec(f *jen.File, t *namedType) {
	u := t.typ.(*ir.Union)
	if w.needs.wants(t, needsAppend) {
		w.emitAppendUnion(f, t, u)
	}
	if w.needs.wants(t, needsDecode) {
		w.emitDecodeUnion(f, t, u)
	}
}

func (w *codecWriter) emitAppendUnion(f *jen.File, t *namedType, u *ir.Union) {
	name := "Append" + t.name
	boundary(f)
	f.Comment(name + " appends v as JSON.")
	f.Func().Id(name).Params(jen.Id("b").Index().Byte(), jen.Id("v").Id(t.name)).Index().Byte().Block(
		jen.Switch(jen.Id("v").Op(":=").Id("v").Assert(jen.Type())).BlockFunc(func(g *jen.Group) {
			w.appendCases(g, u, map[*namedType]bool{}, t.left)
		}),
		jen.Panic(wire("NoBranch").Call(jen.Lit(t.name), jen.Id("b"))),
	)
}

func (w *codecWriter) emitDecodeUnion(f *jen.File, t *namedType, u *ir.Union) {
	name := "Decode" + t.name
	boundary(f)
	f.Comment(name + " reads one of the branches from r; it returns nil when there is a fault, which is r's to report.")
	f.Func().Id(name).Params(jen.Id("r").Op("*").Add(wire("Reader"))).Id(t.name).BlockFunc(func(g *jen.Group) {
		d := decider{names: w.names, values: w.values, union: t, u: u}
		if _, single := u.Decide.(*ir.Pick); !single {
			g.Id("p").Op(":=").Id("r").Dot("Peek").Call()
		}
		d.decide(g, u.Decide, nil)
	})
}

// appendCases writes a case for each type that a value of u can have; a branch that is itself a union contributes its own.
func (w *codecWriter) appendCases(g *jen.Group, u *ir.Union, seen map[*namedType]bool, tags map[*namedType][]tag) {
	for _, b := range u.Branches {
		branch := w.names.branchType(b)
		if seen[branch] {
			continue
		}
		seen[branch] = true
		switch branch.kind() {
		case kindUnion:
			w.appendCases(g, branch.typ.(*ir.Union), seen, tags)
		case kindStruct, kindWrapper, kindTuple:
			g.Case(jen.Op("*").Id(branch.name)).Block(appendTagged(branch, tags[branch]))
		case kindList, kindMap:
			g.Case(jen.Id(branch.name)).Block(appendTagged(branch, tags[branch]))
		default:
			g.Case(jen.Id(branch.name)).Block(jen.Return(w.values.appendExpr(namedRef(branch), "v")))
		}
	}
	if u.Open {
		unknown := w.names.byType[u].unknownName()
		g.Case(jen.Op("*").Id(unknown)).Block(jen.Return(wire("AppendRaw").Call(jen.Id("b"), jen.Id("v.Raw"))))
	}
}

// marshal writes the body of MarshalJSON. encoding/json sees the branch where a program gives it a union, so that the branch writes the tags that it
// leaves to its unions. One that they do not tell apart alike has no JSON of its own: which union is meant, nobody can see.
func marshal(g *jen.Group, t *namedType, value *jen.Statement) {
	own, alike := t.ownTags()
	switch {
	case !alike:
		g.Return(jen.Nil(), wire("NoUnion").Call(jen.Lit(t.name)))
	case len(own) == 0:
		g.Return(wire("Marshal").Call(value))
	default:
		g.Return(wire("MarshalTagged").Call(append([]jen.Code{value}, literals(own)...)...))
	}
}

// literals are tags as arguments.
func literals(tags []tag) []jen.Code {
	return ir.Each(tags, func(t tag) jen.Code { return raw(t.member) })
}

// appendTagged is a branch with its tags. What keeps further members may have kept a tag among them.
func appendTagged(branch *namedType, tags []tag) jen.Code {
	s, ok := ir.Underlying(branch.typ).(*ir.Struct)
	switch {
	case len(tags) == 0:
		return jen.Return(jen.Id("v.AppendJSON").Call(jen.Id("b")))
	case ok && s.Additional != ir.AdditionalKept && len(tags) == 1:
		return jen.Return(wire("AppendTagged").Call(jen.Id("b"), raw(tags[0].member), jen.Id("v.AppendJSON")))
	}
	return jen.Return(wire("AppendTags").Call(append([]jen.Code{jen.Id("b"), jen.Id("v.AppendJSON")}, literals(tags)...)...))
}

// namedRef is the type of a value that is held as t, by its name if it has one.
func namedRef(t *namedType) ir.Type {
	if t.decl != nil {
		return &ir.Ref{Decl: t.decl}
	}
	return t.typ
}

// A decider writes the statements that choose a branch of one union.
type decider struct {
	names  *names
	values *valueWriter
	union  *namedType
	u      *ir.Union
}

// decide writes what d decides by; p is the Peek at the value that it looks at, path the properties that lead there. The statements always return.
func (d *decider) decide(g *jen.Group, decision ir.Decision, path []string) {
	switch by := decision.(type) {
	case *ir.Pick:
		d.pick(g, by.Branch)
	case *ir.ByProperty:
		d.byProperty(g, by, path)
	case *ir.ByPresence:
		d.byPresence(g, by, path)
	case *ir.ByKind:
		d.byKind(g, by, path)
	case *ir.ByLength:
		d.byLength(g, by, path)
	case *ir.ByValue:
		d.byValue(g, by, path)
	case *ir.InElement:
		d.inElement(g, by, path)
	case *ir.InProperty:
		d.inProperty(g, by, path)
	default:
		g.Add(invoke("r", "NoKind", jen.Lit("a value of "+d.union.name)))
		g.Return(jen.Nil())
	}
}

// pick reads the value as branch b.
func (d *decider) pick(g *jen.Group, b *ir.Branch) {
	t := d.names.branchType(b)
	switch t.kind() {
	case kindUnion:
		g.If(jen.Id("v").Op(":=").Add(t.sibling("Decode"+t.name)).Call(jen.Id("r")), jen.Id("v").Op("!=").Nil()).Block(jen.Return(jen.Id("v")))
		g.Return(jen.Nil())
	case kindStruct, kindTuple, kindWrapper:
		g.Id("v").Op(":=").Add(wire("New")).Index(jen.Id(t.name)).Call(jen.Id("r"))
		g.Add(invoke("v", "DecodeJSON", jen.Id("r")))
		g.Return(jen.Id("v"))
	case kindList, kindMap:
		g.Add(invoke("r", "Charge", jen.Lit(ir.SliceSize)))
		g.Var().Id("v").Id(t.name)
		g.Add(invoke("v", "DecodeJSON", jen.Id("r")))
		g.Return(jen.Id("v"))
	default:
		if n := boxSize(ir.Underlying(t.typ)); n > 0 {
			g.Add(invoke("r", "Charge", jen.Lit(n)))
		}
		g.Return(d.values.readExpr(namedRef(t), ""))
	}
}

// unknownSize is how many bytes the text and the tag of an unknown branch take.
const unknownSize = 48

// boxSize is how many bytes an interface takes to hold a value of t, besides itself.
func boxSize(t ir.Type) int {
	if s := ir.ScalarOf(t); s != nil {
		return s.Size
	}
	if e, ok := t.(*ir.Enum); ok && enumBase(e) != "string" {
		return ir.WordSize
	}
	return ir.TextSize
}

func (d *decider) byProperty(g *jen.Group, by *ir.ByProperty, path []string) {
	byText, byScalar := splitCases(by.Cases)
	look := invoke("p", "In", jen.Lit(by.Property))
	g.Id("tag").Op(":=").Add(look)
	d.cases(g, byText, "Text", path)
	d.cases(g, byScalar, "Scalar", path)
	if by.Absent != nil && by.Absent == by.Else {
		g.If(invoke("p", "Kind").Op("==").Add(wire("Object"))).BlockFunc(func(g *jen.Group) { d.decide(g, by.Else, path) })
		d.endUnknown(g, true, func() { g.Id("r").Dot("NoKind").Call(jen.Lit("object")) })
		return
	}
	if by.Absent != nil {
		g.If(invoke("tag", "Kind").Op("==").Add(wire("Invalid")).Op("&&").Id("p").Dot("Kind").Call().Op("==").Add(wire("Object"))).
			BlockFunc(func(g *jen.Group) { d.decide(g, by.Absent, path) })
	}
	if by.Else != nil {
		g.If(invoke("tag", "Kind").Op("!=").Add(wire("Invalid"))).BlockFunc(func(g *jen.Group) { d.decide(g, by.Else, path) })
	}
	d.endUnknown(g, true, func() { d.noBranch(g, append(append([]string(nil), path...), by.Property), by.Cases) })
}

// splitCases parts tags that are strings from integers and booleans.
func splitCases(cases []ir.Case) (texts, scalars []ir.Case) {
	isText := func(c ir.Case) bool { return c.Tag.Kind == ir.Text }
	return ir.Where(cases, isText), ir.Where(cases, func(c ir.Case) bool { return !isText(c) })
}

// cases writes the switch over tags of one kind.
func (d *decider) cases(g *jen.Group, cases []ir.Case, method string, path []string) {
	if len(cases) == 0 {
		return
	}
	g.If(jen.List(jen.Id("tag"), jen.Id("ok")).Op(":=").Id("tag").Dot(method).Call(), jen.Id("ok")).Block(
		jen.Switch(jen.Id("tag")).BlockFunc(func(g *jen.Group) {
			for _, c := range cases {
				g.Case(jen.Lit(c.Tag.Text)).BlockFunc(func(g *jen.Group) { d.decide(g, c.Then, path) })
			}
		}),
	)
}

func (d *decider) byPresence(g *jen.Group, by *ir.ByPresence, path []string) {
	g.Switch().BlockFunc(func(g *jen.Group) {
		for _, c := range by.Cases {
			g.Case(invoke("p", "Has", jen.Lit(c.Property))).BlockFunc(func(g *jen.Group) { d.decide(g, c.Then, path) })
		}
		if by.Else != nil {
			g.Case(invoke("p", "Kind").Op("==").Add(wire("Object"))).BlockFunc(func(g *jen.Group) { d.decide(g, by.Else, path) })
		}
	})
	d.endUnknown(g, false, func() {
		names := ir.Each(by.Cases, func(c ir.PresenceCase) string { return c.Property })
		g.Add(invoke("r", "NoMember", jen.Lit(strings.Join(names, "\n"))))
	})
}

// wireKinds are the kinds as the reader tells them; it takes a second look to tell integers from other numbers.
var wireKinds = map[ir.Kind]string{
	ir.Null: "Null", ir.Boolean: "Boolean", ir.Number: "NumberKind", ir.Text: "Text", ir.Array: "Array", ir.Object: "Object",
}

// wireInteger is what the reader calls a type of integers.
func wireInteger(t *ir.Int) jen.Code {
	name := "Int"
	if t.Unsigned {
		name = "Uint"
	}
	return wire(name + strconv.Itoa(t.Bits))
}

func (d *decider) byKind(g *jen.Group, by *ir.ByKind, path []string) {
	integer := slices.IndexFunc(by.Cases, func(c ir.KindCase) bool { return c.Kind == ir.Integer })
	whole := by.Integers()
	if integer >= 0 {
		is := invoke("p", "IsInteger")
		if whole != nil {
			is = invoke("p", "Is", wireInteger(whole.Range))
		}
		g.If(is).BlockFunc(func(g *jen.Group) { d.decide(g, by.Cases[integer].Then, path) })
	}
	names := make([]string, len(by.Cases))
	g.Switch(invoke("p", "Kind")).BlockFunc(func(g *jen.Group) {
		for i, c := range by.Cases {
			names[i] = c.Kind.String()
			if i == integer {
				continue
			}
			g.Case(wire(wireKinds[c.Kind])).BlockFunc(func(g *jen.Group) {
				if pick, ok := c.Then.(*ir.Pick); ok && c.Kind == ir.Number && whole != nil && ir.IsFloat(pick.Branch.Type) {
					g.If(invoke("p", "RoundsTo", wireInteger(whole.Range))).Block(
						invoke("r", "NoKind", jen.Lit("integer or a number that is none when it is rounded to a float64")),
						jen.Return(jen.Nil()),
					)
				}
				d.decide(g, c.Then, path)
			})
		}
	})
	expected := strings.Join(names, " or ")
	if len(path) > 0 {
		expected = "value with " + expected + " at /" + strings.Join(path, "/")
	}
	d.endUnknown(g, false, func() { g.Id("r").Dot("NoKind").Call(jen.Lit(expected)) })
}

func (d *decider) byLength(g *jen.Group, by *ir.ByLength, path []string) {
	last := by.Cases[len(by.Cases)-1]
	most := last.Min
	if last.Max >= 0 {
		most = last.Max + 1
	}
	names := make([]string, len(by.Cases))
	g.Switch(jen.Id("n").Op(":=").Id("p").Dot("Len").Call(jen.Lit(most)), jen.Empty()).BlockFunc(func(g *jen.Group) {
		for i, c := range by.Cases {
			names[i] = elements(c.Min, c.Max)
			g.Case(ofLength(c.Min, c.Max)).BlockFunc(func(g *jen.Group) { d.decide(g, c.Then, path) })
		}
	})
	d.endUnknown(g, false, func() { g.Id("r").Dot("NoKind").Call(jen.Lit("array of " + strings.Join(names, " or "))) })
}

// ofLength is the condition that n lies in a range.
func ofLength(low, high int) *jen.Statement {
	switch n := jen.Id("n"); {
	case low == high:
		return n.Op("==").Lit(low)
	case high < 0:
		return n.Op(">=").Lit(low)
	case low == 0:
		return n.Op("<=").Lit(high)
	}
	return jen.Id("n").Op(">=").Lit(low).Op("&&").Id("n").Op("<=").Lit(high)
}

// elements is a range of lengths in words.
func elements(low, high int) string {
	switch {
	case low == high:
		return strconv.Itoa(low)
	case high < 0:
		return strconv.Itoa(low) + " or more"
	}
	return strconv.Itoa(low) + " to " + strconv.Itoa(high)
}

func (d *decider) byValue(g *jen.Group, by *ir.ByValue, path []string) {
	byText, byScalar := splitCases(by.Cases)
	g.Id("tag").Op(":=").Id("p")
	d.cases(g, byText, "Text", path)
	d.cases(g, byScalar, "Scalar", path)
	d.endUnknown(g, true, func() { d.noBranch(g, path, by.Cases) })
}

// noBranch reports a value at path that is none of the tags.
func (d *decider) noBranch(g *jen.Group, path []string, cases []ir.Case) {
	tags := ir.Each(cases, func(c ir.Case) string { return c.Tag.Text })
	g.Add(invoke("r", "NoBranch", jen.Lit(strings.Join(path, "/")), jen.Lit(strings.Join(tags, "\n"))))
}

func (d *decider) inElement(g *jen.Group, by *ir.InElement, path []string) {
	element := func() *jen.Statement { return invoke("p", "At", jen.Lit(by.Index)) }
	if by.Absent != nil {
		g.If(element().Dot("Kind").Call().Op("==").Add(wire("Invalid"))).BlockFunc(func(g *jen.Group) { d.decide(g, by.Absent, path) })
	}
	g.BlockFunc(func(g *jen.Group) {
		if _, single := by.Decide.(*ir.Pick); !single {
			g.Id("p").Op(":=").Add(element())
		}
		d.decide(g, by.Decide, append(append([]string(nil), path...), strconv.Itoa(by.Index)))
	})
}

func (d *decider) inProperty(g *jen.Group, by *ir.InProperty, path []string) {
	if by.Absent != nil {
		g.If(jen.Op("!").Id("p").Dot("Has").Call(jen.Lit(by.Property))).BlockFunc(func(g *jen.Group) { d.decide(g, by.Absent, path) })
	}
	g.BlockFunc(func(g *jen.Group) {
		g.Id("p").Op(":=").Id("p").Dot("In").Call(jen.Lit(by.Property))
		d.decide(g, by.Decide, append(append([]string(nil), path...), by.Property))
	})
}

// endUnknown ends a decision that found no branch: an open union keeps the value, a closed one reports it.
func (d *decider) endUnknown(g *jen.Group, tagged bool, report func()) {
	if d.u.Open {
		g.If(invoke("r", "Kind").Op("==").Add(wire("Object"))).BlockFunc(func(g *jen.Group) {
			g.Add(invoke("r", "Charge", jen.Lit(unknownSize)))
			if !tagged {
				g.Return(jen.Op("&").Id(d.union.unknownName()).Values(jen.Id("Raw").Op(":").Id("r").Dot("Raw").Call()))
				return
			}
			g.List(jen.Id("tag"), jen.Id("_")).Op(":=").Id("tag").Dot("Text").Call()
			g.Return(jen.Op("&").Id(d.union.unknownName()).Values(
				jen.Id("Tag").Op(":").Qual("strings", "Clone").Call(jen.Id("tag")), jen.Id("Raw").Op(":").Id("r").Dot("Raw").Call()))
		})
	}
	report()
	g.Return(jen.Nil())
}

func (w *typeWriter) emitUnion(f *jen.File, t *namedType) {
	u := t.typ.(*ir.Union)
	f.Comment("")
	alone := ""
	if w.needs.wants(t, needsAppend) && w.needs.wants(t, needsDecode) {
		alone = " Alone: runtime.MarshalUnion."
	}
	say(f, "It is one of: "+w.branchNames(u)+"."+alone)
	f.Type().Id(t.name).InterfaceFunc(func(g *jen.Group) {
		g.Id(t.seal()).Params()
		for _, outer := range t.branchOf {
			g.Id(outer.seal()).Params()
		}
	})
	if !u.Open {
		return
	}
	boundary(f)
	f.Comment(t.unknownName() + " is " + text.Article(t.name) + " that the schema does not know.")
	f.Type().Id(t.unknownName()).Struct(
		jen.Id("Tag").String().Comment("what tells it apart; empty when nothing does"),
		rt("Raw"), // embedded, so that encoding/json writes it
	)
	for _, u := range append([]*namedType{t}, t.branchOf...) {
		boundary(f)
		f.Func().Params(jen.Op("*").Id(t.unknownName())).Id(u.seal()).Params().Block()
	}
}

// branchNames lists the Go types of the branches.
func (w *typeWriter) branchNames(u *ir.Union) string {
	return strings.Join(ir.Each(u.Branches, func(b *ir.Branch) string {
		if t := w.names.branchType(b); t.byPointer() {
			return "*" + t.name
		}
		return w.names.branchType(b).name
	}), ", ")
}

// seal is the method that makes a type a branch of the union t.
func (t *namedType) seal() string { return "is" + t.name }

// unknownName is the type that keeps branches which the schema does not know.
func (t *namedType) unknownName() string { return "Unknown" + t.name }

// emitCheckUnion writes the function that checks a union.
func (w *checkWriter) emitCheckUnion(f *jen.File, t *namedType) {
	u, name := t.typ.(*ir.Union), "Check"+t.name
	f.Comment(name + " reports to vs the rules that v breaks.")
	f.Func().Id(name).Params(violations(), jen.Id("v").Id(t.name)).BlockFunc(func(g *jen.Group) {
		missing := rule("Missing").Call(jen.Id("vs"), jen.Lit(""))
		if !w.branchesChecked(u, map[*ir.Union]bool{}) {
			g.If(jen.Id("v").Op("==").Nil()).Block(missing)
			return
		}
		g.Switch(jen.Id("v").Op(":=").Id("v").Assert(jen.Type())).BlockFunc(func(g *jen.Group) {
			w.checkCases(g, u, map[*namedType]bool{})
			g.Case(jen.Nil()).Block(missing)
		})
	})
}

// branchesChecked reports whether checkCases has a case to write.
func (w *checkWriter) branchesChecked(u *ir.Union, seen map[*ir.Union]bool) bool {
	if seen[u] {
		return false
	}
	seen[u] = true
	for _, b := range u.Branches {
		t := w.names.branchType(b)
		inner, nested := t.typ.(*ir.Union)
		if nested && t.kind() == kindUnion && w.branchesChecked(inner, seen) || w.forms.branchChecked(b) && t.kind() != kindUnion {
			return true
		}
	}
	return false
}

// branchChecked reports whether a value of a branch can break a rule, of its type or of its use here.
func (fs *forms) branchChecked(b *ir.Branch) bool {
	return fs.checks[fs.names.branchType(b)] || fs.names.wrappers[b] == nil && fs.checked(b.Type)
}

// checkCases writes a case for each branch with rules.
func (w *checkWriter) checkCases(g *jen.Group, u *ir.Union, seen map[*namedType]bool) {
	for _, b := range u.Branches {
		t := w.names.branchType(b)
		if seen[t] || !w.forms.branchChecked(b) {
			continue
		}
		seen[t] = true
		if ref, ok := b.Type.(*ir.Ref); ok && w.names.wrappers[b] == nil && len(ref.Rules) > 0 {
			g.Case(heldAs(t.name, t.byPointer())).BlockFunc(func(g *jen.Group) { w.values.checker("").check(g, b.Type, "v", "") })
			continue
		}
		switch t.kind() {
		case kindUnion:
			w.checkCases(g, t.typ.(*ir.Union), seen)
		default:
			g.Case(heldAs(t.name, t.byPointer())).BlockFunc(func(g *jen.Group) { w.values.checker("").checkNamed(g, t, "v", "") })
		}
	}
}
