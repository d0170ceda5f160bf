// Package ir is the checked model of a schema: what the emitters, the exporters and the differ read.
//
// A [Document] is complete and consistent when the checker hands it over: every reference is resolved, every base is flattened into the struct that extends
// it, every union has a decision, every limit is sane, every default fits its type. Order is the author's throughout, so there are no maps. Names are the
// author's too: what a thing is called in Go is decided once, by package templates, and only an author's own override (`go:`) is carried here.
//
// Everything carries the position that it was declared at and its documentation.
//
// Types, rules and decisions are handed out as pointers: switch on *[Struct], *[Length], *[ByProperty].
//
//test:by ./schema
//test:sequential
package ir
