package templates

import (
	"slices"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// emitTypes writes what the schema's types are in Go, and the names of its methods.
func emitTypes(p plan, f *jen.File) bool {
	w := &typeWriter{p.names, p.needs, p.values()}
	f.Comment("This code and the runtime belong together. When the next line does not compile, generate this code again,")
	f.Comment("with the rpcgen of the runtime's version; if the runtime is the older one, update it first:")
	f.Comment("go get " + module + "@latest")
	f.Const().Id("_").Op("=").Add(gen("API1"))
	emitMethodNames(p, f)
	emitIdempotent(p, f)
	for _, t := range p.names.types {
		if t.isError {
			continue
		}
		w.emitType(f, t)
		p.flush()
	}
	for _, t := range p.names.tools {
		if t.mixed() {
			w.emitToolResult(f, t, t.resultName(), t.Output)
			if t.reduced() {
				w.emitToolResult(f, t, t.seenName(), t.Published())
			}
		}
	}
	return true
}

// emitToolResult writes the result of a tool that has an output and content blocks.
func (w *typeWriter) emitToolResult(f *jen.File, t *tool, name string, output ir.Type) {
	boundary(f)
	f.Comment(name + " is the result of the tool " + t.Name + ".")
	f.Type().Id(name).Struct(
		jen.Comment("Output is the structured content. The text of its JSON is the first content block."),
		jen.Id("Output").Add(w.names.goType(output)),
		jen.Comment(contentComment(t)),
		jen.Id("Content").Add(contentType(t)))
}

func emitMethodNames(p plan, f *jen.File) {
	if len(p.names.methods) == 0 {
		return
	}
	boundary(f)
	f.Comment("The methods, as they are called on the wire.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, m := range p.names.methods {
			g.Id("Method" + m.name).Op("=").Lit(m.OnWire())
		}
	})
	emitForms(p, f)
	p.names.emitExposed(f, ofMethod, "method", ir.Each(onWire(p.names.methods), func(m *method) subject { return subject{"Method" + m.name, &m.Meta} }))
}

// emitForms writes how the items of streams travel.
func emitForms(p plan, f *jen.File) {
	streams := ir.Where(p.names.methods, func(m *method) bool { return m.Items != nil })
	if len(streams) == 0 {
		return
	}
	boundary(f)
	f.Comment("How the items of streams travel.")
	f.Var().DefsFunc(func(g *jen.Group) {
		for _, m := range streams {
			i := m.Items
			d := jen.Dict{jen.Id("Method"): jen.Lit(i.Method), jen.Id("ID"): jen.Lit(i.ID), jen.Id("Item"): jen.Lit(i.Value), jen.Id("End"): jen.Lit(i.End)}
			for name, value := range map[string]int{"Items": i.Buffer, "Bytes": i.Bytes} {
				if value > 0 {
					setField(d, name, jen.Lit(value))
				}
			}
			for name, value := range map[string]bool{"First": i.First, "Oldest": i.Oldest} {
				if value {
					setField(d, name, jen.True())
				}
			}
			if i.EndID != "" {
				setField(d, "EndID", jen.Lit(i.EndID))
			}
			g.Id(formName(m)).Op("=").Add(stream("Form")).Values(d)
		}
	})
}

// emitIdempotent writes the function that clients which retry calls ask; it is left out if it would always report false.
func emitIdempotent(p plan, f *jen.File) {
	all := constantsOf(p.names.methods, func(m *method) bool { return m.Idempotent })
	if len(all) == 0 {
		return
	}
	boundary(f)
	f.Comment("Idempotent reports whether calling the method twice has the effect of calling it once, so that a client may send a call again.")
	f.Func().Id("Idempotent").Add(oneOf(all))
}

