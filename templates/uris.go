package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitURI writes what makes a URI of a template's params.
func (w *toolWriter) emitURI(f *jen.File, r *resource) {
	boundary(f)
	f.Comment(r.name + "URI returns the URI of the resource that " + r.uriName() + " stands for with params.")
	f.Func().Id(r.name + "URI").Params(jen.Id("params").Add(w.names.goType(r.Params))).String().BlockFunc(func(g *jen.Group) {
		for i, part := range r.Template.Parts {
			switch {
			case i == 0:
				g.Id("b").Op(":=").Index().Byte().Call(jen.Lit(r.literal(0)))
			case part.Variable == "":
				g.Id("b").Op("=").Append(jen.Id("b"), jen.Lit(r.literal(i)).Op("..."))
			default:
				g.Id("b").Op("=").Add(w.expand(part, r.Params.Field(part.Variable)))
			}
		}
		g.Return(jen.String().Call(jen.Id("b")))
	})
}

// literal is the text of a part, with the # that the expansion after it begins with.
func (r *resource) literal(i int) string {
	parts := r.Template.Parts
	if i+1 < len(parts) && parts[i+1].Operator == '#' {
		return parts[i].Literal + "#"
	}
	return parts[i].Literal
}

func (w *toolWriter) expand(part ir.TemplatePart, f *ir.Field) jen.Code {
	x := "params." + w.names.field(f)
	if n, ok := ir.Underlying(f.Type).(*ir.Int); ok {
		if n.Unsigned {
			return wire("AppendUint").Call(jen.Id("b"), convert("uint64", intType(n) == "uint64" && w.names.of(f.Type) == nil, jen.Id(x)))
		}
		return wire("AppendInt").Call(jen.Id("b"), convert("int64", intType(n) == "int64" && w.names.of(f.Type) == nil, jen.Id(x)))
	}
	appender := "Append"
	if part.Operator != 0 {
		appender = "AppendReserved"
	}
	return uri(appender).Call(jen.Id("b"), w.plainText(f.Type, x))
}

// take is the call that takes the variable of part i.
func (r *resource) take(i int) *jen.Statement {
	parts := r.Template.Parts
	next, last := "", true
	if i+1 < len(parts) {
		next = r.literal(i + 1)
	}
	for _, later := range parts[i+1:] {
		last = last && later.Variable == ""
	}
	method := "Simple"
	switch {
	case parts[i].Operator != 0:
		method = "LastReserved"
	case last:
		method = "Last"
	}
	return invoke("m", method, jen.Lit(next))
}

// matchedValue is a text that was taken out of a URI, as the field f is held.
func (w *toolWriter) matchedValue(f *ir.Field, taken *jen.Statement) jen.Code {
	n, ok := ir.Underlying(f.Type).(*ir.Int)
	if !ok {
		if w.names.of(f.Type) == nil {
			return taken
		}
		return w.names.goType(f.Type).Call(taken)
	}
	reader := "Int"
	if n.Unsigned {
		reader = "Uint"
	}
	read := invoke("m", reader, taken, jen.Lit(n.Bits))
	if w.names.of(f.Type) == nil && n.Bits == 64 {
		return read
	}
	return w.names.goType(f.Type).Call(read)
}

// lines joins texts, newline-separated.
func lines(names []string) string { return strings.Join(names, "\n") }

// matcher is the function that takes the URI of a template apart.
func (n *names) matcher(r *resource) string { return n.hiddenName(r.name, "Matched") }

// emitMatch writes what takes a URI apart that a template stands for.
func (w *toolWriter) emitMatch(f *jen.File, r *resource) {
	boundary(f)
	f.Comment(w.names.matcher(r) + " takes a URI of " + r.uriName() + " apart.")
	f.Func().Id(w.names.matcher(r)).Params(jen.Id("text").String()).Params(jen.Id("params").Add(w.names.goType(r.Params)),
		jen.Id("ok").Bool()).BlockFunc(func(g *jen.Group) {
		g.Id("m").Op(":=").Add(uri("NewMatch")).Call(jen.Id("text"))
		g.Add(invoke("m", "Literal", jen.Lit(r.literal(0))))
		for i, part := range r.Template.Parts {
			if part.Variable != "" {
				fl := r.Params.Field(part.Variable)
				g.Id("params." + w.names.field(fl)).Op("=").Add(w.matchedValue(fl, r.take(i)))
			}
		}
		done := invoke("m", "Done")
		if w.values.forms.checked(r.Params) {
			done.Op("&&").Add(rule("Validate")).Call(jen.Op("&").Id("params")).Op("==").Nil()
		}
		g.Return(jen.Id("params"), done)
	})
}
