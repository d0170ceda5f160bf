package templates

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// codecWriter writes how types are read from and written as JSON.
type codecWriter struct {
	names  *names
	forms  *forms
	needs  *needs
	values *valueWriter
}

// emitCodec writes how every type is read from and written as JSON.
func emitCodec(p plan, f *jen.File) bool {
	w := &codecWriter{p.names, p.forms, p.needs, p.values()}
	walks := &walkWriter{p.names, p.forms, p.needs, w.values, w, &checkWriter{p.names, p.forms, p.needs, w.values}}
	said := false
	for _, t := range p.names.types {
		if p.needs.walks[t] {
			if p.needs.walked[t] != 0 {
				walks.emit(f, t)
				said = true
			}
			continue
		}
		if !p.needs.wants(t, needsBoth) {
			continue
		}
		switch t.kind() {
		case kindStruct:
			w.emitStructCodec(f, t, t.typ.(*ir.Struct))
		case kindTuple:
			w.emitTupleCodec(f, t)
		case kindList, kindMap:
			w.emitValueCodec(f, t, false)
		case kindWrapper:
			w.emitValueCodec(f, t, true)
		case kindUnion:
			w.emitUnionCodec(f, t)
			said = true
			continue
		default:
			continue
		}
		said = true
		if !t.isError && p.names.doc.Marshals() {
			w.emitMarshalers(f, t)
		}
	}
	return said
}

func appendSignature(f *jen.File, receiver *jen.Statement) *jen.Statement {
	boundary(f)
	f.Comment("AppendJSON appends v as JSON.")
	return f.Func().Params(receiver).Id("AppendJSON").Params(jen.Id("b").Index().Byte()).Index().Byte()
}

func decodeSignature(f *jen.File, t *named) *jen.Statement {
	boundary(f)
	f.Comment("DecodeJSON reads v from r; faults are r's to report.")
	return f.Func().Params(jen.Id("v").Op("*").Id(t.name)).Id("DecodeJSON").Params(jen.Id("r").Op("*").Add(wire("Reader")))
}

// emitMarshalers writes what encoding/json calls.
func (w *codecWriter) emitMarshalers(f *jen.File, t *named) {
	boundary(f)
	f.Comment("MarshalJSON is for encoding/json.")
	value := jen.Id("v")
	if t.byPointer() {
		value = jen.Op("&").Id("v")
	}
	f.Func().Params(jen.Id("v").Id(t.name)).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).Block(
		jen.Return(wire("Marshal").Call(value)),
	)
	boundary(f)
	f.Comment("UnmarshalJSON is for encoding/json; it is as strict as DecodeJSON and CheckRules.")
	f.Func().Params(jen.Id("v").Op("*").Id(t.name)).Id("UnmarshalJSON").Params(jen.Id("b").Index().Byte()).Error().Block(
		jen.Return(wire("UnmarshalCopy").Call(jen.Id("b"), jen.Id("v"))),
	)
}

// emitValueCodec writes the codec of a type that is one value: a slice, a map, or what a wrapper wraps.
func (w *codecWriter) emitValueCodec(f *jen.File, t *named, wrapped bool) {
	receiver, value, target := jen.Id("v").Id(t.name), "v", "*v"
	if wrapped {
		receiver, value, target = jen.Id("v").Op("*").Id(t.name), "v.Value", "v.Value"
	}
	under := w.values.under(t)
	if w.needs.wants(t, needsAppend) {
		appendSignature(f, receiver).Block(jen.Return(under.appendExpr(t.typ, value)))
	}
	if w.needs.wants(t, needsDecode) {
		decodeSignature(f, t).BlockFunc(func(g *jen.Group) { under.decodeInto(g, t.typ, target) })
	}
}

func (w *codecWriter) emitStructCodec(f *jen.File, t *named, s *ir.Struct) {
	names := w.names.hidden(t.name, "Keys")
	if len(s.Fields) > 0 && w.needs.wants(t, needsDecode) {
		w.emitKeys(f, t, s, names)
	}
	if w.needs.wants(t, needsAppend) {
		appendSignature(f, jen.Id("v").Op("*").Id(t.name)).BlockFunc(func(g *jen.Group) { w.appendStruct(g, s) })
	}
	if w.needs.wants(t, needsDecode) {
		decodeSignature(f, t).BlockFunc(func(g *jen.Group) { w.decodeStruct(g, t, s, names) })
	}
}

