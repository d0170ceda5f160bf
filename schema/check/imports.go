package check

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// importEntry is an entry of `import`.
type importEntry struct {
	entry *ir.Import
	key   *syntax.Node
	used  bool
}

// importKey loads the imported files. goKey is the file's `go`, which may say where their generated packages are.
func (c *names) importKey(e syntax.Entry, goKey *syntax.Node) {
	if !c.mapping(e, "write alias: path/to/other.rpc.yaml") {
		return
	}
	for _, e := range e.Value.Entries {
		c.importFile(e)
	}
	if goKey != nil && goKey.Kind == syntax.Mapping && goKey.Get("import") != nil {
		c.goImports(*goKey.Entry("import"))
	}
	c.modulePaths()
}

// modulePaths checks the import paths that were taken from a go.mod, which may say anything.
func (c *names) modulePaths() {
	for _, i := range c.doc.Imports {
		if used := c.imports[i.Alias]; used != nil && i.GoPath != "" && !validImportPath(i.GoPath) {
			c.report(diag.InvalidGoName, used.key.Span, "correct the go.mod there, or name the package under go.import",
				"the package of %s would have the import path %q, which Go does not take", quote(i.Alias), i.GoPath)
		}
	}
}

func (c *names) importFile(e syntax.Entry) {
	i := &ir.Import{Pos: e.Key.Span.Pos, Alias: e.Key.Text, Path: c.text(e)}
	if i.Path == "" {
		return
	}
	if !declarationName().MatchString(i.Alias) {
		c.report(diag.InvalidName, e.Key.Span, "use letters, digits and _, beginning with a letter", "%q cannot name an import", i.Alias)
		return
	}
	if c.imports[i.Alias] != nil {
		c.report(diag.InvalidName, e.Key.Span, "choose another alias", "%q is the name of a module that this file uses", i.Alias)
		return
	}
	doc, goPath, err := c.importer.Import(i.Path)
	if err != nil {
		c.add(importFault(e, err))
	}
	i.Doc, i.GoPath = doc, goPath
	c.imports[i.Alias] = &importEntry{entry: i, key: e.Key}
	c.doc.Imports = append(c.doc.Imports, i)
}

// Cycle is the error of an [Importer] for a file that is being loaded already.
type Cycle struct{ Files string } // such as "a.rpc.yaml -> b.rpc.yaml -> a.rpc.yaml"

// Error prints the cycle.
func (c *Cycle) Error() string { return "import cycle: " + c.Files }

func importFault(e syntax.Entry, err error) diag.Diagnostic {
	d := diag.Diagnostic{Code: diag.FileUnreadable, Span: e.Value.Span, Message: err.Error(), Help: "paths are relative to this file"}
	if _, ok := err.(*Cycle); ok {
		d.Code, d.Help = diag.ImportCycle, "move what both files need into a third"
	}
	return d
}

func (c *names) goImports(e syntax.Entry) {
	for _, e := range c.entries(e, "write alias: import/path") {
		i, ok := c.imports[e.Key.Text]
		if !ok {
			c.report(diag.UnknownAlias, e.Key.Span, diag.DidYouMean(e.Key.Text, c.aliases()), "%q is not imported", e.Key.Text)
			continue
		}
		i.entry.GoPath = c.importPath(e)
	}
}

// importPath is the import path of a Go package; a wrong one is reported and empty.
func (c *reader) importPath(e syntax.Entry) string {
	p := c.text(e)
	if p == "" || validImportPath(p) {
		return p
	}
	c.report(diag.InvalidGoName, e.Value.Span, "write a path such as net/url or example.com/module/package",
		"%q is not an import path of a Go package that can be used here", p)
	return ""
}

// validImportPath reports whether p is an import path in the words of the go command: elements of ASCII letters, digits and a few signs. Neither
// cgo nor unsafe is for a schema to ask for.
func validImportPath(p string) bool {
	return importForm().MatchString(p) && p != "C" && p != "unsafe" && !slices.Contains(strings.Split(p, "/"), "..")
}

var importForm = text.Pattern(`^[A-Za-z0-9_][A-Za-z0-9._~+-]*(/[A-Za-z0-9._~+-]+)*$`)

func (c *names) aliases() []string {
	return ir.Each(c.doc.Imports, func(i *ir.Import) string { return i.Alias })
}

func (c *names) unusedImports() {
	for _, i := range c.doc.Imports {
		if used := c.imports[i.Alias]; !used.used && i.Doc != nil && !i.Builtin {
			c.add(diag.Diagnostic{Code: diag.UnusedImport, Severity: diag.Warning, Span: used.key.Span,
				Message: "nothing uses the import " + quote(i.Alias), Help: "remove it"})
		}
	}
}
