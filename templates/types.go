package templates

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// typeWriter writes declarations of types.
type typeWriter struct{ *valueWriter }

// emitTypes writes what the schema's types are in Go, and the names of its methods.
func emitTypes(p *plan, f *jen.File) bool {
	w := &typeWriter{&valueWriter{p}}
	f.Comment("This code and the runtime belong together. When the next line does not compile, generate this code again,")
	f.Comment("with the rpcgen of the runtime's version; if the runtime is the older one, update it first:")
	f.Comment("go get " + module + "@latest")
	f.Const().Id("_").Op("=").Add(gen("API1"))
	emitMethodNames(p, f)
	emitIdempotent(p, f)
	for _, t := range p.types {
		if t.isError {
			continue
		}
		w.emitType(f, t)
	}
	for _, t := range p.tools {
		if t.mixed() {
			w.emitToolResult(f, t)
		}
	}
	return true
}

// emitToolResult writes the result of a tool that has an output and content blocks.
func (p *typeWriter) emitToolResult(f *jen.File, t *tool) {
	boundary(f)
	f.Comment(t.resultName() + " is the result of the tool " + t.Name + ".")
	f.Type().Id(t.resultName()).Struct(
		jen.Comment("Output is the structured content. The text of its JSON is the first content block."),
		jen.Id("Output").Add(p.goType(t.Output)),
		jen.Comment(contentComment(t)),
		jen.Id("Content").Add(contentType(t)))
}

func emitMethodNames(p *plan, f *jen.File) {
	if len(p.methods) == 0 {
		return
	}
	boundary(f)
	f.Comment("The methods, as they are called on the wire.")
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, m := range p.methods {
			g.Id("Method" + m.name).Op("=").Lit(m.Name)
		}
	})
}

// namesOfTypes are reserved where emitIdempotent writes its function.
func namesOfTypes(doc *ir.Document) []string {
	if slices.ContainsFunc(doc.Methods, func(m *ir.Method) bool { return m.Idempotent }) {
		return []string{"Idempotent"}
	}
	return nil
}

// emitIdempotent writes the function that clients which retry calls ask; it is left out if it would always report false.
func emitIdempotent(p *plan, f *jen.File) {
	var all []jen.Code
	for _, m := range p.methods {
		if m.Idempotent {
			all = append(all, jen.Id("Method"+m.name))
		}
	}
	if len(all) == 0 {
		return
	}
	boundary(f)
	f.Comment("Idempotent reports whether calling the method twice has the effect of calling it once, so that a client may send a call again.")
	f.Func().Id("Idempotent").Params(jen.Id("method").String()).Bool().Block(
		jen.Switch(jen.Id("method")).Block(jen.Case(all...).Block(jen.Return(jen.True()))),
		jen.Return(jen.False()))
}

func (p *typeWriter) emitType(f *jen.File, t *named) {
	boundary(f)
	document(f, t.name, t.description(p.doc), t.meta)
	switch s := t.typ.(type) {
	case *ir.Struct:
		f.Type().Id(t.name).Add(p.structType(s))
		p.emitDefaults(f, t, s)
		p.emitLogValue(f, t, s)
	case *ir.Tuple:
		f.Comment("")
		f.Comment("In JSON it is an array of its fields, in their order.")
		f.Type().Id(t.name).Add(p.tupleType(s))
	case *ir.Enum:
		p.emitEnum(f, t, s)
	case *ir.List:
		f.Type().Id(t.name).Index().Add(p.goType(s.Elem))
	case *ir.Map:
		f.Type().Id(t.name).Map(jen.String()).Add(p.goType(s.Elem))
	case *ir.Union:
		if contextual(s) {
			f.Type().Id(t.name).Op("=").Add(rt("Raw"))
			break
		}
		p.emitUnion(f, t, s)
	default:
		p.emitSimple(f, t)
	}
	for _, u := range t.branchOf {
		boundary(f)
		receiver := jen.Id(t.name)
		if t.byPointer() {
			receiver = jen.Op("*").Id(t.name)
		}
		if t.kind() != kindUnion {
			f.Func().Params(receiver).Id(u.seal()).Params().Block()
		}
	}
}

// description says what t is, for a type that its author did not describe.
func (t *named) description(doc *ir.Document) string {
	if t.decl != nil {
		return "is declared in " + baseName(doc.File) + "."
	}
	return "is " + t.what + "."
}

// emitSimple writes a scalar, an alias or a wrapper.
func (p *typeWriter) emitSimple(f *jen.File, t *named) {
	switch t.kind() {
	case kindScalar:
		f.Type().Id(t.name).Add(p.under(t).goType(t.typ))
	case kindWrapper:
		f.Type().Id(t.name).Struct(jen.Id("Value").Add(p.under(t).goType(t.typ)))
	default:
		f.Type().Id(t.name).Op("=").Add(p.goType(t.typ))
	}
}

func (p *typeWriter) structType(s *ir.Struct) *jen.Statement {
	return jen.StructFunc(func(g *jen.Group) {
		for _, f := range s.Fields {
			t := p.fieldType(f)
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
			field := g.Id(p.field(f)).Add(t)
			if taggable(f.Name) {
				field.Tag(map[string]string{"json": tag})
			}
			if f.Default != nil {
				field.Comment(text.GoComment("default: " + jsonText(*f.Default)))
			}
		}
		if s.Additional == ir.AdditionalKept {
			g.Comment("Extra holds the members that the schema does not name.")
			g.Id("Extra").Map(jen.String()).Add(p.goType(s.Extra)).Tag(map[string]string{"json": "-"})
		}
	})
}

