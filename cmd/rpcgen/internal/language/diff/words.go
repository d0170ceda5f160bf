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
		return typeWords(t)
	}
	return ir.Word(t)
}

// typeWords is a type on one line without its rules, as an author would write it.
func typeWords(t ir.Type) string {
	switch t := t.(type) {
	case nil:
		return "nothing"
	case *ir.Struct:
		return object(t)
	case *ir.Enum:
		return "enum of " + listWords(len(t.Values), func(i int) string { return t.Values[i].Value.String() })
	case *ir.Union:
		return "union of " + listWords(len(t.Branches), func(i int) string { return t.Branches[i].Name })
	case *ir.List:
		return "list<" + typeWords(t.Elem) + ">"
	case *ir.Tuple:
		return tuple(t)
	case *ir.Map:
		return "map<" + typeWords(t.Elem) + ">"
	case *ir.Nullable:
		return typeWords(t.Elem) + " | null"
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
	text := "tuple of " + listWords(len(t.Items), func(i int) string {
		if t.Items[i].Optional {
			return typeWords(t.Items[i].Type) + "?"
		}
		return typeWords(t.Items[i].Type)
	})
	if t.Rest != nil {
		text += " and further " + typeWords(t.Rest)
	}
	return text
}

func object(t *ir.Struct) string {
	if len(t.Fields) == 0 {
		return "object without fields"
	}
	return "object of " + listWords(len(t.Fields), func(i int) string {
		f := t.Fields[i]
		if f.Optional {
			return f.Name + "?"
		}
		return f.Name
	})
}

// few is how many names a line lists before it only counts them.
const few = 5

func listWords(n int, name func(int) string) string {
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
