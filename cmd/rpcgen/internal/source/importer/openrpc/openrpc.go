// Package openrpc imports OpenRPC documents.
//
//test:by ./cmd/rpcgen/internal/source/importer
package openrpc

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// openRPC imports an OpenRPC document. Members that begin with x-, in which the export of this compiler keeps what OpenRPC has no words for, are read back.
type openRPC struct {
	d        *draft.Draft
	codes    map[string]string // the names of errors by their codes
	used     map[string]bool   // pointers of components that are referred to
	paramsBy string            // how params are sent unless a method says otherwise
}

// Import imports an OpenRPC document.
func Import(i *draft.Draft, root source.Cursor) {
	i.Conv.Report.Layout = report.OpenRPC
	o := &openRPC{d: i, codes: map[string]string{}, used: map[string]bool{}}
	i.Conv.Resolver.OnlyRef = true // OpenRPC says so
	schemas, _ := root.Path("components", "schemas")
	types := ir.Each(schemas.Members(), func(s source.Member) *draft.Definition { return &draft.Definition{Member: s, IsType: true} })
	i.NameTypes(types)
	for _, d := range types {
		if d.IsType {
			i.DeclareType(i.Conv.Names[d.Pointer], d.Cursor)
		}
	}
	o.info(root)
	o.rpcErrors(root)
	methods, ok := root.Get("methods")
	if !ok || methods.Kind != ir.Array {
		i.Conv.Fault(root, "", "methods must be a list")
	}
	i.Conv.Report.Definitions = len(methods.Items)
	if !i.Few(methods, len(methods.Items), "methods") {
		return
	}
	called := o.components(methods)
	callbacks, _ := root.Get("x-callbacks")
	back := o.components(callbacks)
	o.structure(root, slices.Concat(called, back))
	for _, m := range called {
		o.rpcMethod(m, "")
	}
	for _, m := range back {
		o.rpcMethod(m, "server")
	}
	o.otherOfRoot(root)
}

// referenceTarget follows a reference to a component.
func (o *openRPC) referenceTarget(s source.Cursor) (target source.Cursor, ok bool) {
	for range source.Deepest {
		if !s.Has("$ref") {
			return s, true
		}
		if target, ok = o.d.Conv.Resolve(s); !ok {
			return s, false
		}
		s = target
		o.used[s.Pointer] = true
	}
	o.d.Conv.Fault(s, "", "the reference goes in a circle")
	return s, false
}

// components follows the references of a list; those that lead nowhere are faults already.
func (o *openRPC) components(list source.Cursor) []source.Cursor {
	var all []source.Cursor
	for _, item := range list.Elements() {
		if target, ok := o.referenceTarget(item); ok {
			all = append(all, target)
		}
	}
	return all
}

// info takes over what a document says of itself.
func (o *openRPC) info(root source.Cursor) {
	info, _ := root.Get("info")
	for _, key := range []string{"title", "description"} {
		tree.SetSome(o.d.Doc.Head, key, tree.Text(info.TextOf(key)))
	}
	if v := info.TextOf("version"); v != "" && v != "0.0.0" && !root.Has("x-protocol") {
		tree.Set(o.d.Doc.Head, "x-version", tree.Text(v))
	}
	if p, ok := root.Get("x-protocol"); ok {
		tree.Set(o.d.Doc.Head, "protocol", tree.Value(p.Value))
	}
}

// rpcErrors declares the errors that have names.
func (o *openRPC) rpcErrors(root source.Cursor) {
	all, _ := root.Path("components", "errors")
	facts, _ := root.Get("x-errors")
	for _, e := range all.Members() {
		known, _ := facts.Get(e.Name)
		if target, ok := o.referenceTarget(e.Cursor); ok {
			o.rpcError(e.Name, target, known)
		}
	}
}

// Codes that JSON-RPC keeps for itself: the runtime answers with them, and schemas do not declare them.
const (
	lowestOfRPC  = -32768
	highestOfRPC = -32100
)

// rpcError declares an error, and returns the name by which methods speak of it; empty when it is JSON-RPC's own.
func (o *openRPC) rpcError(name string, e, facts source.Cursor) string {
	code, ok := e.Get("code")
	if !ok || code.Kind != ir.Integer {
		o.d.Conv.Fault(e, "", "an error needs a code, which is an integer")
		return ""
	}
	if n, err := strconv.Atoi(code.Text); err == nil && n >= lowestOfRPC && n <= highestOfRPC {
		o.d.Conv.Report.Ignore(e.Pointer)
		return ""
	}
	if known, there := o.codes[code.Text]; there {
		return known
	}
	name = strings.TrimSuffix(tree.NameOf(name), "Error")
	if name == "" || o.d.Doc.Body["errors"].Get(name) != nil {
		name += "Code" + strings.ReplaceAll(code.Text, "-", "Minus")
	}
	m := tree.NewEntries()
	m.Set("code", tree.Value(code.Value))
	if message := e.TextOf("message"); message != "" && message != name {
		m.Set("message", tree.Text(o.messageOf(message, facts)))
	}
	for _, fact := range facts.Members() {
		switch fact.Name {
		case "data":
			m.Set("data", o.d.Payload(name+"ErrorData", fact.Cursor))
		default:
			m.Set(fact.Name, tree.Value(fact.Value))
		}
	}
	if data, there := e.Get("data"); there {
		o.errorData(m, name, data)
	}
	o.d.Declare("errors", name, m.Node, e)
	o.codes[code.Text] = name
	return name
}

// errorData is the schema of the data of an error. An example of it is kept.
func (o *openRPC) errorData(m *tree.Entries, name string, data source.Cursor) {
	switch {
	case m.Get("data") != nil:
		o.d.Conv.Report.Ignore(data.Pointer)
	case isSchema(data) && o.converts(data):
		m.Set("data", o.d.Payload(name+"ErrorData", data))
	default:
		m.Set("x-data", tree.Value(data.Value))
	}
}

// converts reports whether a schema has no fault. What may as well be an example of itself is then kept as one.
func (o *openRPC) converts(s source.Cursor) bool {
	before := len(o.d.Conv.Faults)
	o.d.Conv.Schema(s, convert.Inner)
	ok := len(o.d.Conv.Faults) == before
	o.d.Conv.Faults = o.d.Conv.Faults[:before]
	return ok
}

var inBraces = regexp.MustCompile(`\{[^{}]*\}|[{}]`)

// messageOf is the text of an error. What stands in braces is a field where the data has one of that name, and otherwise text.
func (o *openRPC) messageOf(message string, facts source.Cursor) string {
	data, _ := facts.Get("data")
	if data.Has("$ref") {
		data, _ = o.d.Conv.Flatten(data)
	}
	fields := convert.SetOf(draft.PropertyNames(data))
	return inBraces.ReplaceAllStringFunc(message, func(part string) string {
		if fields[strings.Trim(part, "{}")] {
			return part
		}
		return draft.EscapeMessage(part)
	})
}
