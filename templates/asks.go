package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/jsonschema"
)

// emitAsks writes the typed questions that tools ask users.
func (p *toolWriter) emitAsks(f *jen.File) {
	for _, t := range p.tools {
		for _, a := range t.asks {
			p.emitAsk(f, t, a)
		}
	}
}

func (p *toolWriter) emitAsk(f *jen.File, t *tool, a *question) {
	form, err := jsonschema.ExportForm(a.Form)
	if err != nil { // a form is flat: there is nothing that could go wrong
		form = []byte(`{"type":"object","properties":{}}`)
	}
	constant := p.hidden(p.formName(t, a), "Form")
	boundary(f)
	f.Comment(constant + " is what clients are told of " + a.form + ".")
	f.Const().Id(constant).Op("=").Add(jsonConstant(string(form), false))
	boundary(f)
	say(f, a.name+" asks the user to fill in "+a.form+". The error is a *mcp.NotAcceptedError when the user does not. "+
		"It is for the handler of "+t.name+", which returns the error as it is.")
	param, speaksOf := p.askParam(t, a)
	f.Func().Id(a.name).ParamsFunc(func(g *jen.Group) {
		g.Id("ctx").Qual("context", "Context")
		if speaksOf != nil {
			g.Id(param).Add(speaksOf)
		}
	}).Params(jen.Id("form").Id(a.form), jen.Err().Error()).Block(
		jen.Err().Op("=").Add(mcp("ElicitForm")).Call(jen.Id("ctx"), jen.Lit(a.Name), p.askMessage(a, param), jen.Id(constant), jen.Op("&").Id("form")),
		jen.Return(jen.Id("form"), jen.Err()),
	)
}

// formName is what the form of a question is called, without a suffix.
func (p *plan) formName(t *tool, a *question) string { return t.name + p.namer.exported(a.Name) }

// askParam is what the message of a question takes its fields from; nil if it takes none.
func (p *plan) askParam(t *tool, a *question) (name string, held jen.Code) {
	used := false
	for _, part := range a.Message {
		used = used || part.Field != nil
	}
	switch {
	case a.Params != nil:
		return "params", p.goType(a.Params)
	case used:
		return "in", p.goType(t.Input)
	}
	return "", nil
}

// askMessage is the text of a question, with the fields filled in.
func (p *toolWriter) askMessage(a *question, param string) jen.Code {
	parts := []jen.Code{}
	for _, part := range a.Message {
		switch {
		case part.Field == nil:
			parts = append(parts, jen.Lit(part.Text))
		case part.Field.Sensitive:
			parts = append(parts, gen("Redacted"))
		default:
			parts = append(parts, p.fieldText(part.Field, param+"."+p.field(part.Field)))
		}
	}
	if len(parts) == 0 {
		return jen.Lit("")
	}
	return sum(parts, "+")
}
