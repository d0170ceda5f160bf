package templates

import (
	"cmp"
	"go/doc"
	"path"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// The names that generated code has for itself, in addition to those that reserved lists for the package. What is not exported needs no
// entry where it ends in a suffix of names.hiddenName: no exported name becomes one of these.
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

// reservedNames returns the exported names that files declare whatever the schema calls its own, so that a schema cannot use them. They do not depend
// on the side that is generated.
var reservedNames = []func(*ir.Document) []string{namesOfTypes, namesOfErrors, namesOfMethods, namesOfTools}

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

// streamOf is the type that a handler sends the items of a stream with.
const streamOf = "Stream"

// opensStream is what leads the name of the function that opens a stream for callers that need its result.
const opensStream = "Open"

// encodesItem is what leads the name of the function that encodes an item for many streams.
const encodesItem = "Encode"

// lookupName is the function that describes the declared errors.
const lookupName = "LookupError"

// namesOfErrors are reserved where errors have codes.
func namesOfErrors(doc *ir.Document) []string {
	if slices.ContainsFunc(doc.Errors, func(e *ir.Error) bool { return !e.OfTool }) {
		return []string{lookupName}
	}
	return nil
}

// namesOfMethods are reserved in every package that has methods, whichever side calls them; the names of functions that return limits of rates and
// which results are kept where these have something to return.
func namesOfMethods(doc *ir.Document) (names []string) {
	rated, kept := false, false
	for _, m := range doc.Methods {
		rated, kept = rated || m.Rate != nil, kept || m.Keep != nil
	}
	for _, t := range doc.Tools {
		rated, kept = rated || t.Rate != nil, kept || t.Keep != nil
	}
	for _, s := range []sideNames{serverSide, clientSide} {
		if rated {
			names = append(names, s.rates)
		}
		if kept {
			names = append(names, s.keeps)
		}
		if len(doc.Methods) > 0 {
			names = append(names, s.iface, s.unimplemented, s.newHandler, s.client, s.newClient, s.batch)
		}
	}
	return names
}

// namesOfTools are reserved in every package that has an MCP server.
func namesOfTools(doc *ir.Document) []string {
	if doc.Server == nil {
		return nil
	}
	names := []string{"Server", "UnimplementedServer", "NewServer", "Client", "NewClient", "MethodClient", "NewMethodClient", "MethodBatch"}
	if len(doc.Backends) > 0 {
		names = append(names, "Backend", "BackendOptions", "NewBackend")
	}
	return names
}

// namesOfTypes are reserved where emitIdempotent writes its function.
func namesOfTypes(doc *ir.Document) []string {
	if slices.ContainsFunc(doc.Methods, func(m *ir.Method) bool { return m.Idempotent }) {
		return []string{"Idempotent"}
	}
	return nil
}

// What the names of functions end in that say what methods and tools have below x-* keys.
const (
	ofMethod = "OfMethod"
	ofTool   = "OfTool"
)
