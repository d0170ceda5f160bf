package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitCodec writes how every type is read from and written as JSON.
func emitCodec(p plan, f *jen.File) bool {
	w := &codecWriter{p.names, p.forms, p.needs, p.values()}
	walks := &walkWriter{p.names, p.forms, p.needs, w.values, w, &checkWriter{p.names, p.forms, p.needs, w.values}}
	said := false
	for _, t := range p.names.types {
		p.flush()
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

// emitMarshalers writes what encoding/json calls.
func (w *codecWriter) emitMarshalers(f *jen.File, t *namedType) {
	boundary(f)
	f.Comment("MarshalJSON is for encoding/json.")
	value := jen.Id("v")
	if t.byPointer() {
		value = jen.Op("&").Id("v")
	}
	f.Func().Params(jen.Id("v").Id(t.name)).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).BlockFunc(func(g *jen.Group) {
		marshal(g, t, value)
	})
	boundary(f)
	f.Comment("UnmarshalJSON is for encoding/json; it is as strict as DecodeJSON and CheckRules.")
	f.Func().Params(jen.Id("v").Op("*").Id(t.name)).Id("UnmarshalJSON").Params(jen.Id("b").Index().Byte()).Error().Block(
		jen.Return(wire("UnmarshalCopy").Call(jen.Id("b"), jen.Id("v"))),
	)
}

// emitValueCodec writes the codec of a type that is one value: a slice, a map, or what a wrapper wraps.
func (w *codecWriter) emitValueCodec(f *jen.File, t *namedType, wrapped bool) {
	receiver, value, target := jen.Id("v").Id(t.name), "v", "*v"
	if wrapped {
		receiver, value, target = jen.Id("v").Op("*").Id(t.name), "v.Value", "v.Value"
	}
	under := w.values.under(t)
	w.needs.emitBoth(f, t, receiver, func(g *jen.Group) { g.Return(under.appendExpr(t.typ, value)) },
		func(g *jen.Group) { under.decodeInto(g, t.typ, target) })
}

func (w *codecWriter) emitStructCodec(f *jen.File, t *namedType, s *ir.Struct) {
	names := w.names.hiddenName(t.name, "Keys")
	if len(s.Fields) > 0 && w.needs.wants(t, needsDecode) {
		w.emitKeys(f, t, s, names)
	}
	w.needs.emitBoth(f, t, jen.Id("v").Op("*").Id(t.name), func(g *jen.Group) { w.appendStruct(g, s) },
		func(g *jen.Group) { w.decodeStruct(g, t, s, names) })
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

func (w *codecWriter) decodeStruct(g *jen.Group, t *namedType, s *ir.Struct, names string) {
	g.Op("*").Id("v").Op("=").Add(w.fresh(t, s))
	if len(s.Fields) == 0 && s.Additional.Drops() && !w.forms.strict[t] {
		g.Add(invoke("r", "EmptyObject"))
		return
	}
	g.Var().Id("o").Add(wire("Members"))
	o := func() *jen.Statement { return jen.Op("&").Id("o") }
	g.For(invoke("r", "Object", o()), invoke("r", "More", o()), jen.Empty()).BlockFunc(func(g *jen.Group) {
		for i, f := range s.Fields {
			name := raw(jsonString(f.Name) + ":")
			if method, target := w.keyMethod(f); method != "" {
				g.Add(invoke("r", method, jen.Op("&").Id("o"), jen.Lit(i), name, target))
				continue
			}
			key := "Key"
			if w.names.nullAbsent(f) {
				key = "KeyNotNull"
			}
			g.If(invoke("r", key, jen.Op("&").Id("o"), jen.Lit(i), name)).BlockFunc(func(g *jen.Group) {
				w.decodeField(g, f)
			})
		}
		switch s.Additional {
		case ir.AdditionalKept:
			g.Id("v.Extra").Op("=").Add(wire("Other")).Call(jen.Id("r"), jen.Op("&").Id("o"), jen.Id("v.Extra"), w.values.readFunc(s.Extra))
		case ir.AdditionalRejected:
			g.Add(invoke("r", "Reject", jen.Op("&").Id("o"), keysOf(s, names)))
		default:
			if w.forms.strict[t] {
				g.Add(invoke("r", "Unknown", jen.Op("&").Id("o"), keysOf(s, names)))
			}
		}
	})
	w.reuse(g, s)
	need(g, s, names)
}
