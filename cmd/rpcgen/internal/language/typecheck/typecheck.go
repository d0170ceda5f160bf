// Package typecheck generates the code of a schema in memory and checks its types, so that a schema that becomes no Go is refused before
// its author meets it.
//
//test:sequential
package typecheck

import (
	"bytes"
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

// mostText is the size of code, in bytes, above which types are not checked, for a schema of so many bytes.
func mostText(size int) int { return min(4<<20+8*size, 32<<20) }

// Result says what was generated and how far its types are known.
type Result struct {
	Files  int
	Lines  int
	Reason string // why the types are not checked, or not against the imported packages; empty if they are, against all of them
}

// Check generates the code of doc and checks its types. The diagnostics say what has no name in Go, or which declaration of the schema
// becomes Go that does not compile. Imported packages are found by packages; what it does not find, or all of them when it is nil, is taken
// to have whatever the code asks of it. How much code is checked follows from the size of the schema, in bytes.
func Check(doc *ir.Document, size int, packages Packages) (Result, diag.List) {
	files, diags, err := templates.Generate(doc, templates.Options{Draft: true})
	switch {
	case err != nil:
		return Result{}, diag.List{fault(doc, diag.Pos{}, err.Error())}
	case diags.HasErrors():
		return Result{}, diags
	}
	result, code, most := Result{}, 0, mostText(size)
	for _, f := range files {
		result.Files += 1 - min(f.Head, 1)
		result.Lines += linesOf(f.Text[f.Head:]) + min(f.Head, 1) // an empty line between two parts
		code += len(f.Text) - f.Head
	}
	if code > most {
		result.Reason = fmt.Sprintf("the types of more than %d MiB of code are not checked", most>>20)
		return result, nil
	}
	c := &checkedCode{doc: doc, set: token.NewFileSet()}
	if c.declare(files); len(c.faults) == 0 {
		c.check(packages, files)
	}
	result.Reason = c.reason
	return result, c.faults
}

// linesOf is how many lines code has when it is laid out: with one empty line where there are several, and none where a block begins or ends.
func linesOf(text []byte) (n int) {
	last, empty := []byte("{"), false
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			empty = true
			continue
		}
		if n++; empty && !bytes.ContainsAny(last[len(last)-1:], "{(") && !bytes.ContainsAny(line[:1], "})") {
			n++
		}
		if last, empty = line, false; bytes.HasSuffix(line, []byte(" {}")) && len(line) > 104 && bytes.HasPrefix(line, []byte("func ")) {
			n++ // the brace stands on a line of its own after 101 characters
		}
	}
	return n
}

// checkedCode is the code of one document. It is checked as a package without the bodies of functions, and then these, a part of a file at a time: with what is
// known of it, code takes 25 times the memory of its text.
type checkedCode struct {
	doc    *ir.Document
	set    *token.FileSet
	files  []*ast.File // that are being checked
	parts  []templates.Part
	faults diag.List
	reason string // why not all imported packages are known
}

// declare parses files, without the bodies of functions.
func (c *checkedCode) declare(files []templates.File) {
	for _, f := range files {
		if parsed := c.parse(f); parsed != nil {
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					f.Body = nil
				}
			}
			c.files = append(c.files, parsed)
		}
	}
}

// parse parses a part of a file; nil if it is faulty.
func (c *checkedCode) parse(f templates.File) *ast.File {
	parsed, err := parser.ParseFile(c.set, f.Name, f.Text, parser.SkipObjectResolution)
	if err != nil {
		c.faults = append(c.faults, fault(c.doc, diag.Pos{}, err.Error()))
		return nil
	}
	return parsed
}

// check checks types. What is not found are imports without use, which the writer of the code leaves out, and initial values of variables that depend on
// themselves through functions: those of generated code call none.
func (c *checkedCode) check(packages Packages, files []templates.File) {
	var found types.Importer = noPackages{}
	c.reason = "imported packages are not looked at"
	if packages != nil {
		found, c.reason = packages.find(c.imports())
	}
	config := &types.Config{Importer: found, Error: c.take, DisableUnusedImportCheck: true}
	whole, _ := config.Check(c.doc.Package, c.set, c.files, nil) // the error is the first of those that c.take takes

	for _, f := range files { // each is in a package of its own with the same path, which has what it mentions, and its functions have no names
		part, pkg := c.parse(f), types.NewPackage(whole.Path(), whole.Name())
		bare := &ast.File{Package: part.Package, Name: part.Name}
		for _, d := range part.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				bare.Decls = append(bare.Decls, &ast.FuncDecl{Recv: f.Recv, Name: &ast.Ident{NamePos: f.Name.NamePos, Name: "_"}, Type: f.Type, Body: f.Body})
			} else if d.(*ast.GenDecl).Tok == token.IMPORT {
				bare.Decls = append(bare.Decls, d)
			}
		}
		ast.Inspect(bare, func(n ast.Node) bool {
			if is, ok := n.(*ast.Ident); ok && whole.Scope().Lookup(is.Name) != nil {
				pkg.Scope().Insert(whole.Scope().Lookup(is.Name))
			}
			return true
		})
		c.files = []*ast.File{part}
		types.NewChecker(config, c.set, pkg, nil).Files([]*ast.File{bare})
		c.set.RemoveFile(c.set.File(part.FileStart))
	}
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
	if !errors.As(err, &e) || strings.HasPrefix(e.Msg, "\t") || c.unknown(e.Msg) || c.ofItself(e.Msg) || len(c.faults) >= diag.Most {
		return
	}
	if c.parts == nil {
		c.parts = templates.Parts(c.doc)
	}
	part := templates.PartOf(c.declaration(e.Pos), c.parts)
	c.faults = append(c.faults, fault(c.doc, part.Pos, fmt.Sprintf("%s: %s", c.set.Position(e.Pos).Filename, e.Msg)))
}

// ofItself reports whether a message is about the package as if it were another one, which it is where functions are checked.
func (c *checkedCode) ofItself(message string) bool {
	return strings.HasPrefix(message, "cannot define new methods on non-local type ") ||
		strings.HasPrefix(message, "implicit assignment to unexported field ") && strings.Contains(message, " of type "+c.doc.Package+".")
}

// unknown reports whether a message may follow from a package that is not found: that of its import, and that of a function which ends with the panic
// of a value from there. Other uses of such a package are taken as they are.
func (c *checkedCode) unknown(message string) bool {
	return c.reason != "" && (strings.HasPrefix(message, "could not import ") || message == "missing return")
}

// declaration is the name of the function, led by its receiver, or of the first name of the declaration at a position.
func (c *checkedCode) declaration(at token.Pos) (name string) {
	for _, f := range c.files {
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil || at < n.Pos() || at >= n.End() {
				return false
			}
			switch d := n.(type) {
			case *ast.FuncDecl:
				if name = d.Name.Name; d.Recv != nil {
					name = types.ExprString(d.Recv.List[0].Type) + "." + name
				}
			case *ast.TypeSpec:
				name = d.Name.Name
			case *ast.ValueSpec:
				name = d.Names[0].Name
			}
			return name == ""
		})
	}
	return name
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
