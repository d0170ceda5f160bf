package templates

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// under returns the writer of values as they look from within t; see names.under.
func (w *valueWriter) under(t *namedType) *valueWriter {
	return &valueWriter{w.names.under(t), w.forms.under(t)}
}

// appendValue is appendExpr for the value of a field.
func (w *valueWriter) appendValue(f *ir.Field, x string) jen.Code {
	if f.Go.Bound() {
		return appendBound(x)
	}
	return w.appendExpr(f.Type, x)
}

// appendBound appends x, which is of an existing Go type: by its address, for its MarshalJSON may be a method of the pointer.
func appendBound(x string) jen.Code {
	if pointer, ok := strings.CutPrefix(x, "*"); ok {
		return dynamic("Append").Call(jen.Id("b"), jen.Id(pointer))
	}
	return dynamic("Append").Call(jen.Id("b"), jen.Op("&").Id(x))
}

// appendPointed is appendValue for a field that is held by a pointer.
func (w *valueWriter) appendPointed(f *ir.Field, x string) jen.Code {
	if f.Go.Bound() || ir.IsBound(f.Type) {
		return w.appendValue(f, "*"+x)
	}
	return invoke(x, "AppendJSON", jen.Id("b"))
}

// appendExpr is an expression that appends x, a value of t, to b.
func (w *valueWriter) appendExpr(t ir.Type, x string) jen.Code {
	b, v := jen.Id("b"), jen.Id(x)
	if ir.IsBound(t) {
		return appendBound(x)
	}
	own := w.names.of(t)
	if own != nil {
		switch own.kind() {
		case kindStruct, kindTuple, kindWrapper, kindList, kindMap:
			return v.Dot("AppendJSON").Call(b)
		case kindUnion:
			return own.sibling("Append"+own.name).Call(b, v)
		case kindAlias:
			return w.appendExpr(own.typ, x)
		}
	}
	switch s := ir.Underlying(t).(type) {
	case *ir.Int:
		if s.Unsigned {
			return wire("AppendUint").Call(b, convert("uint64", own == nil && s.Bits == 64, v))
		}
		return wire("AppendInt").Call(b, convert("int64", own == nil && s.Bits == 64, v))
	case *ir.Enum:
		if enumBase(s) == "string" {
			return wire("AppendString").Call(b, jen.String().Call(v))
		}
		return wire("AppendInt").Call(b, jen.Int64().Call(v))
	case *ir.Literal:
		return jen.Append(b, raw(jsonText(s.Value)).Op("..."))
	case *ir.List:
		return w.appendList(s, x)
	case *ir.Map:
		return wire("AppendMap").Call(b, v, w.appendFunc(s.Elem))
	case *ir.Nullable:
		if s.Boxed {
			return gen("AppendBoxed").Call(b, v, w.method(s.Elem, "AppendJSON"))
		}
		return gen("AppendNullable").Call(b, v, w.appendFunc(s.Elem))
	}
	s := ir.ScalarOf(ir.Underlying(t))
	switch {
	case s == nil:
		return wire("AppendRaw").Call(b, v)
	case own == nil || kindOf(ir.Underlying(t)) != kindScalar || ir.Is[*ir.Bytes](t): // a slice needs no conversion
		return wire("Append"+s.Wire).Call(b, v)
	}
	return wire("Append"+s.Wire).Call(b, jen.Id(s.Go.Type).Call(v))
}

// convert is a conversion of v to goType, or v itself when it is one already.
func convert(goType string, already bool, v *jen.Statement) jen.Code {
	if already {
		return v
	}
	return jen.Id(goType).Call(v)
}

func (w *valueWriter) appendList(s *ir.List, x string) jen.Code {
	b, v := jen.Id("b"), jen.Id(x)
	if heldAsText(s.Elem) {
		return wire("AppendStrings").Call(b, v)
	}
	if own := w.names.of(s.Elem); own != nil && own.byPointer() && !ir.IsBound(s.Elem) {
		return wire("AppendSlice").Call(b, v, jen.Parens(jen.Op("*").Add(own.ident())).Dot("AppendJSON"))
	}
	return wire("AppendValues").Call(b, v, w.appendFunc(s.Elem))
}

// method is a method of a type that is held by pointer, as a function.
func (w *valueWriter) method(t ir.Type, name string) jen.Code {
	return jen.Parens(jen.Op("*").Add(w.names.of(t).ident())).Dot(name)
}

// heldAsText reports whether t is held as a kind of Go string and written as one.
func heldAsText(t ir.Type) bool { return ir.IsText(t) && !ir.IsBound(t) }

