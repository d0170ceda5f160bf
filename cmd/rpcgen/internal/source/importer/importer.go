// Package importer makes schemas of the language out of what others publish: JSON Schema definitions, with the methods of a
// protocol among them when they are laid out as MCP's are; OpenRPC documents; meta models of LSP; the answer of an MCP server to tools/list; and
// descriptions of HTTP APIs in the format of OpenAPI; and, as such, descriptor sets of Protocol Buffers.
//
// An import has seven steps, with the folders in which they are done:
//
//	source     source: JSON or YAML text to values with positions, members in order; what it refers to in other files becomes definitions of it
//	convert    jsonschema, openapi, openrpc, tools, lsp: one kind of source each to a draft; convert makes types of schemas for all of them, by the position of
//	           each schema and never by the name of a key
//	fix        here: the result is compiled; what does not compile becomes any, unions that cannot be told apart are kept raw
//	overlay    merge: the author's own facts are merged over it
//	keep       merge: what the source has changed since it was imported last is merged into the file that is there; what a person wrote stays
//	name       merge: what would have the Go name of something else gets one of its own
//	generate   merge: the code of the result is generated and checked, so that what is imported can be used
//
// A kind of source that is new is a folder of its own, which fills a [draft.Draft].
//
//test:sequential
package importer

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/jsonschema"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/lsp"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/merge"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/openapi"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/openrpc"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/protobuf"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tools"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
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
	// GoCode says what Go the schema becomes.
	GoCode = report.GoCode
	// APIOptions say what of a description of an HTTP API is imported, and how.
	APIOptions = openapi.Options
	// Opaque is a schema that the language has no type for.
	Opaque = report.Opaque
	// Removal is what a person wrote and the import removed.
	Removal = report.Removal
)

// Options say what an import goes by besides its source. The zero Options are for the source alone.
type Options struct {
	Tables   []source.Source // further files of the source: tables of methods, such as the meta.json of ACP
	Overlays []source.Source // merged over what is imported, one after the other
	Out      *source.Source  // the schema that is there already
	Last     *source.Source  // the record of what the source said last, which came with that schema; nil if there is none
	Folder   source.Folder   // where the files are that the source refers to
	Adopt    bool            // Out stands for what the source said last, without words, if there is no record that can be used
	NoRecord bool            // no record is made of what the source says
	Revision string          // that of the protocol whose definitions the source has; empty if the name of the source says it
	Listed   string          // the file that server.listed of the schema names; empty for none
	API      APIOptions      // what of a description of an HTTP API is imported
	APIOnly  []string        // the flags that were given and mean nothing for other sources

	// Only are the names of what is imported of a list of a server, in addition to those that Last has from an import before this one. Nil: all of them.
	Only []string

	// Generate generates the code of a schema of some bytes and checks it. What is wrong with it fails the import. Nil: nothing is generated.
	Generate func(doc *ir.Document, size int) (report.GoCode, diag.List)
}

// Result is an imported schema.
type Result struct {
	Text   []byte // YAML, in canonical form
	Last   []byte // the record of what the source says, for the next import into the same file; nil without one
	Report *report.Report
}

// ImportText makes the text of a schema of a source alone. The error is [Faults].
func ImportText(file string, content []byte) ([]byte, error) {
	result, err := Import(Source{Name: file, Text: content}, Options{})
	if err != nil {
		return nil, err
	}
	return result.Text, nil
}

// Import imports a source. The error is [Faults].
func Import(from source.Source, o Options) (*Result, error) {
	root, twice, err := read(from)
	if err != nil {
		return nil, err
	}
	over, err := merge.ReadOverlays(o.Overlays)
	if err != nil {
		return nil, err
	}
	tables, err := jsonschema.ReadTables(o.Tables)
	if err != nil {
		return nil, err
	}
	layout, ignored := report.OpenAPI, twice
	if !source.TextOnly && protobuf.IsBinary(from) || protobuf.Is(source.Cursor{Value: root}) {
		layout, ignored = report.Protobuf, protobuf.UnusedPointers(source.Cursor{Value: root})
		if root, err = protobuf.Describe(source.Cursor{Value: root, Index: source.NewIndex()}); err != nil {
			return nil, err
		}
	}
	if openapi.Is(source.Cursor{Value: root}) {
		return importAPI(from, root, layout, over, ignored, o)
	}
	if len(o.APIOnly) > 0 && !openapi.IsEmpty(source.Cursor{Value: root}) {
		return nil, source.Faults{{Pos: diag.Pos{File: from.Name, Line: 1, Col: 1}, Message: strings.Join(o.APIOnly, ", ") +
			" is for descriptions in the format of OpenAPI and for descriptor sets, and this is neither",
			Help: "such descriptions say swagger or openapi, and have operations under paths"}}
	}
	whole := source.Gather(from.Name, root, o.Folder)
	only, err := tools.Choose(from.Name, source.Cursor{Value: whole.Root, Index: source.NewIndex()}, o.Only, o.Last)
	if err != nil {
		return nil, err
	}
	convert := func(a *attempt) {
		a.d.Revision = o.Revision
		a.convert(tables, tools.Options{Only: only, Listed: o.Listed})
	}
	return importSource(from, whole, over, convert, twice, o)
}

// read reads a source, and the pointers of members of examples that are there twice.
func read(from source.Source) (ir.Value, []string, error) {
	if !source.TextOnly && protobuf.IsBinary(from) {
		root, fault := protobuf.Read(from)
		if fault != nil {
			return root, nil, source.Faults{fault}
		}
		return root, nil, nil
	}
	root, twice, faults := source.Read(from)
	return root, twice, faults.Err()
}

