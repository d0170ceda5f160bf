package ir

import "github.com/rpcgen-go/rpcgen/schema/diag"

// Kind is the kind of a JSON value. Integer is a number without a fraction, such as 3 or 1e2; where only "a number" is
// meant, the kind is Number.
type Kind uint8

const (
	Null Kind = iota
	Boolean
	Integer
	Number
	Text
	Array
	Object
)

// String gives JSON Schema's word for the kind.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}[k]
}

// Value is a JSON value written in a schema: a default, a constant, an enum value, an example.
type Value struct {
	Pos    diag.Pos
	Kind   Kind
	Text   string   // Text: the decoded string; Integer, Number, Boolean, Null: the JSON text
	Items  []Value  // Array
	Fields []Member // Object, in file order
}

// Member is one member of an object value.
type Member struct {
	Name  string
	Value Value
}
