package check

import (
	"fmt"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// Importer gives the documents of other files.
type Importer interface {
	// Import loads the schema at path, as written in the importing file, and the import path of the Go package generated
	// from it. An error says why it cannot; a nil document without an error has faults that are already reported.
	Import(path string) (doc *ir.Document, goPath string, err error)

	// Module loads a module of the language in the same way. An error says that this rpcgen does not have it.
	Module(name string) (doc *ir.Document, goPath string, err error)
}

// Document checks the tree of a file. The document is nil when there are errors.
func Document(file string, root *syntax.Node, importer Importer) (*ir.Document, diag.List) {
	c := newChecker(file, importer)
	c.document(root)
	faults := c.d.faults.Sorted()
	if faults.HasErrors() {
		return nil, faults
	}
	return c.doc, faults
}

// checker checks the whole of a file: what comes before is one value for each phase, which knows only those that it follows.
type checker struct {
	d           *draft
	doc         *ir.Document
	file        string
	names       *names
	types       *typeChecker
	errors      *errorChecker
	methods     *methodChecker
	server      *serverChecker
	containment *containment
	nulls, ids  string // as written under protocol; empty if not at all
}

func newChecker(file string, importer Importer) *checker {
	doc := &ir.Document{File: file}
	d := &draft{reader: &reader{}, faulty: map[ir.Type]bool{}, placed: map[*ir.Place]bool{}}
	names := &names{reader: d.reader, doc: doc, importer: importer, imports: map[string]*importEntry{}, types: map[string]*declaration{}}
	unions := &decider{d}
	types := &typeChecker{
		d: d, doc: doc, names: names, unions: unions,
		refs:  &resolver{d: d, names: names, unions: unions, asBase: map[*ir.Ref]bool{}},
		rules: &ruleChecker{d}, values: &valueChecker{d},
	}
	errors := &errorChecker{d: d, doc: doc, names: names, types: types, byName: map[string]*ir.Error{}, ofTools: map[string]*ir.Error{}}
	return &checker{
		d: d, doc: doc, file: file, names: names, types: types, errors: errors,
		methods:     &methodChecker{d: d, doc: doc, types: types, errors: errors, byName: map[string]*ir.Method{}},
		server:      &serverChecker{d: d, doc: doc, types: types, errors: errors},
		containment: &containment{d.reader, doc},
	}
}

// draft is what all phases add to: the faults, which types stand for one, and what waits for the whole model.
type draft struct {
	*reader
	settling []func() // the fourth phase, in the order of the file
	faulty   map[ir.Type]bool
	places   []*ir.Place        // of fields, as written
	placed   map[*ir.Place]bool // those that a tool uses
}

// settle puts off what needs the whole model.
func (c *draft) settle(action func()) { c.settling = append(c.settling, action) }

func (c *reader) add(d diag.Diagnostic) { c.faults = append(c.faults, d) }

// report adds an error at a place, with a line that says how to fix it.
func (c *reader) report(code diag.Code, at diag.Span, help, format string, args ...any) {
	c.add(diag.Diagnostic{Code: code, Span: at, Message: fmt.Sprintf(format, args...), Help: help})
}

// collide adds an error at a place that another one stands in the way of; said is what is said of the other one.
func (c *reader) collide(code diag.Code, at diag.Span, help, message string, other diag.Span, said string) {
	c.add(diag.Diagnostic{Code: code, Span: at, Message: message, Help: help, Related: []diag.Related{{Span: other, Message: said}}})
}

// point is a position as a span, for places that the model knows only by position.
func point(p diag.Pos, length int) diag.Span { return diag.Span{Pos: p, Len: max(1, length)} }

// brokenType stands for a type with a fault, so that nothing more is said about it.
func (c *draft) brokenType(at diag.Pos) ir.Type {
	t := &ir.Any{At: ir.At{Pos: at}}
	c.faulty[t] = true
	return t
}
