package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

func (w *toolWriter) emitGetPrompt(f *jen.File) {
	w.implements(f, "GetPrompt", "PromptCall", len(w.names.prompts) > 0).BlockFunc(func(g *jen.Group) {
		if len(w.names.prompts) == 0 {
			g.Id("c").Dot("NotFound").Call(jen.Lit(""))
			return
		}
		g.Switch(jen.Id("c").Dot("Name").Call()).BlockFunc(func(g *jen.Group) {
			for _, o := range w.names.prompts {
				g.Case(jen.Id("Prompt" + o.name)).Block(jen.Id("d").Dot("get"+o.name).Call(jen.Id("ctx"), jen.Id("c")))
			}
			g.Default().Block(jen.Id("c").Dot("NotFound").Call(jen.Id("promptNames")))
		})
	})
	if len(w.names.prompts) == 0 {
		return
	}
	names := make([]string, len(w.names.prompts))
	for i, o := range w.names.prompts {
		names[i] = o.Name
	}
	boundary(f)
	f.Comment("promptNames are the prompts, for finding the nearest name.")
	f.Const().Id("promptNames").Op("=").Add(nameList(names))
	for _, o := range w.names.prompts {
		w.servedBy(f, "get"+o.name, "PromptCall").BlockFunc(func(g *jen.Group) { w.getPrompt(g, o) })
	}
}

// getPrompt writes how one prompt is made.
func (w *toolWriter) getPrompt(g *jen.Group, o *prompt) {
	var arguments ir.Type
	if o.Arguments != nil {
		arguments = o.Arguments
	}
	w.sentBy(g, arguments, "args")
	w.orFail(g, "result", jen.Id("d").Dot("server").Dot(o.name).CallFunc(func(g *jen.Group) {
		g.Id("ctx")
		if arguments != nil {
			g.Id("args")
		}
	}))
	g.Id("c").Dot("Return").Call(jen.Op("&").Id("result"))
}