// emitKeys writes the constant of the names of s.
func (w *codecWriter) emitKeys(f *jen.File, t *named, s *ir.Struct, names string) {
	boundary(f)
	f.Comment(names + " are the members of " + t.name + ", in order.")
	f.Const().Id(names).Op("=").Add(nameList(strings.Split(keys(s), "\n")))
}

// appendStruct writes the members of s. Where the first member may be missing, each one is written with a comma before it,
// and the first comma becomes the brace.
func (w *codecWriter) appendStruct(g *jen.Group, s *ir.Struct) {
	if len(s.Fields) == 0 && s.Additional != ir.AdditionalKept {
		g.Return(jen.Append(jen.Id("b"), jen.Lit("{}").Op("...")))
		return
	}
	surely := len(s.Fields) > 0 && w.alwaysWritten(s.Fields[0])
	if !surely {
		g.Id("start").Op(":=").Len(jen.Id("b"))
	}
	pending := "" // literal text that the next statement writes
	for i, f := range s.Fields {
		key := "," + jsonString(f.Name) + ":"
		if i == 0 && surely {
			key = "{" + key[1:]
		}
		pending = w.appendField(g, f, pending, key)
	}
	if pending != "" && (s.Additional == ir.AdditionalKept || !surely) {
		g.Id("b").Op("=").Append(jen.Id("b"), raw(pending).Op("..."))
		pending = ""
	}
	if s.Additional == ir.AdditionalKept {
		g.Id("b").Op("=").Add(wire("AppendExtra")).Call(jen.Id("b"), jen.Id("v.Extra"), w.values.appendFunc(s.Extra))
	}
	switch {
	case !surely:
		g.Return(wire("CloseObject").Call(jen.Id("b"), jen.Id("start")))
	case pending != "":
		g.Return(jen.Append(jen.Id("b"), raw(pending+"}").Op("...")))
	default:
		g.Return(jen.Append(jen.Id("b"), jen.LitRune('}')))
	}
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
	case formPointer:
		g.If(jen.Id(x).Op("!=").Nil()).BlockFunc(func(g *jen.Group) { write(g, key, x) })
	case formNil:
		g.If(jen.Id(x).Op("!=").Nil()).BlockFunc(func(g *jen.Group) { write(g, key, x) })
	case formDefault:
		g.If(w.values.notZero(f.Type, x)).BlockFunc(func(g *jen.Group) { write(g, key, x) })
	}
	return ""
}

func (w *codecWriter) decodeStruct(g *jen.Group, t *named, s *ir.Struct, names string) {
	g.Op("*").Id("v").Op("=").Add(w.fresh(t, s))
	if len(s.Fields) == 0 && s.Additional.Drops() && !w.forms.strict[t] {
		g.Id("r").Dot("EmptyObject").Call()
		return
	}
	g.Var().Id("o").Add(wire("Members"))
	o := func() *jen.Statement { return jen.Op("&").Id("o") }
	g.For(jen.Id("r").Dot("Object").Call(o()), jen.Id("r").Dot("More").Call(o()), jen.Empty()).BlockFunc(func(g *jen.Group) {
		for i, f := range s.Fields {
			name := raw(jsonString(f.Name) + ":")
			if method, target := w.keyMethod(f); method != "" {
				g.Id("r").Dot(method).Call(jen.Op("&").Id("o"), jen.Lit(i), name, target)
				continue
			}
			key := "Key"
			if w.names.nullAbsent(f) {
				key = "KeyNotNull"
			}
			g.If(jen.Id("r").Dot(key).Call(jen.Op("&").Id("o"), jen.Lit(i), name)).BlockFunc(func(g *jen.Group) {
				w.decodeField(g, f)
			})
		}
		switch s.Additional {
		case ir.AdditionalKept:
			g.Id("v.Extra").Op("=").Add(wire("Other")).Call(jen.Id("r"), jen.Op("&").Id("o"), jen.Id("v.Extra"), w.values.readFunc(s.Extra))
		case ir.AdditionalRejected:
			g.Id("r").Dot("Reject").Call(jen.Op("&").Id("o"), keysOf(s, names))
		default:
			if w.forms.strict[t] {
				g.Id("r").Dot("Unknown").Call(jen.Op("&").Id("o"), keysOf(s, names))
			}
		}
	})
	w.reuse(g, s)
	need(g, s, names)
}

// keysOf is the constant that holds the names of s.
func keysOf(s *ir.Struct, names string) *jen.Statement {
	if len(s.Fields) == 0 {
		return jen.Lit("")
	}
	return jen.Id(names)
}

