package syntax

import (
	"github.com/rpcgen-go/rpcgen/schema/decimal"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Kind is the kind of a node.
type Kind uint8

// The kinds of nodes.
const (
	Scalar Kind = iota
	Mapping
	Sequence
)

// String says what the kind is called in messages.
func (k Kind) String() string { return [...]string{"a scalar", "a mapping", "a list"}[k] }

// Style is how a scalar was written.
type Style uint8

// The styles of scalars.
const (
	Plain Style = iota
	Quoted
	Block // | or >
	Kept  // |+ or >+: the line breaks at its end are part of it
)

// Node is a value of the document.
type Node struct {
	Kind    Kind
	Span    diag.Span // a scalar's text on its first line; the first byte of anything else
	Text    string    // Scalar: the text, as written when plain
	Style   Style     // Scalar
	Entries []Entry   // Mapping, in file order
	Items   []*Node   // Sequence

	inner int // columns between Span and Text[0]; negative: Text cannot be found by counting
}

// Entry is a member of a mapping.
type Entry struct {
	Key, Value *Node
}

// Get returns the value of a key of a mapping, or nil.
func (n *Node) Get(key string) *Node {
	if e := n.Entry(key); e != nil {
		return e.Value
	}
	return nil
}

// Entry returns the entry of a key of a mapping, or nil.
func (n *Node) Entry(key string) *Entry {
	for i := range n.Entries {
		if n.Entries[i].Key.Text == key {
			return &n.Entries[i]
		}
	}
	return nil
}

// Within returns the place of a part of a scalar's text: the exact one where the text stands as written on one line, and that of the whole scalar otherwise.
func (n *Node) Within(offset, length int) diag.Span {
	if n.inner < 0 {
		return n.Span
	}
	at := n.Span
	at.Col += n.inner + offset
	at.Len = length
	return at
}

// IsEmpty reports whether nothing at all was written.
func (n *Node) IsEmpty() bool { return n.Kind == Scalar && n.Style == Plain && n.Text == "" }

// JSON says which JSON value a scalar means where any value may stand: the scalars of JSON as JSON writes them, and text
// otherwise. So no is text, and 1.10 is a number.
func (n *Node) JSON() ir.Kind {
	if n.Style != Plain {
		return ir.Text
	}
	switch n.Text {
	case "", "~", "null":
		return ir.Null
	case "true", "false":
		return ir.Boolean
	}
	number, ok := decimal.Parse(n.Text)
	switch {
	case !ok:
		return ir.Text
	case number.IsInteger():
		return ir.Integer
	}
	return ir.Number
}
