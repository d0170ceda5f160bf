package check

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// kindWord is what a type is called where it has no name.
func kindWord(t ir.Type) string {
	switch t := t.(type) {
	case *ir.Ref:
		return t.Decl.Name
	case *ir.String:
		if len(t.Rules) == 1 {
			if format, ok := t.Rules[0].(*ir.Format); ok {
				return strings.ReplaceAll(format.Name, "-", "_")
			}
		}
	case *ir.Literal:
		return t.Value.Text
	case *ir.Nullable:
		return kindWord(t.Elem)
	}
	return ir.Word(t)
}