func (w *typeWriter) emitType(f *jen.File, t *namedType) {
	boundary(f)
	document(f, t.name, t.description(w.names.doc), t.meta)
	switch t.kind() {
	case kindStruct:
		s := t.typ.(*ir.Struct)
		f.Type().Id(t.name).Add(w.structType(s))
		w.emitDefaults(f, t, s)
		w.emitLogValue(f, t, s)
	case kindTuple:
		w.emitTuple(f, t)
	case kindEnum:
		w.emitEnum(f, t, t.typ.(*ir.Enum))
	case kindScalar, kindList, kindMap:
		f.Type().Id(t.name).Add(w.values.under(t).names.goType(t.typ))
	case kindUnion:
		w.emitUnion(f, t)
	case kindWrapper:
		f.Type().Id(t.name).Struct(jen.Id("Value").Add(w.values.under(t).names.goType(t.typ)))
	default:
		f.Type().Id(t.name).Op("=").Add(w.names.goType(t.typ))
	}
	for _, u := range t.branchOf {
		boundary(f)
		if t.kind() != kindUnion {
			f.Func().Params(heldAs(t.name, t.byPointer())).Id(u.seal()).Params().Block()
		}
	}
}

// description says what t is, for a type that its author did not describe.
func (t *namedType) description(doc *ir.Document) string {
	if t.decl != nil {
		return "is declared in " + baseName(doc.File) + "."
	}
	return "is " + t.what + "."
}

func (w *typeWriter) structType(s *ir.Struct) *jen.Statement {
	return jen.StructFunc(func(g *jen.Group) {
		for _, f := range s.Fields {
			t := w.names.fieldType(f)
			if t == nil {
				continue
			}
			annotate(g, &f.Meta)
			tag := f.Name
			switch formOf(f) {
			case formNil, formPointer:
				tag += ",omitempty"
			case formOpt, formOptConst:
				tag += ",omitzero"
			}
			field := g.Id(w.names.field(f)).Add(t)
			if taggable(f.Name) {
				field.Tag(map[string]string{"json": tag})
			}
			if f.Default != nil {
				field.Comment(text.GoComment("default: " + jsonText(*f.Default)))
			}
		}
		if s.Additional == ir.AdditionalKept {
			g.Comment("Extra holds the members that the schema does not name.")
			g.Id("Extra").Map(jen.String()).Add(w.names.goType(s.Extra)).Tag(map[string]string{"json": "-"})
		}
	})
}

// taggable reports whether a struct tag can hold a name: encoding/json takes letters, digits and these characters. The tag is
// for people and for tools that look at types; the codec needs none.
func taggable(name string) bool {
	return name != "" && name != "-" && !strings.ContainsFunc(name, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c)
	})
}

// emitDefaults writes the constructor of a struct that has defaults.
func (w *typeWriter) emitDefaults(f *jen.File, t *namedType, s *ir.Struct) {
	if !hasDefaults(s) || t.isError {
		return
	}
	name := "Default" + t.name
	boundary(f)
	f.Comment(name + " returns the " + t.name + " whose optional fields have the defaults of the schema.")
	f.Func().Id(name).Params().Id(t.name).Block(jen.Return(w.values.defaults(t, s)))
}

// emitLogValue writes how a struct with sensitive fields is logged.
func (w *typeWriter) emitLogValue(f *jen.File, t *namedType, s *ir.Struct) {
	if !slices.ContainsFunc(s.Fields, func(f *ir.Field) bool { return f.Sensitive }) {
		return
	}
	boundary(f)
	f.Comment("LogValue leaves sensitive fields out of logs.")
	f.Func().Params(jen.Id("v").Id(t.name)).Id("LogValue").Params().Qual("log/slog", "Value").Block(
		jen.Return(jen.Qual("log/slog", "GroupValue").CustomFunc(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, func(g *jen.Group) {
			for _, field := range s.Fields {
				switch {
				case formOf(field) == formConst:
				case field.Sensitive:
					g.Qual("log/slog", "String").Call(jen.Lit(field.Name), gen("Redacted"))
				default:
					g.Qual("log/slog", "Any").Call(jen.Lit(field.Name), jen.Id("v."+w.names.field(field)))
				}
			}
		})),
	)
}

func (w *typeWriter) emitEnum(f *jen.File, t *namedType, e *ir.Enum) {
	f.Type().Id(t.name).Id(enumBase(e))
	boundary(f)
	if e.Open {
		f.Comment("Values of " + t.name + " that the schema knows; others may turn up.")
	} else {
		f.Comment("The values of " + t.name + ".")
	}
	f.Const().DefsFunc(func(g *jen.Group) {
		for i := range e.Values {
			v := &e.Values[i]
			annotate(g, &v.Meta)
			g.Id(w.names.values[v]).Id(t.name).Op("=").Add(scalar(v.Value))
		}
	})
}
