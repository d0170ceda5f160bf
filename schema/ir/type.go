package ir

import (
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// Type is the shape of a value. The kinds are the types of this file and of scalar.go that embed At; there are no others.
type Type interface {
	Position() diag.Pos
	at() *At
	facts() (*ScalarInfo, *[]Rule)
}

// At is where a type was written.
type At struct {
	Pos  diag.Pos
	Note *Meta // what the author said of a type that no declaration, field or branch carries, such as list items; may be nil
}

// Position returns where the type was written.
func (a *At) Position() diag.Pos { return a.Pos }
func (a *At) at() *At            { return a }

// facts say that a kind is not a scalar, and has no rules. Kinds that are, or have some, have methods of their own.
func (*At) facts() (*ScalarInfo, *[]Rule) { return nil, nil }

type (
	// Literal is one fixed scalar value. `type: null` is the literal null.
	Literal struct {
		At
		Value Value
	}

	// Enum is a closed or open list of strings or integers.
	Enum struct {
		At
		Values []EnumValue
		Open   bool // unknown values are kept
	}

	// List is an array.
	List struct {
		At
		Elem  Type
		Rules []Rule // Count, Unique, Conform
	}

	// Tuple is an array whose elements have types of their own, by position.
	Tuple struct {
		At
		Items []*Field // in order, one at least; optional ones, which may be missing at the end, come last
		Rest  Type     // of further elements; nil if there are none
		Rules []Rule   // Count, of all elements; none without Rest
	}

	// Map is an object with free keys.
	Map struct {
		At
		Elem  Type
		Rules []Rule // Count, Conform
	}

	// Struct is an object with named fields. Bases are flattened: Fields holds theirs first.
	Struct struct {
		At
		Extends    []*Decl
		Fields     []*Field
		Additional Additional
		Extra      Type   // element type of what Additional keeps; nil unless AdditionalKept
		Rules      []Rule // Count, Require, Conform
	}

	// Union is one of several shapes, told apart by Decide.
	Union struct {
		At
		Branches []*Branch
		Decide   Decision
		Open     bool   // an object that no branch claims is kept
		Rules    []Rule // Conform; none unless Decide is ByContext
	}

	// Nullable is T or null.
	Nullable struct {
		At
		Elem  Type
		Boxed bool // Elem is an object that contains this type in turn: it is held by pointer
	}

	// Ref is a use of a named type.
	Ref struct {
		At
		Decl   *Decl
		Import *Import // non-nil if the declaration lives in another file
		Rules  []Rule  // rules added at this use
	}
)

// EnumValue is one value of an Enum.
type EnumValue struct {
	Meta
	Value Value // String or Integer
}

// Field is a member of a Struct, or an element of a Tuple, which has neither a default nor examples.
type Field struct {
	Meta
	Name      string
	Type      Type
	Optional  bool   // may be absent
	Default   *Value // filled in when absent; only on optional fields
	Sensitive bool   // redacted in logs and error text
	Header    string // mirrored to this HTTP header; empty if none
	HTTP      *Place // of the input or the output of a tool with HTTP: its place there, as written; nil for the one of the rule
	Complete  bool   // of a prompt's argument or a template's param: the server completes its values
	From      *Decl  // the base that it came from; nil if it is the object's own
	Examples  []Value
}

// Additional says what happens to members that Fields does not name.
type Additional uint8

// What may happen to additional members.
const (
	AdditionalIgnored  Additional = iota // unset: dropped
	AdditionalRejected                   // `additional: false`
	AdditionalKept                       // kept in Extra
	AdditionalSkipped                    // `unknown: ignore`: dropped, also in the input of a tool
)

// String gives the word used in printed IR.
func (a Additional) String() string { return [...]string{"ignored", "rejected", "kept", "skipped"}[a] }

// Drops reports whether additional members are dropped.
func (a Additional) Drops() bool { return a == AdditionalIgnored || a == AdditionalSkipped }

// Branch is one alternative of a Union.
type Branch struct {
	Meta
	Name string // the tag it was given under, or its type's name or kind
	Type Type
}

// Decision tells the branches of a union apart, in one look at the value: ByProperty, ByPresence, ByKind, ByLength, ByValue, InProperty,
// InElement, ByContext or Pick.
type Decision interface{ isDecision() }

type (
	// ByProperty looks at the string (or integer, boolean) value of one property.
	ByProperty struct {
		Property string
		Cases    []Case
		Absent   Decision // when the property is missing; nil if that is a violation
		Else     Decision // when the property has another value than those of Cases; nil if that is a violation
	}

	// ByPresence takes the first case whose property is there.
	ByPresence struct {
		Cases []PresenceCase
		Else  Decision // when none is; nil if that is a violation
	}

	// ByKind looks at the JSON kind of the value. A kind has at most one case.
	ByKind struct {
		Cases []KindCase
	}

	// ByLength looks at how many elements an array has. No two cases overlap, and they are in order.
	ByLength struct {
		Cases []LengthCase
	}

	// ByValue looks at the value itself, which is a string, an integer or a boolean. It stands within InElement.
	ByValue struct {
		Cases []Case
	}

	// InElement looks at the element of an array at an index, and decides there.
	InElement struct {
		Index  int
		Decide Decision
		Absent Decision // when the array is shorter; nil if that is a violation
	}

	// InProperty looks into the object that lies in one property, and decides there.
	InProperty struct {
		Property string
		Decide   Decision
		Absent   Decision // when the property is missing; nil if that is a violation
	}

	// ByContext says that no decoder can tell: the value is kept as its text.
	ByContext struct{}

	// Pick ends a decision: it is this branch. A branch that is itself a union decides further among its own branches.
	Pick struct{ Branch *Branch }
)

func (*ByProperty) isDecision() {}
func (*ByPresence) isDecision() {}
func (*ByKind) isDecision()     {}
func (*ByLength) isDecision()   {}
func (*ByValue) isDecision()    {}
func (*InElement) isDecision()  {}
func (*InProperty) isDecision() {}
func (*ByContext) isDecision()  {}
func (*Pick) isDecision()       {}

// Case is one tag of a ByProperty.
type Case struct {
	Tag  Value
	Then Decision
}

// PresenceCase is one property of a ByPresence.
type PresenceCase struct {
	Property string
	Then     Decision
}

// LengthCase is one range of lengths of a ByLength.
type LengthCase struct {
	Min, Max int // a negative Max means no end
	Then     Decision
}

// KindCase is one JSON kind of a ByKind.
type KindCase struct {
	Kind Kind
	Then Decision

	// Range is set for Integer next to a case for Number: integers that this type cannot hold are numbers. Nil means that there are none.
	Range *Int
}

// Annotate sets the note of a type.
func Annotate(t Type, note *Meta) { t.at().Note = note }

// NoteOf returns the note of a type; nil when there is none.
func NoteOf(t Type) *Meta { return t.at().Note }

func (t *List) facts() (*ScalarInfo, *[]Rule)   { return nil, &t.Rules }
func (t *Tuple) facts() (*ScalarInfo, *[]Rule)  { return nil, &t.Rules }
func (t *Map) facts() (*ScalarInfo, *[]Rule)    { return nil, &t.Rules }
func (t *Struct) facts() (*ScalarInfo, *[]Rule) { return nil, &t.Rules }
func (t *Union) facts() (*ScalarInfo, *[]Rule)  { return nil, &t.Rules }
func (t *Ref) facts() (*ScalarInfo, *[]Rule)    { return nil, &t.Rules }
