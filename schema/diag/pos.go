// Package diag holds what every phase of the compiler needs to talk to the author of a schema: positions, codes, diagnostics and their printing.
//
//test:sequential
package diag

import (
	"cmp"
	"fmt"
)

// Pos is a place in a schema file. Line and Col count from 1; Col counts bytes. The zero Pos is not a place.
type Pos struct {
	File string
	Line int
	Col  int
}

// Valid reports whether p names a place.
func (p Pos) Valid() bool { return p.Line > 0 }

// String formats p as file:line:col.
func (p Pos) String() string {
	if !p.Valid() {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Span is a run of bytes on one line, from its Pos on.
type Span struct {
	Pos
	Len int
}

// Compare orders positions by file, line and column.
func (p Pos) Compare(o Pos) int {
	return cmp.Or(cmp.Compare(p.File, o.File), cmp.Compare(p.Line, o.Line), cmp.Compare(p.Col, o.Col))
}
