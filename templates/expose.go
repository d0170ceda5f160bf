package templates

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// emitExposed writes the functions that say what methods, or tools, have below x-* keys: all are the constants and what is said of them.
func (n *names) emitExposed(f *jen.File, suffix, what string, all []subject) {
	for _, key := range n.exposed {
		var values []*ir.Value
		constants := map[string][]jen.Code{}
		for _, one := range all {
			if v := one.meta.Extension(key.Name); v.Kind != ir.Null {
				if constants[v.Text] == nil {
					values = append(values, v)
				}
				constants[v.Text] = append(constants[v.Text], jen.Id(one.constant))
			}
		}
		if values == nil {
			continue
		}
		var cases []jen.Code
		for _, v := range values {
			value := v.Text
			if v.Kind == ir.Text {
				value = strconv.Quote(value)
			}
			cases = append(cases, jen.Case(constants[v.Text]...).Block(jen.Return(jen.Id(value), jen.True())))
		}
		name := key.name + suffix
		boundary(f)
		f.Comment(name + " returns " + key.Name + " of a " + what + ", and whether the schema has it.")
		f.Func().Id(name+"("+what+" string) (value "+typeOfKind[values[0].Kind]+", ok bool)").Block(
			jen.Switch(jen.Id(what)).Block(cases...), jen.Return(jen.Id("value"), jen.False()))
	}
}

// subject is a constant that names a method or a tool, and what its author says of it.
type subject struct {
	constant string
	meta     *ir.Meta
}

// typeOfKind are the types of exposed values.
var typeOfKind = map[ir.Kind]string{ir.Text: "string", ir.Boolean: "bool", ir.Integer: "int64"}
