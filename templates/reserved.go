package templates

import (
	"cmp"
	"go/doc"
	"path"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
)

// The names that generated code has for itself, in addition to those that artefact.reserved lists for the package. What is not exported needs no
// entry where it ends in a suffix of names.hidden: no exported name becomes one of these.
var (
	// methodsOfTypes are the methods that generated structs have, which no field may be called.
	methodsOfTypes = map[string]bool{
		"AppendJSON": true, "DecodeJSON": true, "MarshalJSON": true, "UnmarshalJSON": true,
		"WalkJSON": true, "CheckRules": true, "LogValue": true,
	}

	// methodsOfErrors are those that generated errors have on top.
	methodsOfErrors = map[string]bool{"Error": true, "RPCError": true, "ToolError": true, "AppendData": true}

	// methodsOfStubs are those that clients and batches have in addition to the methods of the schema, where there are batches.
	methodsOfStubs = map[string]string{"Batch": "client", "Send": "batch"}

	// lowerCase are the functions, types, parameters and variables whose names could be that of a package, and hide it.
	lowerCase = strings.Fields(`a args at b batch c call client code condition conn content ctx d declarations declared e err f form h handler id in
		info limiter m mcp method n none o ok out p params q r result server start tag task text token v values vs w x`)
)

// importNames says how the packages are called that the author chose. One that is called as something in generated code gets another name there.
func (n *names) importNames(f *jen.File) {
	for _, imp := range n.doc.Imports {
		if imp.Doc != nil {
			importName(f, imp.GoPath, imp.Doc.Package)
		}
	}
	for path := range n.bindings { // called as the path ends
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

// The names that a package with progress declares, where X is the name of the notification: WithX, XFrom and XReporter.
const (
	withReports   = "With"
	reporterFrom  = "From"
	reporterOfAny = "Reporter"
)
