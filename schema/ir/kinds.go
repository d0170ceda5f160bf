package ir

// Kinds is a set of JSON kinds. A number that may have a fraction is both Integer and Number.
type Kinds uint8

// EveryKind holds all kinds.
const EveryKind Kinds = 1<<(Object+1) - 1

// KindSet returns the set of some kinds.
func KindSet(all ...Kind) Kinds {
	var k Kinds
	for _, kind := range all {
		k |= 1 << kind
	}
	return k
}

// Has reports whether a kind is in the set.
func (k Kinds) Has(kind Kind) bool { return k&(1<<kind) != 0 }

// Words returns the words of JSON Schema for the kinds in the set, of which number includes integer.
func (k Kinds) Words() (all []string) {
	for _, kind := range []Kind{Null, Boolean, Text, Number, Integer, Array, Object} {
		if k.Has(kind) && !(kind == Integer && k.Has(Number)) {
			all = append(all, kind.String())
		}
	}
	return all
}

// KindsOf returns the JSON kinds of the values of t.
func KindsOf(t Type) Kinds { return kindsBeyond(t, map[*Union]bool{}) }

// kindsBeyond leaves out the unions that were seen already, which add nothing.
func kindsBeyond(t Type, seen map[*Union]bool) Kinds {
	if s := ScalarOf(Underlying(t)); s != nil {
		return s.Kinds
	}
	switch t := Underlying(t).(type) {
	case *Literal:
		return KindSet(t.Value.Kind)
	case *Enum:
		if len(t.Values) > 0 {
			return KindSet(t.Values[0].Value.Kind)
		}
	case *List, *Tuple:
		return KindSet(Array)
	case *Map, *Struct:
		return KindSet(Object)
	case *Nullable:
		return KindSet(Null) | kindsBeyond(t.Elem, seen)
	case *Union:
		var k Kinds
		if seen[t] {
			return k
		}
		seen[t] = true
		for _, b := range t.Branches {
			k |= kindsBeyond(b.Type, seen)
		}
		return k
	}
	return EveryKind
}

// Word returns what the kind of t is called in schemas, in a word. It is empty for a name and for what may be null.
func Word(t Type) string {
	if s := ScalarOf(t); s != nil {
		return s.Word
	}
	switch t.(type) {
	case *Literal:
		return "constant"
	case *Enum:
		return "enum"
	case *List:
		return "list"
	case *Tuple:
		return "tuple"
	case *Map:
		return "map"
	case *Struct:
		return "object"
	case *Union:
		return "union"
	}
	return ""
}

// Numeric reports whether t is a type of numbers. A constant or an enum of numbers is none.
func Numeric(t Type) bool {
	switch t.(type) {
	case *Int, *Float, *Decimal:
		return true
	}
	return false
}

// Scalar reports whether t says all that it says in one word and its rules: it lists no values and has no parts, and it is not a name.
func Scalar(t Type) bool { return ScalarOf(t) != nil }

// TakesKinds reports whether t takes every value of its JSON kinds that keeps its rules. Other types have a syntax or a range of their own.
func TakesKinds(t Type) bool { s := ScalarOf(t); return s != nil && !s.Syntax }

// Within reports whether every value of t has one of the JSON kinds of the values of base.
func Within(t, base Type) bool { return KindsOf(t)&^KindsOf(base) == 0 }
