package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// headerField is a field of a tool's input that an HTTP header repeats.
type headerField struct {
	tool  *tool
	path  []string
	field *ir.Field
}

func (n *names) headers() []headerField {
	var all []headerField
	for _, t := range n.tools {
		if s, ok := shapeOrNil(t.Input).(*ir.Struct); ok {
			all = append(all, mirroredIn(t, s, nil)...)
		}
	}
	return all
}

// mirroredIn lists the mirrored fields of an object and of those written within it.
func mirroredIn(t *tool, s *ir.Struct, path []string) []headerField {
	var all []headerField
	for _, f := range s.Fields {
		at := append(slices.Clone(path), f.Name)
		if f.Header != "" {
			all = append(all, headerField{t, at, f})
		}
		if inner, ok := f.Type.(*ir.Struct); ok {
			all = append(all, mirroredIn(t, inner, at)...)
		}
	}
	return all
}

// emitHeaders writes the table of mirrored fields, for both sides.
func (w *toolWriter) emitHeaders(f *jen.File) {
	all := w.names.headers()
	if len(all) == 0 {
		return
	}
	boundary(f)
	f.Comment("toolHeaders lists what tools mirror into HTTP headers.")
	f.Func().Id("toolHeaders").Params().Index().Add(mcpgen("ToolHeader")).Block(jen.Return(
		jen.Index().Add(mcpgen("ToolHeader")).CustomFunc(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, func(g *jen.Group) {
			for _, m := range all {
				path := ir.Each(m.path, func(name string) jen.Code { return jen.Lit(name) })
				g.Values(
					jen.Id("Tool").Op(":").Id("Tool"+m.tool.name), jen.Id("Path").Op(":").Index().String().Values(path...),
					jen.Id("Header").Op(":").Lit(m.field.Header), jen.Id("Kind").Op(":").Add(mcpgen(headerKind(m.field.Type))),
				)
			}
		})))
}

func headerKind(t ir.Type) string {
	switch s := ir.Underlying(t).(type) {
	case *ir.Int:
		return "HeaderInteger"
	case *ir.Bool:
		return "HeaderBoolean"
	case *ir.Enum:
		if s.Values[0].Value.Kind == ir.Integer {
			return "HeaderInteger"
		}
	case *ir.Literal:
		switch s.Value.Kind {
		case ir.Integer:
			return "HeaderInteger"
		case ir.Boolean:
			return "HeaderBoolean"
		}
	}
	return "HeaderString"
}
