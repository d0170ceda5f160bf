package diff

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// kindOf is the kind of a type in a word.
func kindOf(t ir.Type) string {
	switch t := t.(type) {
	case *ir.Nullable:
		return kindOf(t.Elem)
	case *ir.Ref:
		return "type " + t.Decl.Name
	case nil:
		return "nothing"
	}
	if ir.Scalar(t) {
		return described(t)
	}
	return ir.Word(t)
}

// described is a type on one line without its rules, as an author would write it.
func described(t ir.Type) string {
	switch t := t.(type) {
	case nil:
		return "nothing"
	case *ir.Struct:
		return object(t)
	case *ir.Enum:
		return "enum of " + listed(len(t.Values), func(i int) string { return t.Values[i].Value.String() })
	case *ir.Union:
		return "union of " + listed(len(t.Branches), func(i int) string { return t.Branches[i].Name })
	case *ir.List:
		return "list<" + described(t.Elem) + ">"
	case *ir.Tuple:
		return tuple(t)
	case *ir.Map:
		return "map<" + described(t.Elem) + ">"
	case *ir.Nullable:
		return described(t.Elem) + " | null"
	case *ir.Literal:
		return "the constant " + t.Value.String()
	case *ir.Int:
		return ir.Describe(&ir.Int{Bits: t.Bits, Unsigned: t.Unsigned})
	case *ir.ID:
		return "string | integer"
	}
	text, _, _ := strings.Cut(ir.Describe(t), "[")
	return text
}

func tuple(t *ir.Tuple) string {
	text := "tuple of " + listed(len(t.Items), func(i int) string {
		if t.Items[i].Optional {
			return described(t.Items[i].Type) + "?"
		}
		return described(t.Items[i].Type)
	})
	if t.Rest != nil {
		text += " and further " + described(t.Rest)
	}
	return text
}

func object(t *ir.Struct) string {
	if len(t.Fields) == 0 {
		return "object without fields"
	}
	return "object of " + listed(len(t.Fields), func(i int) string {
		f := t.Fields[i]
		if f.Optional {
			return f.Name + "?"
		}
		return f.Name
	})
}

// few is how many names a line lists before it only counts them.
const few = 5

func listed(n int, name func(int) string) string {
	var all []string
	for i := range min(n, few) {
		all = append(all, name(i))
	}
	text := strings.Join(all, ", ")
	if n > few {
		text += " and " + digits(n-few) + " more"
	}
	return text
}

// presence is how a field may be there, in a word.
func presence(f *ir.Field) string {
	if f.Optional {
		return "optional"
	}
	return "required"
}
