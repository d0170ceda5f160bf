package templates

import (
	"github.com/dave/jennifer/jen"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitToolErrors writes how the errors of tools are sent to models, and recognised by clients.
func (w *errorWriter) emitToolErrors(f *jen.File) {
	all := ir.Each(w.names.doc.ErrorsByTools(), w.names.errorOf)
	for _, e := range all {
		w.emitToolError(f, e)
	}
	if w.needs.side != ServerOnly && len(all) > 0 {
		w.emitDecode(f, "decodeToolError", mcpclient("ToolFailure"), "Name", all, func(e *errorType) jen.Code { return jen.Lit(e.Name) },
			"decodeToolError turns the error result of a tool into the declared error of its name; it returns others, and those whose data do", "not fit, as they are.")
	}
}

func (w *errorWriter) emitToolError(f *jen.File, e *errorType) {
	boundary(f)
	f.Comment("ToolError implements mcp.ToolError.")
	f.Func().Params(jen.Op("*").Id(e.name)).Id("ToolError").Params().String().Block(jen.Return(jen.Lit(e.Name)))
	boundary(f)
	f.Comment("AppendData implements mcp.ToolError.")
	receiver, data := jen.Id("e").Op("*").Id(e.name), jen.Code(nil)
	switch {
	case e.data != nil:
		data = invoke("e", "AppendJSON", jen.Id("b"))
	case e.Data != nil:
		data = w.values.appendExpr(e.Data, "e.Data")
	default:
		receiver, data = jen.Op("*").Id(e.name), jen.Id("b")
	}
	f.Func().Params(receiver).Id("AppendData").Params(jen.Id("b").Index().Byte()).Index().Byte().Block(jen.Return(data))
}

// emitDecode writes the function name, which turns an error of a type into the declared one that its field by names.
func (w *errorWriter) emitDecode(f *jen.File, name string, t jen.Code, by string, all []*errorType, key func(*errorType) jen.Code, comment ...string) {
	boundary(f)
	for _, line := range comment {
		f.Comment(line)
	}
	f.Func().Id(name).Params(jen.Id("e").Op("*").Add(t)).Error().Block(
		jen.Switch(selector("e", by)).BlockFunc(func(g *jen.Group) {
			for _, e := range all {
				g.Case(key(e)).BlockFunc(func(g *jen.Group) { w.declaredCase(g, e) })
			}
		}),
		jen.Return(jen.Id("e")),
	)
}

func (w *errorWriter) declaredCase(g *jen.Group, e *errorType) {
	switch {
	case e.data != nil:
		g.Id("declared").Op(":=").New(jen.Id(e.name))
		g.Return(invoke("e", "Declared", jen.Id("declared"), selector("declared", "DecodeJSON")))
	case e.Data != nil:
		g.Id("declared").Op(":=").New(jen.Id(e.name))
		g.Return(invoke("e", "Declared", jen.Id("declared"), jen.Func().Params(jen.Id("r").Op("*").Add(wire("Reader"))).BlockFunc(func(g *jen.Group) {
			w.values.decodeInto(g, e.Data, "declared.Data")
		})))
	default:
		g.Return(jen.Op("&").Id(e.name).Values())
	}
}
