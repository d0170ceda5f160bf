// Package lint finds what compiles and had better be otherwise: what grows without bounds, what breaks the next version, what
// readers cannot understand without asking its author.
//
// Every rule is a constant with an entry in [Rules]; a file holds the rules of one concern, and [Rules] lists the files. A rule
// reads the checked model and reports findings, each at a path of the schema, by which lint.ignore names it.
//
//test:sequential
package lint
