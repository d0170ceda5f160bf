// Package importer makes schemas of the language out of what others publish: JSON Schema definitions, with the methods of a
// protocol among them when they are laid out as MCP's are; OpenRPC documents; meta models of LSP; and the answer of an MCP server to tools/list.
//
// An import has seven steps:
//
//	source    JSON or YAML text to values with positions, members in order; what it refers to in other files becomes definitions of it
//	convert   definitions, methods, errors and tools to YAML, by the position of each schema and never by the name of a key
//	fix       the result is compiled; what does not compile becomes any, unions that cannot be told apart are kept raw
//	overlay   the author's own facts are merged over it
//	keep      what the source has changed since it was imported last is merged into the file that is there; what a person wrote stays
//	name      what would have the Go name of something else gets one of its own
//	generate  the code of the result is generated and checked, so that what is imported can be used
//
//test:sequential
package importer

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/merge"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Types of an import that are declared where they are made.
type (
	// Source is a text with its name.
	Source = source.Source
	// Folder has the files that a source refers to.
	Folder = source.Folder
	// Fault is a fault of a source.
	Fault = source.Fault
	// Faults is the error of an import.
	Faults = source.Faults
	// Report says what became of a source.
	Report = report.Report
	// Generated says what Go the schema becomes.
	Generated = report.Generated
	// Opaque is a schema that the language has no type for.
	Opaque = report.Opaque
	// Dropped is what a person wrote and the import removed.
	Dropped = report.Dropped
)

// Options say what an import goes by besides its source. The zero Options are for the source alone.
type Options struct {
	Tables   []source.Source // further files of the source: tables of methods, such as the meta.json of ACP
	Overlays []source.Source // merged over what is imported, one after the other
	Out      *source.Source  // the schema that is there already
	Last     *source.Source  // the record of what the source said last, which came with that schema; nil if there is none
	Folder   source.Folder   // where the files are that the source refers to

	// Generate generates the code of the schema and checks it. What is wrong with it fails the import. Nil: nothing is generated.
	Generate func(*ir.Document) (report.Generated, diag.List)
}

// Result is an imported schema.
type Result struct {
	Text   []byte // YAML, in canonical form
	Last   []byte // the record of what the source says, for the next import into the same file
	Report *report.Report
}

// importer is one attempt to import a source.
type importer struct {
	conv *convert.Converter
	file        string
	doc         *tree.Document
	over        merge.Overlays
	tables      *methodTable              // nil if none came with the source
	senders     map[string][]string       // who sends a method: client, server
	extended    map[string]bool           // names of types whose bases were found again
	listedAt    map[string]source.Cursor  // tools, resources, prompts and members of a server: by the keys that lead to them in the document, with a slash between
	untyped     map[string]report.Untyped // tools that say nothing of their results, by their names
	mustFlatten []string                  // and of those that mean something else with their bases
	referrers   map[string]int            // how many references lead to a schema, by its pointer; see referredTo
	targets     []source.Cursor           // what they lead to, in the order of the references

	text     []byte       // the document as it was last compiled
	compiled *ir.Document // what it compiled to; nil when it has faults
}

// Import imports a source. The error is [Faults].
func Import(from source.Source, o Options) (*Result, error) {
	root, twice, faults := source.Read(from)
	if len(faults) > 0 {
		return nil, faults
	}
	over, err := merge.ReadOverlays(o.Overlays)
	if err != nil {
		return nil, err
	}
	tables, err := readTables(o.Tables)
	if err != nil {
		return nil, err
	}
	whole := source.Gather(from.Name, root, o.Folder)
	i, err := attempts(from, whole, over, tables)
	if err != nil {
		return nil, whole.Relocate(err)
	}
	result, err := i.finish(o)
	if err != nil {
		return nil, whole.Relocate(err)
	}
	whole.RelocateReport(result.Report)
	for _, pointer := range slices.Concat(twice, whole.Twice) {
		result.Report.Ignore(pointer)
	}
	return result, nil
}

// finish merges the overlay over the document and the result into the file that is there, and compiles and generates it as it is written.
func (i *importer) finish(o Options) (*Result, error) {
	root := i.doc.Root()
	var err error
	if i.conv.Report.OverlayUsed, err = i.over.Apply(root); err != nil {
		return nil, err
	}
	merge.Shorten(root, grammar.Document())
	last := merge.Record(root)
	text, doc, err := merge.Keep(merge.Import{
		File: i.file, Doc: i.doc, Origins: i.conv.Origins, Over: i.over, Report: i.conv.Report, Compiled: i.compiled, Text: i.text, Generate: o.Generate,
	}, root, o.Out, o.Last)
	if err != nil {
		return nil, err
	}
	i.reportUntyped(doc)
	i.conv.Report.SetCounts()
	return &Result{Text: text, Last: last, Report: i.conv.Report}, nil
}

func newImporter(file string, root source.Cursor, decided convert.Decisions) *importer {
	return &importer{
		file:      file,
		doc:       tree.NewDocument(),
		listedAt:  map[string]source.Cursor{},
		untyped:   map[string]report.Untyped{},
		extended:  map[string]bool{},
		conv: convert.New(root, decided, report.New(file)),
	}
}

// convert imports the source by its layout.
func (i *importer) convert() {
	root := i.conv.Resolver.Base
	if root.Kind != ir.Object && root.Kind != ir.Array {
		i.conv.Fault(root, "", "a source must be an object, or a list of tools, not %s", root.Kind)
		return
	}
	if tools, ok := source.ToolsOf(root); ok && !root.Has("openrpc") {
		i.tools(root, tools)
	} else if root.Has("openrpc") {
		i.openRPC(root)
	} else if source.IsMetaModel(root) {
		i.metaModel(root)
	} else {
		i.definitions(root)
	}
	i.unusedTable(root)
	declared := func(section string) int { return len(i.doc.Body[section].At) }
	r := i.conv.Report
	r.Types, r.Methods, r.Notifications = declared("types"), declared("methods"), declared("notifications")
	r.Errors, r.Tools = declared("errors"), declared("tools")
	r.Resources, r.Prompts = declared("resources"), declared("prompts")
	for _, s := range tree.Sections {
		i.few(root, declared(s), s)
	}
}

// few reports a source that becomes more declarations than a section may have.
func (i *importer) few(at source.Cursor, n int, section string) bool {
	if n > grammar.MostDeclared {
		i.conv.Fault(at, "import it in parts", "more than %d %s come of the source", grammar.MostDeclared, section)
		return false
	}
	return true
}
