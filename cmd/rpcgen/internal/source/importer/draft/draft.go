// Package draft is the form between a source of any kind and the schema that is made of it: declarations with what they were made of, and the names of types.
//
//test:by ./cmd/rpcgen/internal/source/importer
package draft

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/merge"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"gopkg.in/yaml.v3"
)

// Draft is a schema that is being made of a source.
type Draft struct {
	Conv        *convert.Converter
	File        string
	Revision    string // of the protocol, if it was said apart from the source
	Doc         *tree.Document
	Over        merge.Overlays
	Extended    map[string]bool               // names of types whose bases were found again
	ListedAt    map[string]source.Cursor      // tools, resources, prompts and members of a server: by their keys in the document, with a slash between
	Untyped     map[string]report.UntypedTool // tools that say nothing of their results, by their names
	MustFlatten []string                      // and of those that mean something else with their bases
	referrers   map[string]int                // how many references lead to a schema, by its pointer; see referredTo
	holders     map[string]bool               // pointers of what they lie in
	targets     []source.Cursor               // what they lead to, in the order of the references
}

// New returns a draft without declarations, with the work that it may take.
func New(file string, root source.Cursor, decided convert.Decisions, work *source.Work) *Draft {
	return &Draft{
		File:     file,
		Doc:      tree.NewDocument(),
		ListedAt: map[string]source.Cursor{},
		Untyped:  map[string]report.UntypedTool{},
		Extended: map[string]bool{},
		Conv:     convert.New(root, decided, report.New(file), work),
	}
}

// Few reports a source that becomes more declarations than a section may have.
func (i *Draft) Few(at source.Cursor, n int, section string) bool {
	if n > grammar.MostDeclared {
		i.Conv.Fault(at, "import it in parts", "more than %d %s come of the source", grammar.MostDeclared, section)
		return false
	}
	return true
}

// Role is what a definition is for.
type Role uint8

// The roles of definitions.
const (
	Ordinary     Role = iota
	Request           // {method: const, params}, with or without jsonrpc and id
	Notification      // the same without an answer
	Side              // the union of what one side sends
	Answer            // {jsonrpc, id, result}: says which result a request has
	ErrorObject       // {code: const, message, data}, alone or as the error of a whole response
	Envelope          // a part of JSON-RPC itself
)

// Definition is one entry of $defs.
type Definition struct {
	source.Member
	within  string // the name of what it stands in, if that is not a document
	InPlace bool   // it stands where it is used as well
	Role    Role
	IsType  bool   // it becomes a type: it is ordinary, or a type refers to it
	Method  string // of a request or notification
}

// Declare adds a declaration that is made of a part of the source, and reports whether its name was free.
func (i *Draft) Declare(section, name string, n *yaml.Node, of source.Cursor) bool {
	i.Conv.Origins[n] = of
	return i.Doc.Declare(section, name, n)
}

// DeclareMessage declares a request or a notification. One whose name is taken is left out and reported: methods and notifications share names.
func DeclareMessage(i *Draft, section, name string, n *yaml.Node, of source.Cursor) {
	kind, other := "method", "notifications"
	if section == other {
		kind, other = "notification", "methods"
	}
	if i.Doc.Body[other].Get(name) != nil || !i.Declare(section, name, n, of) {
		RefuseMessage(i, kind, name, of)
	}
}

// RefuseMessage reports a request or a notification that is left out, since another one has its name.
func RefuseMessage(i *Draft, kind, name string, of source.Cursor) {
	i.Conv.Report.Refused = append(i.Conv.Report.Refused, report.Refusal{Kind: kind, Name: name, Pointer: of.Pointer,
		Reason: "another method or notification has this name"})
}

// DeclareType declares a type, and returns its name: another one where that is taken.
func (i *Draft) DeclareType(name string, s source.Cursor) string {
	n := i.Conv.Schema(s, convert.Declared)
	name = i.FreeName(name, s, i.Doc.Body["types"])
	i.Doc.Declare("types", name, n)
	return name
}

// InlineParams are the params of a request or notification that are written in place, and the name that they get: the one that
// every revision of MCP since 2025-11-25 gives them, so that equal params of two revisions have one name.
func InlineParams(d *Definition) (source.Cursor, string) {
	if d.Role != Request && d.Role != Notification {
		return source.Cursor{}, ""
	}
	p, _ := d.Path("properties", "params")
	if !p.Has("properties") {
		return source.Cursor{}, ""
	}
	return p, tree.NameOf(d.Name) + "Params"
}

// PropertyNames are the names of the properties of a schema, in order.
func PropertyNames(s source.Cursor) []string {
	properties, _ := s.Get("properties")
	return properties.Names()
}

// EscapeMessage doubles braces, which would name fields.
func EscapeMessage(s string) string { return strings.NewReplacer("{", "{{", "}", "}}").Replace(s) }

// wordless is a type expression without its words, which are reported as ignored: the language has no place for those of params, results and data.
func (i *Draft) wordless(n *yaml.Node, s source.Cursor) *yaml.Node {
	for _, key := range tree.KeysOf(n) {
		if key != "type" && key != "title" && key != "description" {
			return n
		}
	}
	expr := tree.Get(n, "type")
	if expr == nil {
		return n
	}
	for _, key := range tree.KeysOf(n) {
		if key != "type" {
			i.Conv.Report.Ignore(s.Pointer + "/" + key)
		}
	}
	i.Conv.Origins[expr] = s
	return expr
}

// Payload is the value of params, result or data, where a mapping is always fields: an expression, fields, or a type of its own.
func (i *Draft) Payload(name string, s source.Cursor) *yaml.Node {
	n := i.wordless(i.Conv.Schema(s, convert.Inner), s)
	switch {
	case n.Kind == yaml.ScalarNode:
	case len(n.Content) == 2 && n.Content[0].Value == "fields":
		n = n.Content[1]
	default:
		n = i.Expression(name, s)
	}
	return n
}

// Expression converts a schema where only a type expression may stand: what is more gets a name.
func (i *Draft) Expression(name string, s source.Cursor) *yaml.Node {
	if n := i.wordless(i.Conv.Schema(s, convert.Inner), s); n.Kind == yaml.ScalarNode {
		return n
	}
	return tree.Text(i.DeclareType(tree.NameOf(name), s))
}
