package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// emitSchemas writes the schemas that a router gives of the params of its methods, if the options want them.
func emitSchemas(p plan, f *jen.File) bool {
	w := newServerWriter(p)
	if !p.needs.schemas || !p.needs.serves() {
		return false
	}
	routers, _ := p.needs.sides()
	for _, s := range routers {
		if !p.needs.describes(s) {
			continue
		}
		boundary(f)
		f.Comment("ParamsSchema returns the JSON Schema of a method's params; see runtime.Hooks.")
		f.Func().Params(jen.Op("*").Id(s.handler)).Id("ParamsSchema").Params(jen.Id("method").String()).String().Block(
			jen.Switch(jen.Id("method")).BlockFunc(func(g *jen.Group) { w.schemaCases(g, s) }),
			jen.Return(jen.Lit("")),
		)
	}
	return true
}

func (w *serverWriter) schemaCases(g *jen.Group, s sideNames) {
	for _, m := range w.names.servedMethods(s) {
		if m.Params == nil || w.names.shares(m) { // the schema of a name is that of one method
			continue
		}
		text, err := jsonschema.ExportType(w.names.doc, m.Params, jsonschema.Options{})
		if err != nil { // two imported types whose prefixed names meet: the method is left without
			continue
		}
		g.Case(jen.Id("Method" + m.name)).Block(jen.Return(jsonConstant(string(text), false)))
	}
}
