package check

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// kinds is a set of JSON kinds. A number that may have a fraction is both Integer and Number.
type kinds uint8

const everyKind kinds = 1<<(ir.Object+1) - 1

func (k kinds) has(kind ir.Kind) bool { return k&(1<<kind) != 0 }

func kindSet(all ...ir.Kind) kinds {
	var k kinds
	for _, kind := range all {
		k |= 1 << kind
	}
	return k
}

// kindsOf returns the JSON kinds that a type takes.
func kindsOf(t ir.Type) kinds { return kindsBeyond(t, map[*ir.Union]bool{}) }

// kindsBeyond leaves out the unions that were seen already, which add nothing.
func kindsBeyond(t ir.Type, seen map[*ir.Union]bool) kinds {
	switch t := underlying(t).(type) {
	case *ir.Bool:
		return kindSet(ir.Boolean)
	case *ir.Int:
		return kindSet(ir.Integer)
	case *ir.Float, *ir.Decimal:
		return kindSet(ir.Integer, ir.Number)
	case *ir.String, *ir.Bytes, *ir.Time:
		return kindSet(ir.Text)
	case *ir.ID:
		return kindSet(ir.Text, ir.Integer)
	case *ir.Literal:
		return kindSet(t.Value.Kind)
	case *ir.Enum:
		if len(t.Values) > 0 {
			return kindSet(t.Values[0].Value.Kind)
		}
	case *ir.List, *ir.Tuple:
		return kindSet(ir.Array)
	case *ir.Map, *ir.Struct:
		return kindSet(ir.Object)
	case *ir.Nullable:
		return kindSet(ir.Null) | kindsBeyond(t.Elem, seen)
	case *ir.Union:
		var k kinds
		if seen[t] {
			return k
		}
		seen[t] = true
		for _, b := range t.Branches {
			k |= kindsBeyond(b.Type, seen)
		}
		return k
	}
	return everyKind
}

// kindWord is what a type is called where it has no name.
func kindWord(t ir.Type) string {
	switch t := t.(type) {
	case *ir.Ref:
		return t.Decl.Name
	case *ir.Bool:
		return "boolean"
	case *ir.Int:
		return "integer"
	case *ir.Float:
		return "number"
	case *ir.Decimal:
		return "decimal"
	case *ir.String:
		if len(t.Rules) == 1 {
			if format, ok := t.Rules[0].(*ir.Format); ok {
				return strings.ReplaceAll(format.Name, "-", "_")
			}
		}
		return "string"
	case *ir.Bytes:
		return "bytes"
	case *ir.Time:
		return "datetime"
	case *ir.ID:
		return "id"
	case *ir.Literal:
		return t.Value.Text
	case *ir.Enum:
		return "enum"
	case *ir.List:
		return "list"
	case *ir.Tuple:
		return "tuple"
	case *ir.Map:
		return "map"
	case *ir.Struct:
		return "object"
	case *ir.Union:
		return "union"
	case *ir.Nullable:
		return kindWord(t.Elem)
	}
	return "any"
}
