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
	c := &checker{
		file:     file,
		doc:      &ir.Document{File: file},
		importer: importer,
		imports:  map[string]*imported{},
		types:    map[string]*declaration{},
		errors:   map[string]*ir.Error{},
		methods:  map[string]*ir.Method{},
		faulty:   map[ir.Type]bool{},
		asBase:   map[*ir.Ref]bool{},
		ofTools:  map[string]*ir.Error{},
	}
	c.document(root)
	faults := c.faults.Sorted()
	if faults.HasErrors() {
		return nil, faults
	}
	return c.doc, faults
}

type checker struct {
	file        string
	doc         *ir.Document
	importer    Importer
	imports     map[string]*imported
	types       map[string]*declaration
	errors      map[string]*ir.Error
	methods     map[string]*ir.Method
	settling    []func() // step 4, in the order of the file
	faulty      map[ir.Type]bool
	asBase      map[*ir.Ref]bool     // the uses of names under extends
	copied      int                  // fields that structs took over from their bases
	ofTools     map[string]*ir.Error // errors that tools declare
	shared      []func()             // resolves what tools say of errors declared elsewhere
	mayComplete bool                 // the fields being lowered are arguments that a server may complete
	serves      bool                 // the file declares an MCP server
	nulls       string               // as written under protocol; empty: not at all
	faults      diag.List
}

// settle puts off what needs the whole model.
func (c *checker) settle(action func()) { c.settling = append(c.settling, action) }

func (c *checker) add(d diag.Diagnostic) { c.faults = append(c.faults, d) }

// report adds an error at a place, with a line that says how to fix it.
func (c *checker) report(code diag.Code, at diag.Span, help, format string, args ...any) {
	c.add(diag.Diagnostic{Code: code, Span: at, Message: fmt.Sprintf(format, args...), Help: help})
}

// point is a position as a span, for places that the model knows only by position.
func point(p diag.Pos, length int) diag.Span { return diag.Span{Pos: p, Len: max(1, length)} }

// broken stands for a type with a fault, so that nothing more is said about it.
func (c *checker) broken(at diag.Pos) ir.Type {
	t := &ir.Any{At: ir.At{Pos: at}}
	c.faulty[t] = true
	return t
}