// appendFunc is a function that appends a value of t.
func (w *valueWriter) appendFunc(t ir.Type) jen.Code {
	if own := w.names.of(t); own != nil && own.kind() == kindUnion {
		return own.sibling("Append" + own.name)
	}
	if name := wireName(t); name != "" && w.names.of(t) == nil && !ir.IsBound(t) {
		return wire("Append" + name)
	}
	value := jen.Id("v")
	if ir.Is[*ir.Literal](t) && !ir.IsBound(t) {
		value = jen.Id("_")
	}
	return jen.Func().Params(jen.Id("b").Index().Byte(), value.Add(w.names.goType(t))).Index().Byte().Block(
		jen.Return(w.appendExpr(t, "v")),
	)
}

// wireName is what the functions of package wire that append a value of t as it is held are called after Append, and with the exception of numbers the
// methods of its reader; empty if there are none.
func wireName(t ir.Type) string {
	if s := ir.ScalarOf(t); s != nil {
		return s.Wire
	}
	return ""
}

// decodeBound is what reads a value of t into a Go type of its own.
func decodeBound(t ir.Type) jen.Code {
	if ir.KindsOf(t).Has(ir.Null) {
		return dynamic("Decode")
	}
	return dynamic("DecodeNonNull")
}

// decodeInto reads a value of t into x.
func (w *valueWriter) decodeInto(g *jen.Group, t ir.Type, x string) {
	if ir.IsBound(t) {
		g.Add(decodeBound(t)).Call(jen.Id("r"), jen.Op("&").Id(x))
		return
	}
	if e := w.readExpr(t, x); e != nil {
		g.Id(x).Op("=").Add(e)
		return
	}
	if literal, ok := ir.Underlying(t).(*ir.Literal); ok {
		g.Add(invoke("r", "Const", raw(jsonText(literal.Value))))
		return
	}
	if x[0] == '*' {
		x = "(" + x + ")"
	}
	g.Id(x).Dot("DecodeJSON").Call(boundedReader(t))
}

// boundedReader is the reader of a value of t, which receives how many elements or members the schema allows at most: it stops there, before
// they take memory. A named type tells it what it allows itself.
func boundedReader(t ir.Type) *jen.Statement {
	r := jen.Id("r")
	if ir.HasFields(ir.Underlying(t)) {
		return r
	}
	for _, rule := range ir.RulesOf(t) {
		if rule, ok := rule.(*ir.Count); ok && rule.Max >= 0 {
			r.Dot("AtMost").Call(jen.Lit(rule.Max))
		}
	}
	return r
}

// readExpr is an expression that reads a value of t from r, or nil when it takes a statement: see decodeInto. A slice uses
// the memory of prev, if that is not empty.
func (w *valueWriter) readExpr(t ir.Type, prev string) *jen.Statement {
	if ir.IsBound(t) {
		return nil
	}
	own := w.names.of(t)
	if own != nil {
		switch own.kind() {
		case kindStruct, kindTuple, kindWrapper, kindList, kindMap:
			return nil
		case kindUnion:
			return own.sibling("Decode" + own.name).Call(jen.Id("r"))
		case kindAlias:
			return w.readExpr(own.typ, prev)
		}
	}
	r := boundedReader(t)
	switch s := ir.Underlying(t).(type) {
	case *ir.Enum:
		if enumBase(s) == "string" {
			return own.ident().Call(invoke("r", "String"))
		}
		return own.ident().Call(invoke("r", "Int64"))
	case *ir.Literal:
		return nil
	case *ir.List:
		return w.readList(s, r, prev)
	case *ir.Map:
		return wire("Map").Call(r, w.readFunc(s.Elem))
	case *ir.Nullable:
		if s.Boxed {
			return gen("ReadBoxed").Call(jen.Id("r"), w.method(s.Elem, "DecodeJSON"))
		}
		return gen("ReadNullable").Call(jen.Id("r"), w.readFunc(s.Elem))
	}
	s := ir.ScalarOf(ir.Underlying(t))
	if s == nil {
		return invoke("r", "Raw")
	}
	e := invoke("r", s.Read)
	if ir.Is[*ir.Bytes](t) {
		e = invoke("r", s.Read, jen.Nil())
	}
	if own == nil || kindOf(ir.Underlying(t)) != kindScalar {
		return e
	}
	return own.ident().Call(e) // a branch of a union must be of its own type
}

