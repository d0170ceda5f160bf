package templates

import (
	"cmp"
	"go/doc"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// The names that generated code has for itself, in addition to those that artefact.reserved lists for the package. What is not exported needs no
// entry where it ends in a suffix of plan.hidden: no exported name becomes one of these.
var (
	// methodsOfTypes are the methods that generated structs have, which no field may be called.
	methodsOfTypes = map[string]bool{
		"AppendJSON": true, "DecodeJSON": true, "MarshalJSON": true, "UnmarshalJSON": true,
		"WalkJSON": true, "CheckRules": true, "Validate": true, "LogValue": true,
	}

	// methodsOfErrors are those that generated errors have on top.
	methodsOfErrors = map[string]bool{"Error": true, "RPCError": true, "ToolError": true, "AppendData": true}

	// methodsOfStubs are those that clients and batches have in addition to the methods of the schema, where there are batches.
	methodsOfStubs = map[string]string{"Batch": "client", "Send": "batch"}

	// lowerCase are the functions, types, parameters and variables whose names could be that of a package, and hide it.
	lowerCase = strings.Fields(`a args at b batch c call client code condition conn content ctx d declarations declared e err f form h handler id in
		info limiter m mcp method n none o ok out p params q r result server start tag task text token v values vs w x`)
)

// called reports a method whose name is that of a method of the clients that call it, or of their batches.
func (n *naming) called(m *method) {
	of, taken := methodsOfStubs[m.name]
	if !taken || m.Embedded || !n.doc.Protocol.Batch {
		return
	}
	at := n.at(m.Pos, m.name, "Method", "")
	take := at.take
	at.take = func(name string) bool { return methodsOfStubs[name] == "" && take(name) }
	n.clash(diag.Diagnostic{
		Code: diag.GoNameClash, Span: diag.Span{Pos: m.Pos, Len: len(m.Name)},
		Message: strconv.Quote(m.Name) + " becomes " + m.name + " in Go, which is a method of the generated " + of, Help: "give it another name with go:",
	}, m.name, at)
}

// importNames says how the packages are called that the author chose. One that is called as something in generated code gets another name there.
func (p *plan) importNames(f *jen.File) {
	for _, imp := range p.doc.Imports {
		if imp.Doc != nil {
			importName(f, imp.GoPath, imp.Doc.Package)
		}
	}
	for path := range p.bindings { // called as the path ends
		importName(f, path, "")
	}
}

// importName has a package imported under its name, or under another one where generated code calls something else so. Without a name the
// package is called as its path ends.
func importName(f *jen.File, at, name string) {
	called := cmp.Or(name, strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return -1
	}, strings.ToLower(path.Base(at))))
	switch {
	case slices.Contains(lowerCase, called) || doc.IsPredeclared(called):
		f.ImportAlias(at, called+"pkg")
	case name != "":
		f.ImportName(at, name)
	}
}
