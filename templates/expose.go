package templates

import (
	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitExposed writes the functions that say what methods, or tools, have below x-* keys: all are the constants and what is said of them.
func (n *names) emitExposed(f *jen.File, suffix, what string, all []named) {
	for _, key := range n.exposed {
		var values []ir.Value
		cases := map[string][]jen.Code{}
		for _, one := range all {
			v := one.meta.Extension(key.Name)
			if v.Kind == ir.Null {
				continue
			}
			if cases[v.Text] == nil {
				values = append(values, v)
			}
			cases[v.Text] = append(cases[v.Text], jen.Id(one.constant))
		}
		if values == nil {
			continue
		}
		boundary(f)
		f.Comment(key.name + suffix + " returns " + key.Key.Name + " of a " + what + ", and whether the schema has it.")
		f.Func().Id(key.name+suffix).Params(jen.Id(what).String()).Params(jen.Id("value").Add(typeOfKind[values[0].Kind]), jen.Id("ok").Bool()).Block(
			jen.Switch(jen.Id(what)).BlockFunc(func(g *jen.Group) {
				for _, v := range values {
					g.Case(cases[v.Text]...).Block(jen.Return(literal(v), jen.True()))
				}
			}),
			jen.Return(jen.Id("value"), jen.False()))
	}
}

// named is a constant that names a method or a tool, and what its author says of it.
type named struct {
	constant string
	meta     *ir.Meta
}

// typeOfKind are the types of exposed values.
var typeOfKind = map[ir.Kind]*jen.Statement{ir.Text: jen.String(), ir.Boolean: jen.Bool(), ir.Integer: jen.Int64()}

// literal is an exposed value in Go.
func literal(v ir.Value) jen.Code {
	if v.Kind == ir.Text {
		return jen.Lit(v.Text)
	}
	return jen.Id(v.Text)
}
