package templates

import (
	"github.com/dave/jennifer/jen"
)

// emitLookup writes the function that describes the declared errors by their codes.
func (w *errorWriter) emitLookup(f *jen.File, coded []*errorType) {
	boundary(f)
	f.Comment(lookupName + " returns what the schema declares for the error with a code, or else what JSON-RPC says about the code.")
	f.Func().Id(lookupName).Params(jen.Id("code").Int64()).Params(jen.Id("info").Add(rt("ErrorInfo")), jen.Id("ok").Bool()).Block(
		jen.Switch(jen.Id("code")).BlockFunc(func(g *jen.Group) {
			for _, e := range coded {
				g.Case(jen.Id(e.code)).Block(jen.Return(rt("ErrorInfo").Values(errorInfo(e)...), jen.True()))
			}
		}),
		jen.Return(rt(lookupName).Call(jen.Id("code"))))
}

// errorInfo is what the schema says of an error.
func errorInfo(e *errorType) []jen.Code {
	member := func(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }
	all := []jen.Code{member("Name", jen.Lit(e.Name)), member("Code", jen.Id("code")), member("Message", jen.Lit(e.Text()))}
	if e.Category != "" {
		all = append(all, member("Category", jen.Lit(e.Category)))
	}
	if e.Severity != "" {
		all = append(all, member("Severity", jen.Lit(e.Severity)))
	}
	if e.HTTP != 0 {
		all = append(all, member("HTTPStatus", jen.Lit(e.HTTP)))
	}
	if e.Retry {
		all = append(all, member("Retry", jen.True()))
	}
	return all
}
