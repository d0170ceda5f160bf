// Package typecheck generates the code of a schema in memory and checks its types, so that a schema that becomes no Go is refused before
// its author meets it.
//
//test:sequential
package typecheck

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/templates"
)

// mostText is the size of code, in bytes, above which types are not checked: checking takes 25 times that in memory.
const mostText = 32 << 20

// Result says what was generated and how far its types are known.
type Result struct {
	Files  int
	Lines  int
	Reason string // why the types are not checked, or not against the imported packages; empty if they are, against all of them
}

// Check generates the code of doc and checks its types. The diagnostics say what has no name in Go, or which declaration of the schema
// becomes Go that does not compile. Imported packages are found by packages; what it does not find, or all of them when it is nil, is taken
// to have whatever the code asks of it.
func Check(doc *ir.Document, packages Packages) (Result, diag.List) {
	files, diags, err := templates.Generate(doc, templates.Options{})
	switch {
	case err != nil:
		return Result{}, diag.List{fault(doc, diag.Pos{}, err.Error())}
	case diags.HasErrors():
		return Result{}, diags
	}
	result, size := Result{Files: len(files)}, 0
	for _, f := range files {
		result.Lines += strings.Count(string(f.Text), "\n")
		size += len(f.Text)
	}
	if size > mostText {
		result.Reason = fmt.Sprintf("the types of more than %d MiB of code are not checked", mostText>>20)
		return result, nil
	}
	c := &checkedCode{doc: doc, set: token.NewFileSet()}
	if c.parse(files); len(c.faults) == 0 {
		c.check(packages)
	}
	result.Reason = c.reason
	return result, c.faults
}

// checkedCode is the code of one document.
type checkedCode struct {
	doc    *ir.Document
	set    *token.FileSet
	files  []*ast.File
	parts  []templates.Part
	faults diag.List
	reason string // why not all imported packages are known
}

func (c *checkedCode) parse(files []templates.File) {
	for _, f := range files {
		parsed, err := parser.ParseFile(c.set, f.Name, f.Text, parser.SkipObjectResolution)
		if err != nil {
			c.faults = append(c.faults, fault(c.doc, diag.Pos{}, err.Error()))
			continue
		}
		c.files = append(c.files, parsed)
	}
}

// check checks types.
func (c *checkedCode) check(packages Packages) {
	var found types.Importer = noPackages{}
	c.reason = "imported packages are not looked at"
	if packages != nil {
		found, c.reason = packages.find(c.imports())
	}
	config := types.Config{Importer: found, Error: c.take}
	config.Check(c.doc.Package, c.set, c.files, nil) // what it returns is the first of the errors that c.found takes
}

// imports lists the paths that the files import.
func (c *checkedCode) imports() []string {
	var all []string
	for _, f := range c.files {
		for _, spec := range f.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil && !slices.Contains(all, path) {
				all = append(all, path)
			}
		}
	}
	slices.Sort(all)
	return all
}

// take takes an error of the type checker. What begins with a tab belongs to the one before it.
func (c *checkedCode) take(err error) {
	var e types.Error
	if !errors.As(err, &e) || strings.HasPrefix(e.Msg, "\t") || c.unknown(e.Msg) || len(c.faults) >= diag.Most {
		return
	}
	if c.parts == nil {
		c.parts = templates.Parts(c.doc)
	}
	at := c.set.Position(e.Pos)
	part := templates.PartOf(c.declaration(e.Pos), c.parts)
	c.faults = append(c.faults, fault(c.doc, part.Pos, fmt.Sprintf("%s: %s", at, e.Msg)))
}

// unknown reports whether a message may follow from a package that is not found: that of its import, that of a function which ends with the panic of a
// value from there, and that of another import which is used only as the argument of a type from there. Other uses of such a package are taken as they are.
func (c *checkedCode) unknown(message string) bool {
	return c.reason != "" && (strings.HasPrefix(message, "could not import ") || message == "missing return" ||
		strings.HasSuffix(message, " imported and not used"))
}

// declaration is the name of the function, led by its receiver, or of the first name of the declaration at a position.
func (c *checkedCode) declaration(at token.Pos) string {
	for _, f := range c.files {
		for _, d := range f.Decls {
			if at < d.Pos() || at >= d.End() {
				continue
			}
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					return types.ExprString(d.Recv.List[0].Type) + "." + d.Name.Name
				}
				return d.Name.Name
			case *ast.GenDecl:
				return nameAt(d, at)
			}
		}
	}
	return ""
}

func nameAt(d *ast.GenDecl, at token.Pos) string {
	for _, s := range d.Specs {
		if at < s.Pos() || at >= s.End() {
			continue
		}
		switch s := s.(type) {
		case *ast.TypeSpec:
			return s.Name.Name
		case *ast.ValueSpec:
			return s.Names[0].Name
		}
	}
	return ""
}

// fault is a fault of rpcgen itself, at the declaration that shows it.
func fault(doc *ir.Document, at diag.Pos, message string) diag.Diagnostic {
	if !at.Valid() {
		at = diag.Pos{File: doc.File, Line: 1, Col: 1}
	}
	return diag.Diagnostic{Span: diag.Span{Pos: at, Len: 1}, Message: "this becomes Go that does not compile: " + message,
		Help: "where the schema binds no Go type of its own, this is a fault of rpcgen: report it with the schema"}
}

// noPackages finds no package.
type noPackages struct{}

// Import implements types.Importer.
func (noPackages) Import(path string) (*types.Package, error) {
	return nil, fmt.Errorf("%s is not looked at", path)
}
