package templates

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitBoth writes the methods of t that append it and that read it, as far as they are needed.
func (ns *needs) emitBoth(f *jen.File, t *namedType, receiver *jen.Statement, write, read func(*jen.Group)) {
	if ns.wants(t, needsAppend) {
		boundary(f)
		f.Comment("AppendJSON appends v as JSON.")
		f.Func().Params(receiver).Id("AppendJSON").Params(jen.Id("b").Index().Byte()).Index().Byte().BlockFunc(write)
	}
	if ns.wants(t, needsDecode) {
		boundary(f)
		f.Comment("DecodeJSON reads v from r; faults are r's to report.")
		f.Func().Params(jen.Id("v").Op("*").Id(t.name)).Id("DecodeJSON").Params(jen.Id("r").Op("*").Add(wire("Reader"))).BlockFunc(read)
	}
}

// emitKeys writes the constant of the names of s.
func (w *codecWriter) emitKeys(f *jen.File, t *namedType, s *ir.Struct, names string) {
	boundary(f)
	f.Comment(names + " are the members of " + t.name + ", in order.")
	f.Const().Id(names).Op("=").Add(nameList(strings.Split(keys(s), "\n")))
}

// alwaysWritten reports whether a field is never left out.
func (w *codecWriter) alwaysWritten(f *ir.Field) bool {
	switch formOf(f) {
	case formPlain, formConst:
		return true
	case formDefault:
		return !zeroMeansDefault(f.Type)
	}
	return false
}

// appendField writes one member after the literal text before it, and returns the literal text that is still to be written.
func (w *codecWriter) appendField(g *jen.Group, f *ir.Field, before, key string) string {
	if formOf(f) == formConst {
		return before + key + jsonText(ir.Underlying(f.Type).(*ir.Literal).Value)
	}
	write := func(g *jen.Group, text, x string) {
		if e := w.appendMember(f, text, x); e != nil {
			g.Id("b").Op("=").Add(e)
			return
		}
		g.Id("b").Op("=").Append(jen.Id("b"), raw(text).Op("..."))
		if formOf(f) == formPointer {
			g.Id("b").Op("=").Add(w.values.appendPointed(f, x))
			return
		}
		g.Id("b").Op("=").Add(w.values.appendValue(f, x))
	}
	x := "v." + w.names.field(f)
	if w.alwaysWritten(f) {
		write(g, before+key, x)
		return ""
	}
	if before != "" {
		g.Id("b").Op("=").Append(jen.Id("b"), raw(before).Op("..."))
	}
	switch formOf(f) {
	case formOptConst:
		g.If(jen.Id(x)).Block(jen.Id("b").Op("=").Append(jen.Id("b"), raw(key+jsonText(ir.Underlying(f.Type).(*ir.Literal).Value)).Op("...")))
	case formOpt:
		g.If(jen.List(jen.Id("x"), jen.Id("ok")).Op(":=").Id(x).Dot("Get").Call(), jen.Id("ok")).BlockFunc(func(g *jen.Group) {
			write(g, key, "x")
		})
	case formPointer, formNil:
		g.If(jen.Id(x).Op("!=").Nil()).BlockFunc(func(g *jen.Group) { write(g, key, x) })
	case formDefault:
		g.If(w.values.notZero(f.Type, x)).BlockFunc(func(g *jen.Group) { write(g, key, x) })
	}
	return ""
}

// keysOf is the constant that holds the names of s.
func keysOf(s *ir.Struct, names string) *jen.Statement {
	if len(s.Fields) == 0 {
		return jen.Lit("")
	}
	return jen.Id(names)
}

// fresh is what v is before it is read: defaults are filled in, and slices keep their memory for the new elements.
func (w *codecWriter) fresh(t *namedType, s *ir.Struct) jen.Code {
	var kept []jen.Code
	for _, f := range s.Fields {
		if w.reusable(f) {
			kept = append(kept, jen.Id(w.names.field(f)).Op(":").Id("v."+w.names.field(f)))
		}
	}
	return w.values.defaults(t, s, kept...)
}

// reusable reports whether the memory of a field serves again when its struct is decoded into once more.
func (w *codecWriter) reusable(f *ir.Field) bool {
	_, isList := f.Type.(*ir.List)
	form := formOf(f)
	return isList && !f.Go.Bound() && !w.names.nullAbsent(f) && (form == formPlain || form == formNil)
}

// reuse makes slices that were not read again absent.
func (w *codecWriter) reuse(g *jen.Group, s *ir.Struct) {
	for i, f := range s.Fields {
		if w.reusable(f) && f.Optional {
			g.If(jen.Op("!").Id("o").Dot("Has").Call(jen.Lit(i))).Block(jen.Id("v." + w.names.field(f)).Op("=").Nil())
		}
	}
}

// need asks for the required members, 64 at a time.
func need(g *jen.Group, s *ir.Struct, names string) {
	masks := make([]uint64, (len(s.Fields)+63)/64)
	for _, i := range requiredFields(s) {
		masks[i/64] |= 1 << (i % 64)
	}
	for word, mask := range masks {
		switch {
		case mask == 0:
		case word == 0:
			g.Add(invoke("r", "Need", jen.Op("&").Id("o"), bitMask(mask), jen.Id(names)))
		default:
			g.Add(invoke("r", "NeedMore", jen.Op("&").Id("o"), jen.Lit(word), bitMask(mask), jen.Id(names)))
		}
	}
}

func bitMask(mask uint64) *jen.Statement { return jen.Id(fmt.Sprintf("%#b", mask)) }

// decodeField reads the value of f into its struct.
func (w *codecWriter) decodeField(g *jen.Group, f *ir.Field) {
	x := "v." + w.names.field(f)
	switch formOf(f) {
	case formConst, formOptConst:
		g.Add(invoke("r", "Const", raw(jsonText(ir.Underlying(f.Type).(*ir.Literal).Value))))
		if formOf(f) == formOptConst {
			g.Id(x).Op("=").True()
		}
	case formOpt:
		e := w.values.readExpr(f.Type, "")
		if e == nil {
			e = jen.Add(w.values.readFunc(f.Type)).Call(jen.Id("r"))
		}
		g.Id(x).Op("=").Add(rt("Some")).Call(e)
	case formPointer:
		g.Id(x).Op("=").Add(wire("New")).Index(w.names.valueType(f)).Call(jen.Id("r"))
		if f.Go.Bound() || ir.IsBound(f.Type) {
			g.Add(decodeBound(f.Type)).Call(jen.Id("r"), jen.Id(x))
			return
		}
		g.Id(x).Dot("DecodeJSON").Call(jen.Id("r"))
	default:
		if f.Go.Bound() {
			g.Add(decodeBound(f.Type)).Call(jen.Id("r"), jen.Op("&").Id(x))
			return
		}
		w.values.decodeInto(g, f.Type, x)
		if broken, expected := zeroRule(f); broken != "" {
			g.If(jen.Id(x).Op("==").Add(w.values.zero(f.Type))).Block(invoke("r", "Unset", jen.Lit(broken), jen.Lit(expected)))
		}
	}
}

// keys joins the names of the fields of s, newline-separated.
func keys(s *ir.Struct) string {
	return strings.Join(ir.Each(s.Fields, func(f *ir.Field) string { return f.Name }), "\n")
}
