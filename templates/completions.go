package templates

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// completedThing is something whose fields can be completed: a prompt or a template.
type completedThing struct {
	owner  string // its Go name
	name   string // the constant that names it
	fields []*ir.Field
}

// completable lists the prompts and templates that have fields.
func (w *toolWriter) completable() (prompts, templates []completedThing) {
	for _, o := range w.names.prompts {
		if o.Arguments != nil && len(o.Arguments.Fields) > 0 {
			prompts = append(prompts, completedThing{o.name, "Prompt" + o.name, o.Arguments.Fields})
		}
	}
	for _, r := range w.names.resources {
		if r.Template != nil {
			templates = append(templates, completedThing{r.name, r.uriName(), r.Params.Fields})
		}
	}
	return prompts, templates
}

// completions reports whether anything can be completed: enums by themselves, other fields by the server.
func (w *toolWriter) completions() bool {
	prompts, templates := w.completable()
	return anyField(prompts, completes) || anyField(templates, completes)
}

func completes(f *ir.Field) bool {
	_, enum := ir.Underlying(f.Type).(*ir.Enum)
	return enum || f.Complete
}

func anyField(all []completedThing, what func(*ir.Field) bool) bool {
	return slices.ContainsFunc(all, func(one completedThing) bool { return slices.ContainsFunc(one.fields, what) })
}

func (w *toolWriter) emitComplete(f *jen.File) {
	prompts, templates := w.completable()
	asked := func(f *ir.Field) bool { return f.Complete }
	byServer := anyField(prompts, asked) || anyField(templates, asked)
	w.implements(f, "Complete", "CompleteCall", byServer).BlockFunc(func(g *jen.Group) {
		if len(prompts)+len(templates) > 0 {
			g.Id("argument").Op(":=").Id("c").Dot("Argument").Call() // once, as in routeByNumber
		}
		if byServer {
			g.Id("completing").Op(":=").Id("c").Dot("Completing").Call()
		}
		w.completeCases(g, "Prompt", prompts)
		w.completeCases(g, "Template", templates)
		g.Add(invoke("c", "NotFound", jen.Lit(w.references())))
	})
}

// references are what can be asked about: prompts and templates, newline-separated.
func (w *toolWriter) references() string {
	all := ir.Each(w.names.prompts, func(o *prompt) string { return o.Name })
	for _, r := range w.names.resources {
		if r.Template != nil {
			all = append(all, r.Template.Text)
		}
	}
	return lines(all)
}

// completeCases tells apart what is completed, and of that which field.
func (w *toolWriter) completeCases(g *jen.Group, of string, all []completedThing) {
	if len(all) == 0 {
		return
	}
	g.Switch(invoke("c", of)).BlockFunc(func(g *jen.Group) {
		for _, one := range all {
			g.Case(jen.Id(one.name)).Block(jen.Switch(jen.Id("argument")).BlockFunc(func(g *jen.Group) { w.completeFields(g, one) }))
		}
	})
}

func (w *toolWriter) completeFields(g *jen.Group, one completedThing) {
	var others []jen.Code
	for _, f := range one.fields {
		if !completes(f) {
			others = append(others, jen.Lit(f.Name))
			continue
		}
		g.Case(jen.Lit(f.Name)).BlockFunc(func(g *jen.Group) {
			w.complete(g, one, f)
			g.Return()
		})
	}
	if len(others) > 0 {
		g.Case(others...).Block(invoke("c", "Return", jen.Nil()), jen.Return())
	}
}

func (w *toolWriter) complete(g *jen.Group, one completedThing, f *ir.Field) {
	if !f.Complete {
		g.Add(invoke("c", "ReturnEnum", jen.Lit(lines(enumNames(ir.Underlying(f.Type).(*ir.Enum))))))
		return
	}
	w.orFail(g, "values", selector("d", "server").Dot(completer(one.owner, w.names.field(f))).Call(jen.Id("ctx"), jen.Id("completing")))
	g.Add(invoke("c", "Return", jen.Id("values")))
}