// tupleType has a field for each element. Their order is that of the array.
func (p *typeWriter) tupleType(t *ir.Tuple) *jen.Statement {
	return jen.StructFunc(func(g *jen.Group) {
		for _, f := range t.Items {
			if held := p.fieldType(f); held != nil {
				annotate(g, &f.Meta)
				g.Id(p.field(f)).Add(held)
			}
		}
		if t.Rest != nil {
			g.Comment("Rest holds the further elements.")
			g.Id("Rest").Index().Add(p.goType(t.Rest))
		}
	})
}

// taggable reports whether a struct tag can hold a name: encoding/json takes letters, digits and these characters. The tag is
// for people and for tools that look at types; the codec needs none.
func taggable(name string) bool {
	if name == "-" {
		return false
	}
	for _, c := range name {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) {
			return false
		}
	}
	return name != ""
}

// emitDefaults writes the constructor of a struct that has defaults.
func (p *typeWriter) emitDefaults(f *jen.File, t *named, s *ir.Struct) {
	if !hasDefaults(s) || t.isError {
		return
	}
	name := "Default" + t.name
	boundary(f)
	f.Comment(name + " returns the " + t.name + " whose optional fields have the defaults of the schema.")
	f.Func().Id(name).Params().Id(t.name).Block(jen.Return(p.defaults(t, s)))
}

// defaults is the literal of a struct with its defaults.
func (p *valueWriter) defaults(t *named, s *ir.Struct, more ...jen.Code) jen.Code {
	fields := more
	for _, f := range s.Fields {
		if formOf(f) == formDefault {
			fields = append(fields, jen.Id(p.field(f)).Op(":").Add(p.literal(f.Type, *f.Default)))
		}
	}
	if len(fields) <= 1 {
		return jen.Id(t.name).Values(fields...)
	}
	return jen.Id(t.name).Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, fields...)
}

// emitLogValue writes how a struct with sensitive fields is logged.
func (p *typeWriter) emitLogValue(f *jen.File, t *named, s *ir.Struct) {
	if !hasSensitive(s) {
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
					g.Qual("log/slog", "Any").Call(jen.Lit(field.Name), jen.Id("v."+p.field(field)))
				}
			}
		})),
	)
}

func hasSensitive(s *ir.Struct) bool {
	for _, f := range s.Fields {
		if f.Sensitive {
			return true
		}
	}
	return false
}

func (p *typeWriter) emitEnum(f *jen.File, t *named, e *ir.Enum) {
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
			g.Id(p.values[v]).Id(t.name).Op("=").Add(scalar(v.Value))
		}
	})
}

// seal is the method that makes a type a branch of the union t.
func (t *named) seal() string { return "is" + t.name }

// unknown is the type that keeps branches which the schema does not know.
func (t *named) unknown() string { return "Unknown" + t.name }

func (p *typeWriter) emitUnion(f *jen.File, t *named, u *ir.Union) {
	f.Comment("")
	say(f, "It is one of: "+p.branchNames(u)+".")
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
	f.Comment(t.unknown() + " is a " + t.name + " that the schema does not know.")
	f.Type().Id(t.unknown()).Struct(
		jen.Id("Tag").String().Comment("what tells it apart; empty when nothing does"),
		jen.Id("Raw").Add(rt("Raw")),
	)
	for _, u := range append([]*named{t}, t.branchOf...) {
		boundary(f)
		f.Func().Params(jen.Op("*").Id(t.unknown())).Id(u.seal()).Params().Block()
	}
}

// branchNames lists the Go types of the branches.
func (p *typeWriter) branchNames(u *ir.Union) string {
	text := ""
	for i, b := range u.Branches {
		t := p.branchType(b)
		if i > 0 {
			text += ", "
		}
		if t.byPointer() {
			text += "*"
		}
		text += t.name
	}
	return text
}

// scalar is a scalar as a Go expression.
func scalar(v ir.Value) *jen.Statement {
	switch v.Kind {
	case ir.Text:
		return jen.Lit(v.Text)
	case ir.Integer, ir.Number:
		return jen.Id(goNumber(v.Text))
	}
	return jen.Id(v.Text)
}

// goNumber is a JSON number as a Go constant: 1e2 is an integer in JSON and a float in Go, but both are untyped constants.
func goNumber(text string) string { return text }

// jsonText writes v as compact JSON.
func jsonText(v ir.Value) string {
	var out strings.Builder
	writeJSON(&out, v)
	return out.String()
}

func writeJSON(out *strings.Builder, v ir.Value) {
	switch v.Kind {
	case ir.Text:
		out.WriteString(jsonString(v.Text))
	case ir.Array:
		out.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				out.WriteByte(',')
			}
			writeJSON(out, item)
		}
		out.WriteByte(']')
	case ir.Object:
		out.WriteByte('{')
		for i, m := range v.Fields {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(jsonString(m.Name) + ":")
			writeJSON(out, m.Value)
		}
		out.WriteByte('}')
	default:
		out.WriteString(v.Text)
	}
}

// jsonString writes s as the runtime's appender does: it is compared with what arrives, byte by byte.
func jsonString(s string) string {
	out := []byte{'"'}
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', byte(c))
		case c == '\n':
			out = append(out, `\n`...)
		case c == '\r':
			out = append(out, `\r`...)
		case c == '\t':
			out = append(out, `\t`...)
		case c == '\b':
			out = append(out, `\b`...)
		case c == '\f':
			out = append(out, `\f`...)
		case c < 0x20:
			out = fmt.Appendf(out, `\u%04x`, c)
		default:
			out = append(out, string(c)...)
		}
	}
	return string(append(out, '"'))
}
