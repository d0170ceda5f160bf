package ir

import (
	"iter"
	"maps"
	"slices"
)

// longestChain is how many names in a row may stand for each other. Package check reports loops and longer chains.
const longestChain = 1000

// Underlying returns what t stands for: it looks through names. A chain of names without end is any.
func Underlying(t Type) Type {
	for range longestChain {
		r, ok := t.(*Ref)
		if !ok {
			return t
		}
		t = r.Decl.Type
	}
	return &Any{}
}

// Bounds returns the least and the greatest integer that t can hold, as JSON.
func (t *Int) Bounds() (low, high string) {
	switch {
	case t.Bits == 32 && t.Unsigned:
		return "0", "4294967295"
	case t.Bits == 32:
		return "-2147483648", "2147483647"
	case t.Unsigned:
		return "0", "18446744073709551615"
	}
	return "-9223372036854775808", "9223372036854775807"
}

// Integers returns the case for integers next to one for all other numbers, if the type of the former has a range. It is nil if there is none.
func (d *ByKind) Integers() *KindCase {
	for i := range d.Cases {
		if d.Cases[i].Range != nil {
			return &d.Cases[i]
		}
	}
	return nil
}

// IsFloat reports whether values of t are rounded to float64.
func IsFloat(t Type) bool {
	_, ok := NonNull(t).(*Float)
	return ok
}

// NonNull returns what t stands for when it is not null: it looks through names and `T | null`.
func NonNull(t Type) Type {
	for range longestChain {
		null, ok := Underlying(t).(*Nullable)
		if !ok {
			return Underlying(t)
		}
		t = null.Elem
	}
	return &Any{}
}

// Field returns the field with a name, and nil if there is none.
func (s *Struct) Field(name string) *Field {
	return First(s.Fields, func(f *Field) bool { return f.Name == name })
}

// ForgetsMembers reports whether a decoded object no longer shows which members it had: some are ignored, or filled in.
func (s *Struct) ForgetsMembers() bool {
	return s.Additional.Drops() || slices.ContainsFunc(s.Fields, func(f *Field) bool { return f.Default != nil })
}

// MemberType returns the type of a member that the objects of a type may have.
func MemberType(t Type, name string) Type {
	if s := AsStruct(t); s != nil {
		if f := s.Field(name); f != nil {
			return f.Type
		}
		if s.Extra != nil {
			return s.Extra
		}
	}
	return &Any{}
}

// Elem returns the type of what a list or a map holds, or of a Nullable that is not null; nil for other types.
func Elem(t Type) Type {
	switch t := t.(type) {
	case *List:
		return t.Elem
	case *Map:
		return t.Elem
	case *Nullable:
		return t.Elem
	}
	return nil
}

// WithParts returns t with other types in the places of those that lie directly within it, apart from branches of unions.
func WithParts(t Type, other func(Type) Type) Type {
	switch t := t.(type) {
	case *Nullable:
		return &Nullable{At: t.At, Elem: other(t.Elem), Boxed: t.Boxed}
	case *List:
		return &List{At: t.At, Elem: other(t.Elem), Rules: t.Rules}
	case *Map:
		return &Map{At: t.At, Elem: other(t.Elem), Rules: t.Rules}
	case *Tuple:
		made := *t
		made.Items = withTypes(t.Items, other)
		if t.Rest != nil {
			made.Rest = other(t.Rest)
		}
		return &made
	case *Struct:
		made := *t
		made.Fields = withTypes(t.Fields, other)
		if t.Extra != nil {
			made.Extra = other(t.Extra)
		}
		return &made
	}
	return t
}

func withTypes(fields []*Field, other func(Type) Type) []*Field {
	made := make([]*Field, len(fields))
	for i, f := range fields {
		field := *f
		field.Type = other(f.Type)
		made[i] = &field
	}
	return made
}