// readList reads a list from r, an expression.
func (w *valueWriter) readList(s *ir.List, r *jen.Statement, prev string) *jen.Statement {
	memory := jen.Id(prev)
	if prev == "" {
		memory = jen.Nil()
	}
	if heldAsText(s.Elem) {
		if prev == "" {
			memory = jen.Index().Add(w.names.goType(s.Elem)).Call(memory)
		}
		return wire("Strings").Call(r, memory)
	}
	if w.names.ownMethods(s.Elem) {
		return wire("Slice").Call(r, memory, w.method(s.Elem, "DecodeJSON"))
	}
	return wire("Values").Call(r, memory, w.readFunc(s.Elem))
}

// readFunc is a function that reads a value of t from a reader.
func (w *valueWriter) readFunc(t ir.Type) jen.Code {
	own := w.names.of(t)
	if own != nil && own.kind() == kindUnion && !ir.IsBound(t) {
		return own.sibling("Decode" + own.name)
	}
	if own == nil && !ir.IsBound(t) {
		if method := builtinReader(t); method != "" {
			return jen.Parens(jen.Op("*").Add(wire("Reader"))).Dot(method)
		}
	}
	e := w.readExpr(t, "")
	return jen.Func().Params(jen.Id("r").Op("*").Add(wire("Reader"))).Params(jen.Id("v").Add(w.names.goType(t))).BlockFunc(func(g *jen.Group) {
		if e != nil {
			g.Return(e)
			return
		}
		w.decodeInto(g, t, "v")
		g.Return(jen.Id("v"))
	})
}

// builtinReader is the method of the reader that reads a value of t as it is held; empty if there is none.
func builtinReader(t ir.Type) string {
	s := ir.ScalarOf(t)
	switch {
	case ir.IsContextual(t):
		return "Raw"
	case s == nil, s.Read == "Bytes": // the method takes memory
		return ""
	}
	return s.Read
}

// literal is a value of t as a Go expression.
func (w *valueWriter) literal(t ir.Type, v ir.Value) *jen.Statement {
	switch s := ir.Underlying(t).(type) {
	case *ir.Enum:
		for i := range s.Values {
			if known := &s.Values[i]; known.Value.Text == v.Text && w.names.of(t) != nil {
				return w.names.of(t).sibling(w.names.values[known])
			}
		}
		return w.names.goType(t).Call(scalar(v))
	case *ir.Bool, *ir.Int, *ir.Float, *ir.String:
		return scalar(v)
	case *ir.Decimal:
		return jen.Lit(v.Text)
	case *ir.ID:
		if v.Kind == ir.Text {
			return wire("StringID").Call(jen.Lit(v.Text))
		}
		if _, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			return wire("IntID").Call(scalar(v))
		}
	case *ir.List:
		if v.Kind == ir.Array {
			return w.names.goType(t).Values(ir.Each(v.Items, func(item ir.Value) jen.Code { return w.literal(s.Elem, item) })...)
		}
	case *ir.Map:
		if v.Kind == ir.Object && len(v.Fields) == 0 {
			return w.names.goType(t).Values()
		}
	case *ir.Nullable:
		if v.Kind == ir.Null {
			return rt("Null").Index(w.names.elemType(s)).Call()
		}
		if s.Boxed {
			break
		}
		return rt("NotNull").Index(w.names.goType(s.Elem)).Call(w.literal(s.Elem, v))
	}
	return wire("MustDecode").Call(jen.Lit(jsonText(v)), w.readFunc(t))
}

// fromInt is x, a Go int, as a value of the number type t.
func (w *valueWriter) fromInt(t ir.Type, x jen.Code) jen.Code {
	if _, ok := ir.Underlying(t).(*ir.Decimal); ok {
		return rt("Number").Call(jen.Qual("strconv", "Itoa").Call(x))
	}
	return w.names.goType(t).Call(x)
}

// asString is x, a value of t, as a Go string without conversion to JSON; nil if it is not held as one.
func (w *valueWriter) asString(t ir.Type, x string) jen.Code {
	switch {
	case ir.Is[*ir.String](t) && w.names.of(t) == nil && !ir.IsBound(t):
		return jen.Id(x)
	case ir.IsText(t) || ir.Is[*ir.Decimal](t):
		return jen.String().Call(jen.Id(x))
	}
	return nil
}

// notZero compares x with the zero value of its type.
func (w *valueWriter) notZero(t ir.Type, x string) *jen.Statement {
	if heldByNil(t) {
		return jen.Id(x).Op("!=").Nil()
	}
	return jen.Id(x).Op("!=").Add(w.zero(t))
}

// zero is the zero value of a scalar.
func (w *valueWriter) zero(t ir.Type) *jen.Statement {
	switch {
	case ir.IsText(t) || ir.Is[*ir.Decimal](t):
		return jen.Lit("")
	case ir.Is[*ir.ID](t):
		return jen.Parens(w.names.goType(t).Values())
	}
	return jen.Lit(0)
}
