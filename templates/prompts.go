package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

func (w *toolWriter) emitGetPrompt(f *jen.File) {
	w.emitByName(f, "Prompt", "Get", ir.Each(w.names.prompts, func(o *prompt) [2]string { return [2]string{o.Name, o.name} }))
	for _, o := range w.names.prompts {
		w.servedBy(f, "get"+o.name, "PromptCall").BlockFunc(func(g *jen.Group) { w.getPrompt(g, o) })
	}
}

// getPrompt writes how one prompt is made.
func (w *toolWriter) getPrompt(g *jen.Group, o *prompt) {
	var args ir.Type
	if o.Arguments != nil {
		args = o.Arguments
	}
	w.sentBy(g, args, "args")
	w.orFail(g, "result", selector("d", "server").Dot(o.name).Call(arguments(args, "args")...))
	g.Add(invoke("c", "Return", jen.Op("&").Id("result")))
}
