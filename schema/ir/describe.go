package ir

import (
	"strconv"
	"strings"
)

// Describe writes a type on one line, for messages: without its fields, values and branches.
func Describe(t Type) string {
	switch t := t.(type) {
	case *Int:
		return flag(t.Unsigned, "u") + "int" + strconv.Itoa(t.Bits) + rules(t.Rules)
	case *Literal:
		return "literal " + t.Value.String()
	case *Enum:
		return "enum" + flag(t.Open, " open")
	case *List:
		return "list<" + Describe(t.Elem) + ">" + rules(t.Rules)
	case *Map:
		return "map<" + Describe(t.Elem) + ">" + rules(t.Rules)
	case *Tuple:
		return tupleHead(t) + rules(t.Rules)
	case *Struct:
		return structHead(t)
	case *Union:
		return "union" + flag(t.Open, " open") + rules(t.Rules)
	case *Nullable:
		return Describe(t.Elem) + " | null"
	case *Ref:
		return refName(t) + rules(t.Rules)
	}
	if t == nil {
		return "nothing"
	}
	return Word(t) + rules(RulesOf(t))
}

// tupleHead has the types of the elements.
func tupleHead(t *Tuple) string {
	parts := Each(t.Items, func(f *Field) string { return Describe(f.Type) + flag(f.Optional, "?") })
	if t.Rest != nil {
		parts = append(parts, "..."+Describe(t.Rest))
	}
	return "tuple<" + strings.Join(parts, ", ") + ">"
}

func refName(t *Ref) string {
	if t.Import != nil {
		return t.Import.Alias + "." + t.Decl.Name
	}
	return t.Decl.Name
}

func structHead(t *Struct) string {
	head := "struct"
	for i, base := range t.Extends {
		if i == 0 {
			head += " extends"
		}
		head += " " + base.Name
	}
	switch t.Additional {
	case AdditionalKept:
		head += " additional<" + Describe(t.Extra) + ">"
	case AdditionalRejected:
		head += " closed"
	case AdditionalSkipped:
		head += " open"
	}
	return head + rules(t.Rules)
}

// rules writes rules in brackets.
func rules(all []Rule) string {
	if len(all) == 0 {
		return ""
	}
	parts := Each(all, Rule.describe)
	return "[" + strings.Join(parts, ", ") + "]"
}

func span(low, high int) string {
	if high < 0 {
		return strconv.Itoa(low) + ".."
	}
	return strconv.Itoa(low) + ".." + strconv.Itoa(high)
}

func bracket(exclusive bool, open, closed string) string {
	if exclusive {
		return open
	}
	return closed
}

func flag(on bool, word string) string {
	if on {
		return word
	}
	return ""
}
