package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

func (w *toolWriter) emitAsk(f *jen.File, t *tool, a *question) {
	form, err := jsonschema.ExportForm(a.Form)
	if err != nil { // a form is flat: there is nothing that could go wrong
		form = []byte(`{"type":"object","properties":{}}`)
	}
	constant := w.names.hiddenName(w.names.formName(t, a), "Form")
	boundary(f)
	f.Comment(constant + " is what clients are told of " + a.form + ".")
	f.Const().Id(constant).Op("=").Add(jsonConstant(string(form), false))
	boundary(f)
	say(f, a.name+" asks the user to fill in "+a.form+". The error is a *mcp.NotAcceptedError when the user does not. "+
		"It is for the handler of "+t.name+", which returns the error as it is.")
	param, speaksOf := w.names.askParam(t, a)
	f.Func().Id(a.name).ParamsFunc(func(g *jen.Group) {
		g.Id("ctx").Qual("context", "Context")
		if speaksOf != nil {
			g.Id(param).Add(speaksOf)
		}
	}).Params(jen.Id("form").Id(a.form), jen.Err().Error()).Block(
		jen.Err().Op("=").Add(mcp("ElicitForm")).Call(jen.Id("ctx"), jen.Lit(a.Name), w.askMessage(a, param), jen.Id(constant), jen.Op("&").Id("form")),
		jen.Return(jen.Id("form"), jen.Err()),
	)
}

// askMessage is the text of a question, with the fields filled in.
func (w *toolWriter) askMessage(a *question, param string) jen.Code {
	if len(a.Message) == 0 {
		return jen.Lit("")
	}
	return w.values.message(a.Message, param+".")
}
