package lsp

import (
	"github.com/rpcgen-go/rpcgen/schema/grammar"
)

// naming is what the words of a place name.
type naming uint8

// What words may name.
const (
	nothing    naming = iota
	typeNames         // types of the file, and of imports as alias.Type
	errorNames        // errors of the file
)

// names is what a value at the place of c names.
func (c cursor) names() naming {
	if !c.value {
		return nothing
	}
	return namesAt(c.path, c.place())
}

// namesAt is what a value at a place names. Names of types are part of a type expression; those of errors are listed by a method.
func namesAt(path []step, p *grammar.Place) naming {
	switch {
	case p.Takes(grammar.Expression):
		return typeNames
	case len(path) >= 3 && path[2].key == "errors" && (path[0].key == "methods"):
		return errorNames
	}
	return nothing
}

// namesDeclaration reports whether c is on the name of a declaration, where it is declared or where it is used.
func (c cursor) namesDeclaration() bool {
	if c.names() != nothing {
		return true
	}
	if !c.key || len(c.path) != 1 {
		return false
	}
	section := grammar.Document().Key(c.path[0].key)
	return section != nil && section.Section
}