// fresh is what v is before it is read: defaults are filled in, and slices keep their memory for the new elements.
func (w *codecWriter) fresh(t *named, s *ir.Struct) jen.Code {
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
			g.Id("r").Dot("Need").Call(jen.Op("&").Id("o"), bitMask(mask), jen.Id(names))
		default:
			g.Id("r").Dot("NeedMore").Call(jen.Op("&").Id("o"), jen.Lit(word), bitMask(mask), jen.Id(names))
		}
	}
}

func bitMask(mask uint64) *jen.Statement { return jen.Id(fmt.Sprintf("%#b", mask)) }

// decodeField reads the value of f into its struct.
func (w *codecWriter) decodeField(g *jen.Group, f *ir.Field) {
	x := "v." + w.names.field(f)
	switch formOf(f) {
	case formConst:
		g.Id("r").Dot("Const").Call(raw(jsonText(ir.Underlying(f.Type).(*ir.Literal).Value)))
	case formOptConst:
		g.Id("r").Dot("Const").Call(raw(jsonText(ir.Underlying(f.Type).(*ir.Literal).Value)))
		g.Id(x).Op("=").True()
	case formOpt:
		if e := w.values.readExpr(f.Type, ""); e != nil {
			g.Id(x).Op("=").Add(rt("Some")).Call(e)
			return
		}
		g.Id(x).Op("=").Add(rt("Some")).Call(jen.Add(w.values.readFunc(f.Type)).Call(jen.Id("r")))
	case formPointer:
		g.Id(x).Op("=").Add(wire("New")).Index(w.names.valueType(f)).Call(jen.Id("r"))
		if f.Go.Bound() || isBound(f.Type) {
			g.Add(dynamic("Decode")).Call(jen.Id("r"), jen.Id(x))
			return
		}
		g.Id(x).Dot("DecodeJSON").Call(jen.Id("r"))
	default:
		if f.Go.Bound() {
			g.Add(dynamic("Decode")).Call(jen.Id("r"), jen.Op("&").Id(x))
			return
		}
		w.values.decodeInto(g, f.Type, x)
		if broken, expected := zeroRule(f); broken != "" {
			g.If(jen.Id(x).Op("==").Add(w.values.zero(f.Type))).Block(jen.Id("r").Dot("Unset").Call(jen.Lit(broken), jen.Lit(expected)))
		}
	}
}

// zeroRule is the rule that the zero value of a field with a default breaks, and what it expects; empty where a zero that was
// read is either fine, or never what was read.
func zeroRule(f *ir.Field) (broken, expected string) {
	if formOf(f) != formDefault || !zeroMeansDefault(f.Type) {
		return "", ""
	}
	switch s := ir.Underlying(f.Type).(type) {
	case *ir.Enum:
		names := make([]string, len(s.Values))
		for i := range s.Values {
			names[i] = s.Values[i].Value.Text
		}
		return "enum", "one of " + strings.Join(names, ", ")
	case *ir.String:
		for _, r := range ir.AllRules(f.Type) {
			if r, ok := r.(*ir.Format); ok {
				return "format", r.Name
			}
		}
		return "minLength", "some text"
	case *ir.Int, *ir.Float:
		for _, r := range ir.AllRules(f.Type) {
			r, ok := r.(*ir.Range)
			switch {
			case ok && above(r.Min, r.ExclusiveMin) && r.ExclusiveMin:
				return "exclusiveMinimum", "more than " + r.Min
			case ok && above(r.Min, r.ExclusiveMin):
				return "minimum", "at least " + r.Min
			case ok && below(r.Max, r.ExclusiveMax) && r.ExclusiveMax:
				return "exclusiveMaximum", "less than " + r.Max
			case ok && below(r.Max, r.ExclusiveMax):
				return "maximum", "at most " + r.Max
			}
		}
	}
	return "", ""
}

// zero is the zero value of a scalar.
func (w *valueWriter) zero(t ir.Type) *jen.Statement {
	switch s := ir.Underlying(t).(type) {
	case *ir.String:
		return jen.Lit("")
	case *ir.Enum:
		if enumBase(s) == "string" {
			return jen.Lit("")
		}
	}
	return jen.Lit(0)
}

// keys joins the names of the fields of s, newline-separated.
func keys(s *ir.Struct) string {
	all := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		all[i] = f.Name
	}
	return strings.Join(all, "\n")
}
