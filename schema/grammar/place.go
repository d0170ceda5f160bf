package grammar

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Scalar is a kind of scalar that a place may take.
type Scalar uint8

// The kinds of scalars.
const (
	Text       Scalar = iota // text as it is written: 2025-11-25 and 1.10 are text here
	Prose                    // text for readers; space around it does not count
	Boolean                  // true or false
	Integer                  // a whole number
	Number                   // a number of JSON
	Expression               // a type expression, such as list<string>
	Word                     // one of the place's Words
	Anything                 // any scalar, read as JSON would read it
)

// Place is a place in a schema file: what may be written there.
type Place struct {
	Name    string   // of the things that stand here; empty if they need none
	Scalars []Scalar // the scalars it takes
	Words   []string // of Word
	Form    string   // of Text: the regular expression (of RE2 and of ECMA-262) that it matches; empty for any
	Empty   bool     // nothing need be written at all
	Keys    []Key    // of a mapping whose keys the language gives, in canonical order; x-* may stand there as well
	Each    *Place   // the values of a mapping whose keys the author chooses
	Marked  bool     // with Each: a key that ends in ? is that of an optional field
	Items   *Place   // the elements of a list
}

// Key is a key that the language gives.
type Key struct {
	Name     string
	Doc      string // a sentence or two for authors
	Value    *Place
	Required bool
	Section  bool   // it holds declarations
	Rule     string // the rule that it is part of; rules keep the order that the author gives them
	Belongs  string // of a schema's key: where it belongs, as a sentence, when that is not everywhere
	where    Where
}

// Key returns what the language says of a key here. An unknown key and x-* are nil.
func (p *Place) Key(name string) *Key {
	for i := range p.Keys {
		if p.Keys[i].Name == name {
			return &p.Keys[i]
		}
	}
	return nil
}

// Names lists the keys, in canonical order.
func (p *Place) Names() []string { return ir.Each(p.Keys, func(k Key) string { return k.Name }) }

// Value is the place of the value of a key. What the language does not know is data.
func (p *Place) Value(key string) *Place {
	if k := p.Key(key); k != nil {
		return k.Value
	}
	if p.Each != nil {
		return p.Each
	}
	return Data()
}

// Takes reports whether a kind of scalar may stand here.
func (p *Place) Takes(s Scalar) bool { return slices.Contains(p.Scalars, s) }

// IsExtension reports whether a key is one of the author's own, which may stand in any mapping that has Keys.
func IsExtension(key string) bool { return strings.HasPrefix(key, "x-") }