// importAPI imports a description of an HTTP API.
func importAPI(from source.Source, root ir.Value, layout report.Layout, over merge.Overlays, ignored []string, o Options) (*Result, error) {
	if len(o.Only) > 0 || o.Listed != "" || len(o.Tables) > 0 {
		return nil, source.Faults{{Pos: diag.Pos{File: from.Name, Line: 1, Col: 1},
			Message: "--only, --exact, --handlers and tables of methods are not for descriptions in the format of OpenAPI",
			Help:    "--take chooses operations, and the generated Backend answers their tools"}}
	}
	before := openapi.ReadBefore(o.Out)
	o.Last = before.Rename(o.Last)
	o.API.Derived, o.API.Given = layout == report.Protobuf, o.APIOnly
	plan, err := openapi.Read(from, root, o.Folder, o.API, before)
	if err != nil {
		return nil, err
	}
	convert := func(a *attempt) {
		openapi.Import(a.d, a.d.Conv.Resolver.Base, plan)
		a.d.Conv.Report.Layout = layout
		a.count()
	}
	return importSource(from, plan.Whole, over, convert, ignored, o)
}

// importSource makes a schema of a source that was read.
func importSource(from source.Source, whole *source.Whole, over merge.Overlays, convert func(*attempt), twice []string, o Options) (*Result, error) {
	a, err := attempts(from, whole, over, convert)
	if err != nil {
		return nil, whole.Relocate(err)
	}
	whole.Root = ir.Value{}
	result, err := a.finish(o)
	if err != nil {
		return nil, whole.Relocate(err)
	}
	whole.RelocateReport(result.Report)
	for _, pointer := range slices.Concat(twice, whole.Ignored) {
		result.Report.Ignore(pointer)
	}
	return result, nil
}

// finish merges the overlay over the document and the result into the file that is there, and compiles and generates it as it is written.
func (a *attempt) finish(o Options) (*Result, error) {
	root := a.d.Doc.Root()
	if o.Revision != "" && tree.Get(root, "protocol") == nil {
		return nil, source.Faults{{Pos: diag.Pos{File: a.d.File, Line: 1, Col: 1}, Message: "--revision is for the definitions of a protocol, and this is none",
			Help: "these have a JSONRPCMessage among their definitions, as MCP's schema.json has"}}
	}
	var err error
	if a.d.Conv.Report.OverlayUsed, err = a.d.Over.Apply(root); err != nil {
		return nil, err
	}
	shorter, called := merge.Shorten(root, grammar.Document()), merge.FollowRoles(o.Last, root, a.d.Conv.Report)
	if shorter || a.compiled == nil || len(a.d.Over) > 0 || o.Last != nil { // the last attempt has compiled something else
		a.text, a.compiled = tree.Encode(root), nil
	}
	var last []byte
	if !o.NoRecord {
		last = merge.Record(a.text)
	}
	for n, at := range a.d.Conv.Origins { // the source, and what was found in it, would stay in memory while code is generated
		a.d.Conv.Origins[n] = source.Cursor{Value: ir.Value{Pos: at.Pos}, Pointer: at.Pointer}
	}
	conv := &convert.Converter{Report: a.d.Conv.Report, Origins: a.d.Conv.Origins}
	a.d = &draft.Draft{File: a.d.File, Doc: a.d.Doc, Over: a.d.Over, Untyped: a.d.Untyped, Conv: conv}
	text, doc, err := merge.Keep(merge.Import{
		File: a.d.File, Doc: a.d.Doc, Origins: a.d.Conv.Origins, Over: a.d.Over, Report: a.d.Conv.Report, Compiled: a.compiled, Text: a.text, Adopt: o.Adopt, Generate: o.Generate,
		Called: called,
	}, root, o.Out, o.Last)
	if err != nil {
		return nil, err
	}
	a.reportUntyped(doc)
	a.d.Conv.Report.SetCounts()
	return &Result{Text: text, Last: last, Report: a.d.Conv.Report}, nil
}

// convert imports the source by its layout.
func (a *attempt) convert(tables *jsonschema.MethodTable, list tools.Options) {
	root := a.d.Conv.Resolver.Base
	if root.Kind != ir.Object && root.Kind != ir.Array {
		a.d.Conv.Fault(root, "", "a source must be an object, or a list of tools, not %s", root.Kind)
		return
	}
	if all, ok := source.ToolsOf(root); ok && !root.Has("openrpc") {
		tools.Import(a.d, root, all, list)
	} else if root.Has("openrpc") {
		openrpc.Import(a.d, root)
	} else if source.IsMetaModel(root) {
		lsp.Import(a.d, root)
	} else {
		jsonschema.Import(a.d, root, tables)
	}
	jsonschema.UnusedTable(a.d, root, tables)
	a.count()
}

// count counts what was declared.
func (a *attempt) count() {
	root := a.d.Conv.Resolver.Base
	declared := func(section string) int { return len(a.d.Doc.Body[section].At) }
	r := a.d.Conv.Report
	r.Types, r.Methods, r.Notifications = declared("types"), declared("methods"), declared("notifications")
	r.Errors, r.Tools = declared("errors"), declared("tools")
	r.Resources, r.Prompts = declared("resources"), declared("prompts")
	for _, s := range tree.Sections {
		a.d.Few(root, declared(s), s)
	}
}
