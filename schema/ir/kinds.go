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

// KindsOf returns the JSON kinds of the values of t.
func KindsOf(t Type) Kinds { return kindsBeyond(t, map[*Union]bool{}) }

// kindsBeyond leaves out the unions that were seen already, which add nothing.
func kindsBeyond(t Type, seen map[*Union]bool) Kinds {
	switch t := Underlying(t).(type) {
	case *Bool:
		return KindSet(Boolean)
	case *Int:
		return KindSet(Integer)
	case *Float, *Decimal:
		return KindSet(Integer, Number)
	case *String, *Bytes, *Time:
		return KindSet(Text)
	case *ID:
		return KindSet(Text, Integer)
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
	switch t.(type) {
	case *Bool:
		return "boolean"
	case *Int:
		return "integer"
	case *Float:
		return "number"
	case *Decimal:
		return "decimal"
	case *String:
		return "string"
	case *Bytes:
		return "bytes"
	case *Time:
		return "datetime"
	case *ID:
		return "id"
	case *Any:
		return "any"
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
func Scalar(t Type) bool {
	switch t.(type) {
	case *Bool, *Int, *Float, *Decimal, *String, *Bytes, *Time, *ID, *Any:
		return true
	}
	return false
}

// TakesKinds reports whether t takes every value of its JSON kinds that keeps its rules. Other types have a syntax or a range of their own.
func TakesKinds(t Type) bool {
	switch t.(type) {
	case *Bool, *Decimal, *String, *ID, *Any:
		return true
	}
	return false
}

// Within reports whether every value of t has one of the JSON kinds of the values of base.
func Within(t, base Type) bool { return KindsOf(t)&^KindsOf(base) == 0 }

// copied returns a copy of a type that can have rules, and any other type itself.
func copied(t Type) Type {
	switch t := t.(type) {
	case *Any:
		return new(*t)
	case *Int:
		return new(*t)
	case *Float:
		return new(*t)
	case *Decimal:
		return new(*t)
	case *String:
		return new(*t)
	case *Bytes:
		return new(*t)
	case *List:
		return new(*t)
	case *Tuple:
		return new(*t)
	case *Map:
		return new(*t)
	case *Struct:
		return new(*t)
	case *Union:
		return new(*t)
	case *Ref:
		return new(*t)
	}
	return t
}

// rulesAt returns where t keeps its rules; nil if no rule applies to it.
func rulesAt(t Type) *[]Rule {
	switch t := t.(type) {
	case *Any:
		return &t.Rules
	case *Int:
		return &t.Rules
	case *Float:
		return &t.Rules
	case *Decimal:
		return &t.Rules
	case *String:
		return &t.Rules
	case *Bytes:
		return &t.Rules
	case *List:
		return &t.Rules
	case *Tuple:
		return &t.Rules
	case *Map:
		return &t.Rules
	case *Struct:
		return &t.Rules
	case *Union:
		return &t.Rules
	case *Ref:
		return &t.Rules
	}
	return nil
}
