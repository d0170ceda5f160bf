package importer

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/merge"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"gopkg.in/yaml.v3"
)

// draft is a schema that is being made of a source.
type draft struct {
	conv        *convert.Converter
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
}

func newDraft(file string, root source.Cursor, decided convert.Decisions) *draft {
	return &draft{
		file:     file,
		doc:      tree.NewDocument(),
		listedAt: map[string]source.Cursor{},
		untyped:  map[string]report.Untyped{},
		extended: map[string]bool{},
		conv:     convert.New(root, decided, report.New(file)),
	}
}

// few reports a source that becomes more declarations than a section may have.
func (i *draft) few(at source.Cursor, n int, section string) bool {
	if n > grammar.MostDeclared {
		i.conv.Fault(at, "import it in parts", "more than %d %s come of the source", grammar.MostDeclared, section)
		return false
	}
	return true
}

// role is what a definition is for.
type role uint8

// The roles of definitions.
const (
	ordinary     role = iota
	request           // {method: const, params}, with or without jsonrpc and id
	notification      // the same without an answer
	side              // the union of what one side sends
	answer            // {jsonrpc, id, result}: says which result a request has
	errorObject       // {code: const, message, data}, alone or as the error of a whole response
	envelope          // a part of JSON-RPC itself
)

// definition is one entry of $defs.
type definition struct {
	source.Named
	within  string // the name of what it stands in, if that is not a document
	inPlace bool   // it stands where it is used as well
	role    role
	isType  bool   // it becomes a type: it is ordinary, or a type refers to it
	method  string // of a request or notification
}

// declare adds a declaration that is made of a part of the source, and reports whether its name was free.
func (i *draft) declare(section, name string, n *yaml.Node, of source.Cursor) bool {
	i.conv.Origins[n] = of
	return i.doc.Declare(section, name, n)
}

// declareMessage declares a request or a notification. One whose name another one has is left out and reported, since methods and notifications
// share their names.
func declareMessage(i *draft, section, name string, n *yaml.Node, of source.Cursor) {
	kind, other := "method", "notifications"
	if section == other {
		kind, other = "notification", "methods"
	}
	if i.doc.Body[other].Get(name) != nil || !i.declare(section, name, n, of) {
		i.conv.Report.Refused = append(i.conv.Report.Refused, report.Refused{Kind: kind, Name: name, Pointer: of.Pointer, Reason: "another method or notification has this name"})
	}
}

// declareType declares a type, and returns its name: another one where that is taken.
func (i *draft) declareType(name string, s source.Cursor) string {
	n := i.conv.Schema(s, convert.Declared)
	name = i.freeName(name, s, i.free("types"))
	i.doc.Declare("types", name, n)
	return name
}

// inlineParams are the params of a request or notification that are written in place, and the name that they get: the one that
// every revision of MCP since 2025-11-25 gives them, so that equal params of two revisions have one name.
func inlineParams(d *definition) (source.Cursor, string) {
	if d.role != request && d.role != notification {
		return source.Cursor{}, ""
	}
	p, _ := d.Path("properties", "params")
	if !p.Has("properties") {
		return source.Cursor{}, ""
	}
	return p, tree.NameOf(d.Name) + "Params"
}

func propertyNames(s source.Cursor) []string {
	var names []string
	for _, p := range s.FieldsOf() {
		names = append(names, p.Name)
	}
	return names
}

// escapeMessage doubles braces, which would name fields.
func escapeMessage(s string) string { return strings.NewReplacer("{", "{{", "}", "}}").Replace(s) }

// wordless is a type expression without the words that go with it: for what is said of params, a result or data alone, the language has
// no place. They are reported as ignored.
func (i *draft) wordless(n *yaml.Node, s source.Cursor) *yaml.Node {
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
			i.conv.Report.Ignore(s.Pointer + "/" + key)
		}
	}
	i.conv.Origins[expr] = s
	return expr
}

// payload is the value of params, result or data, where a mapping is always fields: an expression, fields, or a type of its own.
func (i *draft) payload(name string, s source.Cursor) *yaml.Node {
	n := i.wordless(i.conv.Schema(s, convert.Inner), s)
	switch {
	case n.Kind == yaml.ScalarNode:
	case len(n.Content) == 2 && n.Content[0].Value == "fields":
		n = n.Content[1]
	default:
		n = i.expression(name, s)
	}
	return n
}

// expression converts a schema where only a type expression may stand: what is more gets a name.
func (i *draft) expression(name string, s source.Cursor) *yaml.Node {
	if n := i.wordless(i.conv.Schema(s, convert.Inner), s); n.Kind == yaml.ScalarNode {
		return n
	}
	return tree.Text(i.declareType(tree.NameOf(name), s))
}
