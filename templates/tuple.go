package templates

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitTupleCodec writes the codec of a struct that is an array in JSON.
func (w *codecWriter) emitTupleCodec(f *jen.File, t *namedType) {
	s := t.typ.(*ir.Tuple)
	w.needs.emitBoth(f, t, jen.Id("v").Op("*").Id(t.name), func(g *jen.Group) { w.appendTuple(g, s) },
		func(g *jen.Group) { w.decodeTuple(g, t, s) })
}

// appendTuple writes the elements of t up to the last one that is there. Null stands for one that is missing before it, which CheckRules reports.
func (w *codecWriter) appendTuple(g *jen.Group, t *ir.Tuple) {
	least := leastItems(t)
	before := "["
	for _, f := range t.Items[:least] {
		before = w.appendField(g, f, before, "")
		before += ","
	}
	before = before[:len(before)-1]
	if least == 0 {
		before = "["
	}
	if least < len(t.Items) || t.Rest != nil {
		appendText(g, before)
		before = ""
	}
	if least < len(t.Items) {
		w.values.itemCount(g, t)
	}
	for i, f := range t.Items[least:] {
		g.If(jen.Id("n").Op(">").Lit(least + i)).BlockFunc(func(g *jen.Group) {
			if least+i > 0 {
				appendText(g, ",")
			}
			w.appendItem(g, f)
		})
	}
	if t.Rest != nil {
		g.Id("b").Op("=").Add(wire("AppendRest")).Call(jen.Id("b"), jen.Id("v.Rest"), w.values.appendFunc(t.Rest))
	}
	if before == "" {
		g.Return(jen.Append(jen.Id("b"), jen.LitRune(']')))
		return
	}
	g.Return(jen.Append(jen.Id("b"), raw(before+"]").Op("...")))
}

// appendText writes a literal text, if there is one.
func appendText(g *jen.Group, text string) {
	switch len(text) {
	case 0:
	case 1:
		g.Id("b").Op("=").Append(jen.Id("b"), jen.LitRune(rune(text[0])))
	default:
		g.Id("b").Op("=").Append(jen.Id("b"), raw(text).Op("..."))
	}
}

// appendItem writes an element that may be missing, and null for it then.
func (w *codecWriter) appendItem(g *jen.Group, f *ir.Field) {
	x, missing := "v."+w.names.field(f), func(g *jen.Group) { appendText(g, "null") }
	value := func(of jen.Code) func(*jen.Group) { return func(g *jen.Group) { g.Id("b").Op("=").Add(of) } }
	switch formOf(f) {
	case formOptConst:
		constant := jsonText(ir.Underlying(f.Type).(*ir.Literal).Value)
		g.If(jen.Id(x)).BlockFunc(func(g *jen.Group) { appendText(g, constant) }).Else().BlockFunc(missing)
	case formPointer:
		g.If(jen.Id(x).Op("!=").Nil()).BlockFunc(value(w.values.appendPointed(f, x))).Else().BlockFunc(missing)
	case formNil:
		g.If(jen.Id(x).Op("!=").Nil()).BlockFunc(value(w.values.appendValue(f, x))).Else().BlockFunc(missing)
	default:
		g.If(jen.List(jen.Id("x"), jen.Id("ok")).Op(":=").Id(x).Dot("Get").Call(), jen.Id("ok")).
			BlockFunc(value(w.values.appendValue(f, "x"))).Else().BlockFunc(missing)
	}
}

// missingItem reports whether an element that may be missing is.
func (w *checkWriter) missingItem(f *ir.Field) *jen.Statement {
	x := jen.Id("v." + w.names.field(f))
	switch formOf(f) {
	case formNil, formPointer:
		return x.Op("==").Nil()
	case formOptConst:
		return jen.Op("!").Add(x)
	}
	return jen.Op("!").Add(x).Dot("IsSet").Call()
}

// decodeTuple reads the elements one by one.
func (w *codecWriter) decodeTuple(g *jen.Group, t *namedType, s *ir.Tuple) {
	g.Op("*").Id("v").Op("=").Id(t.name).Values()
	g.Id("a").Op(":=").Id("r").Dot("Array").Call()
	item := func() *jen.Statement { return invoke("r", "Item", jen.Op("&").Id("a")) }
	for _, f := range s.Items {
		g.If(item()).BlockFunc(func(g *jen.Group) { w.decodeField(g, f) })
	}
	if s.Rest != nil {
		g.Id("v.Rest").Op("=").Add(wire("Rest")).Call(jen.Id("r"), jen.Op("&").Id("a"), jen.Lit(mostRest(s)), w.values.readFunc(s.Rest))
	}
	g.Add(invoke("r", "EndTuple", jen.Op("&").Id("a"), jen.Lit(leastItems(s)), jen.Lit(len(s.Items))))
}

// mostRest is how many further elements a tuple may have; negative: any number.
func mostRest(t *ir.Tuple) int {
	most := -1
	for _, r := range t.Rules {
		if count, ok := r.(*ir.Count); ok && count.Max >= 0 {
			most = max(0, count.Max-len(t.Items))
		}
	}
	return most
}

func (w *checkWriter) checkTuple(g *jen.Group, tuple *namedType) {
	t := tuple.typ.(*ir.Tuple)
	least, last := leastItems(t), len(t.Items)-1
	if gap := last > least || last == least && t.Rest != nil; gap {
		w.values.itemCount(g, t)
	}
	for i, f := range t.Items {
		at := "/" + strconv.Itoa(i)
		if i >= least && (i < last || t.Rest != nil) {
			g.If(jen.Id("n").Op(">").Lit(i).Op("&&").Add(w.missingItem(f))).Block(
				rule("Missing").Call(jen.Id("vs"), jen.Lit(at)))
		}
		if w.forms.fieldChecked(f) {
			c := w.values.checker(w.names.field(f))
			c.checkField(g, f, at)
		}
	}
	if t.Rest != nil && w.forms.checked(t.Rest) {
		c := w.values.checker("Rest")
		g.Add(rule("EachRest")).Call(jen.Id("vs"), jen.Lit(len(t.Items)), jen.Id("v.Rest"), c.function(t.Rest))
	}
	c := w.values.checker("")
	c.rules(g, t, t.Rules, "v", false, "")
}

// emitTuple writes a struct with a field for each element, in the order of the array.
func (w *typeWriter) emitTuple(f *jen.File, tuple *namedType) {
	t := tuple.typ.(*ir.Tuple)
	f.Comment("")
	f.Comment("In JSON it is an array of its fields, in their order.")
	f.Type().Id(tuple.name).StructFunc(func(g *jen.Group) {
		for _, f := range t.Items {
			if held := w.names.fieldType(f); held != nil {
				annotate(g, &f.Meta)
				g.Id(w.names.field(f)).Add(held)
			}
		}
		if t.Rest != nil {
			g.Comment("Rest holds the further elements.")
			g.Id("Rest").Index().Add(w.names.goType(t.Rest))
		}
	})
}