// Branches returns the branches of a union; nil for other types.
func Branches(t Type) []*Branch {
	if u, ok := t.(*Union); ok {
		return u.Branches
	}
	return nil
}

// DecisionOf returns how values of a union find their branch; nil for other types.
func DecisionOf(t Type) Decision {
	if u, ok := t.(*Union); ok {
		return u.Decide
	}
	return nil
}

// IsContextual reports whether t is a union that no decoder can decide: it is kept as its JSON text.
func IsContextual(t Type) bool {
	_, ok := DecisionOf(t).(*ByContext)
	return ok
}

// IsOpen reports whether t is an enum or a union that takes more than what it lists.
func IsOpen(t Type) bool {
	switch t := t.(type) {
	case *Enum:
		return t.Open
	case *Union:
		return t.Open
	}
	return false
}

// Part is a type that lies directly within another.
type Part struct {
	Type   Type
	Name   string  // of the field or branch, else items, values, rest or additional; empty for the type itself when it is not null
	Field  *Field  // the member of a Struct or the element of a Tuple; nil if it is none
	Branch *Branch // the branch of a Union; nil if it is none
}

// Parts gives the types that lie directly within t, in the author's order. What a name stands for does not lie within its use.
func Parts(t Type) iter.Seq[Part] {
	return func(yield func(Part) bool) {
		switch t := t.(type) {
		case *List:
			yield(Part{Type: t.Elem, Name: "items"})
		case *Map:
			yield(Part{Type: t.Elem, Name: "values"})
		case *Nullable:
			yield(Part{Type: t.Elem})
		case *Tuple:
			if fieldParts(t.Items, yield) && t.Rest != nil {
				yield(Part{Type: t.Rest, Name: "rest"})
			}
		case *Struct:
			if fieldParts(t.Fields, yield) && t.Extra != nil {
				yield(Part{Type: t.Extra, Name: "additional"})
			}
		case *Union:
			for _, b := range t.Branches {
				if !yield(Part{Type: b.Type, Name: b.Name, Branch: b}) {
					return
				}
			}
		}
	}
}

// fieldParts reports whether there may be more.
func fieldParts(fields []*Field, yield func(Part) bool) bool {
	for _, f := range fields {
		if !yield(Part{Type: f.Type, Name: f.Name, Field: f}) {
			return false
		}
	}
	return true
}

// IsSensitive reports whether a value of t may have a sensitive field, at any depth. Known remembers that of declarations, from one call to the next.
func IsSensitive(t Type, known map[*Decl]bool) bool {
	seen := map[*Decl]bool{}
	is := findSensitive(t, known, seen)
	if !is {
		maps.Copy(known, seen)
	}
	return is
}

// findSensitive looks for a sensitive field. If it finds none, what it has seen is not sensitive.
func findSensitive(t Type, known, seen map[*Decl]bool) bool {
	for _, d := range declsIn(t) {
		is, sure := known[d]
		if _, open := seen[d]; !sure && !open {
			seen[d] = false
			if is = findSensitive(d.Type, known, seen); is {
				known[d] = true
			}
		}
		if is {
			return true
		}
	}
	for part := range Parts(t) {
		if part.Field != nil && part.Field.Sensitive || findSensitive(part.Type, known, seen) {
			return true
		}
	}
	return false
}

// declsIn are the declarations that t names directly: what it stands for, and the bases of an object.
func declsIn(t Type) []*Decl {
	switch t := t.(type) {
	case *Ref:
		return []*Decl{t.Decl}
	case *Struct:
		return t.Extends
	}
	return nil
}

// Reach adds to seen every declaration that a value of t may be made of, and the bases of objects. What seen holds is not followed again.
func Reach(t Type, seen map[*Decl]bool) {
	for _, d := range declsIn(t) {
		if !seen[d] {
			seen[d] = true
			Reach(d.Type, seen)
		}
	}
	for part := range Parts(t) {
		Reach(part.Type, seen)
	}
}
