// Package openapi imports descriptions of HTTP APIs in the format of OpenAPI, revisions 2.0 (Swagger), 3.0 and 3.1: operations that are taken become
// tools with the words http and backends, and the schemas that they reach become types.
//
// A description is read in three steps. [Read] lists its operations, takes those that are asked for and writes what they reach as JSON Schemas of
// draft 2020-12 in one inner document, each component once for each role: given by callers, or answered. [Import] makes a draft of that document.
//
//test:sequential
package openapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Options say what of a description is imported, and how. The zero Options take all operations of a small description.
type Options struct {
	// These are noted in the schema, for the next import.
	FullText   bool   `yaml:"fullText,omitempty"`   // keep descriptions up to 2,048 characters instead of their first sentence
	NoPages    bool   `yaml:"noPages,omitempty"`    // leave parameters for pages as they are
	NoBounds   bool   `yaml:"noBounds,omitempty"`   // add no bounds to lists and texts of inputs
	Strict     bool   `yaml:"strict,omitempty"`     // types of answers say all that the description says of them
	Choose     bool   `yaml:"choose,omitempty"`     // callers choose among the members of large answers
	Depth      int    `yaml:"depth,omitempty"`      // how many objects within an answer's are followed; the default is 1
	NameLength int    `yaml:"nameLength,omitempty"` // of names of tools, in bytes; the default is 47
	Server     string `yaml:"server,omitempty"`     // the URL of the API; empty for what the description says
	// credentials that the description does not declare, NAME=bearer, NAME=basic, NAME=header:X, NAME=query:X or NAME=cookie:X
	Schemes []string `yaml:"schemes,omitempty"`
	Keep    []string `yaml:"keep,omitempty"` // OPERATION: PATH, ... names the members that the input of an operation has

	Take     []string `yaml:"-"` // patterns of operations that are taken: an operationId, tag:NAME or METHOD PATH, with * and **
	Leave    []string `yaml:"-"` // patterns of operations that are left out; they count more than Take
	All      bool     `yaml:"-"` // take all operations, however many
	Most     int      `yaml:"-"` // how many operations are taken at most; the default is 40
	ReadOnly bool     `yaml:"-"` // take only operations that read
	Name     string   `yaml:"-"` // of the MCP server, where the host of the API gives it none; the default is that of the source
	New      bool     `yaml:"-"` // take parameters and members that operations have gained since they were imported
	Prune    bool     `yaml:"-"` // remove tools whose operations are gone
	Given    []string `yaml:"-"` // flags that the command line has, which count more than what the last import went by
	Derived  bool     `yaml:"-"` // package protobuf wrote the description
}

const (
	mostTaken     = 40
	longestName   = 47
	answerDepth   = 1
	largestInput  = 32 << 10 // of JSON Schema, in bytes, with the definitions that it reaches
	deepestInput  = 10       // objects and lists within each other
	mostOperation = 100_000
)

// What package protobuf says of an operation. The author of a description cannot say it: [Options.Derived].
const (
	Unbuilt = "x-unbuilt"    // why it cannot become a tool
	Reads   = "x-reads"      // whether it only reads, whatever its method
	Repeats = "x-idempotent" // whether it may be sent again, whatever its method
)

// Plan is what is taken of a description: the inner document, and the tools that are made of it.
type Plan struct {
	Whole *source.Whole // the inner document: $defs, and the schemas of tools under tools
	Tools []*Tool
	Head  *yaml.Node // what the schema says before its declarations: server, backends, x-import
	Said  report.Operations
	types []namedType
	left  source.Faults // of operations that are left out
}

// Tool is an operation that is taken.
type Tool struct {
	Name        string
	Title       string
	Description string
	Hints       *yaml.Node
	HTTP        *yaml.Node            // the request
	Places      map[string]*yaml.Node // where fields of the input stand in the request, if the rule does not say it
	Read        map[string]*yaml.Node // where fields of the output stand in the answer
	View        *yaml.Node
	Note        *yaml.Node // x-import
	Operation   source.Cursor
	label       string // of the operation
	HasInput    bool
	HasOutput   bool
	failures    []*failure
	former      *formerTool // the one of the file; nil if it is new
}

// Is reports whether a source is a description of an HTTP API, of any revision, with operations.
func Is(root source.Cursor) bool {
	paths, _ := root.Get("paths")
	return len(paths.Fields) > 0 && (root.Has("openapi") || root.Has("swagger"))
}

// IsEmpty reports whether a source is such a description without operations.
func IsEmpty(root source.Cursor) bool {
	return !Is(root) && (root.Has("openapi") || root.Has("swagger"))
}

// description is a description with what its revision says of where things stand.
type description struct {
	files  *source.Files
	root   source.Part
	two    bool // revision 2.0
	old    bool // of revision 2.0 or 3.0, in which nothing next to $ref counts, and nullable says null
	ours   bool // package protobuf wrote it
	faults source.Faults
}

// revision reads which revision a description follows.
func (d *description) revision() *source.Fault {
	at, ok := d.root.Get("openapi")
	if !ok {
		at, _ = d.root.Get("swagger")
	}
	d.two = at.Text == "2.0"
	d.old = d.two || strings.HasPrefix(at.Text, "3.0")
	if d.old && (d.two != ok) || ok && (strings.HasPrefix(at.Text, "3.1") || strings.HasPrefix(at.Text, "3.2")) {
		return nil
	}
	return &source.Fault{Pos: at.Pos, Pointer: at.Pointer, Message: fmt.Sprintf("revision %s of OpenAPI is not known", source.Quote(at.Text)),
		Help: "descriptions say swagger: \"2.0\", openapi: 3.0.x or openapi: 3.1.x"}
}

// Read reads a description and takes operations of it. Before is the schema of an earlier import; nil if there is none. The error is [source.Faults].
func Read(from source.Source, root ir.Value, folder source.Folder, o Options, before *Before) (*Plan, error) {
	o = before.restoreOptions(o)
	o.Most, o.NameLength, o.Depth = cmp.Or(o.Most, mostTaken), cmp.Or(o.NameLength, longestName), cmp.Or(o.Depth, answerDepth)
	files := source.OpenFiles(from.Name, root, folder)
	d := &description{files: files, root: files.Root(), ours: o.Derived}
	if fault := d.revision(); fault != nil {
		return nil, source.Faults{fault}
	}
	all := d.operations()
	if err := d.faults.Err(); err != nil {
		return nil, err
	}
	l := newLowering(d, from, o, before)
	l.said.Notes = before.follow(all)
	taken, deprecated, err := choose(d, all, o, before)
	if err != nil {
		return nil, err
	}
	l.said.Deprecated = deprecated
	for _, op := range all {
		if !slices.Contains(taken, op) {
			l.said.Others = append(l.said.Others, op.label())
		}
	}
	return l.plan(all, taken)
}

// resolve follows the references of a value that is not a schema: a parameter, a body, an answer, a path.
func (d *description) resolve(p source.Part) (source.Part, *source.Fault) {
	at := p
	for range source.Deepest {
		if !p.Has("$ref") {
			return p, nil
		}
		next, fault := d.files.Follow(p)
		if fault != nil {
			return p, fault
		}
		p = next
	}
	return p, &source.Fault{Pos: at.Pos, Pointer: at.Pointer, Message: "the reference goes in a circle"}
}
