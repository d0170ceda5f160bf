package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

func backend(name string) *jen.Statement { return jen.Qual(backendPath, name) }

// backendWriter writes the server whose tools are answered by calls to HTTP APIs.
type backendWriter struct {
	names    *names
	forms    *forms
	values   *valueWriter
	calls    *callWriter
	handlers *serverWriter
	called   map[*ir.Backend]string // Go names
}

// callVar is the variable of the request of a tool.
func (n *names) callVar(t *tool) string { return n.hiddenName(t.name, "Call") }

// table begins a composite literal with one member a line; set adds a member that is not empty.
func table(f *jen.File, name string, t jen.Code, members func(set func(name string, is bool, value jen.Code))) {
	f.Var().Id(name).Op("=").Add(t).ValuesFunc(func(g *jen.Group) {
		members(func(name string, is bool, value jen.Code) {
			if is {
				g.Line().Id(name).Op(":").Add(value)
			}
		})
		g.Line()
	})
}

// rows is a slice literal with one element a line, each a literal without its type.
func rows(t jen.Code, n int, row func(i int, g *jen.Group)) jen.Code {
	return jen.Index().Add(t).CustomFunc(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, func(g *jen.Group) {
		for i := range n {
			g.ValuesFunc(func(g *jen.Group) { row(i, g) })
		}
	})
}

func texts(all []string) jen.Code {
	list := ir.Each(all, func(s string) jen.Code { return jen.Lit(s) })
	return jen.Values(list...)
}

func alternatives(a ir.Auth) jen.Code {
	return jen.Index().Index().String().ValuesFunc(func(g *jen.Group) {
		for _, names := range a {
			g.Add(texts(names))
		}
	})
}

func constants(all []ir.Constant) jen.Code {
	return rows(backend("Header"), len(all), func(i int, g *jen.Group) { addMember(g, "Name", all[i].Name); addMember(g, "Value", all[i].Value) })
}

// addMember adds a member of a literal that is not empty.
func addMember(g *jen.Group, name, value string) {
	if value != "" {
		g.Id(name).Op(":").Lit(value)
	}
}
