package importer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// openRPC imports an OpenRPC document. Members that begin with x-, in which the export of this compiler keeps what OpenRPC has no
// words for, are read back.
func (i *importer) openRPC(root cursor) {
	i.report.Layout = OpenRPC
	i.draft7 = true // OpenRPC says so
	schemas, _ := root.path("components", "schemas")
	var types []*definition
	for _, s := range schemas.members() {
		types = append(types, &definition{named: s, isType: true})
	}
	i.nameTypes(types)
	for _, d := range types {
		if d.isType {
			i.declareType(i.names[d.pointer], d.cursor)
		}
	}
	i.info(root)
	i.rpcErrors(root)
	methods, ok := root.get("methods")
	if !ok || methods.Kind != ir.Array {
		i.fault(root, "", "methods must be a list")
	}
	i.report.Definitions = len(methods.Items)
	if !i.few(methods, len(methods.Items), "methods") {
		return
	}
	called := i.components(methods)
	callbacks, _ := root.get("x-callbacks")
	back := i.components(callbacks)
	i.structure(root, slices.Concat(called, back))
	for _, m := range called {
		i.rpcMethod(m, "")
	}
	for _, m := range back {
		i.rpcMethod(m, "server")
	}
	i.otherOfRoot(root)
}

// referred follows a reference to a component.
func (i *importer) referred(s cursor) (target cursor, ok bool) {
	for range deepest {
		if !s.has("$ref") {
			return s, true
		}
		if target, ok = i.resolve(s); !ok {
			return s, false
		}
		s = target
		i.used[s.pointer] = true
	}
	i.fault(s, "", "the reference goes in a circle")
	return s, false
}

// components follows the references of a list; those that lead nowhere are faults already.
func (i *importer) components(list cursor) []cursor {
	var all []cursor
	for _, item := range list.items() {
		if target, ok := i.referred(item); ok {
			all = append(all, target)
		}
	}
	return all
}

// info takes over what a document says of itself.
func (i *importer) info(root cursor) {
	info, _ := root.get("info")
	for _, key := range []string{"title", "description"} {
		if t := info.text(key); t != "" {
			set(i.doc.head, key, text(t))
		}
	}
	if v := info.text("version"); v != "" && v != "0.0.0" && !root.has("x-protocol") {
		set(i.doc.head, "x-version", text(v))
	}
	if p, ok := root.get("x-protocol"); ok {
		set(i.doc.head, "protocol", valueNode(p.Value))
	}
}

// rpcErrors declares the errors that have names.
func (i *importer) rpcErrors(root cursor) {
	all, _ := root.path("components", "errors")
	facts, _ := root.get("x-errors")
	for _, e := range all.members() {
		known, _ := facts.get(e.name)
		if target, ok := i.referred(e.cursor); ok {
			i.rpcError(e.name, target, known)
		}
	}
}

// Codes that JSON-RPC keeps for itself: the runtime answers with them, and schemas do not declare them.
const (
	lowestOfRPC  = -32768
	highestOfRPC = -32100
)

// rpcError declares an error, and returns the name by which methods speak of it; empty when it is JSON-RPC's own.
func (i *importer) rpcError(name string, e, facts cursor) string {
	code, ok := e.get("code")
	if !ok || code.Kind != ir.Integer {
		i.fault(e, "", "an error needs a code, which is an integer")
		return ""
	}
	if n := wholeNumber(code.Text); n >= lowestOfRPC && n <= highestOfRPC {
		i.report.ignore(e.pointer)
		return ""
	}
	if known, there := i.codes[code.Text]; there {
		return known
	}
	name = strings.TrimSuffix(nameOf(name), "Error")
	if name == "" || i.doc.body["errors"].get(name) != nil {
		name += "Code" + strings.ReplaceAll(code.Text, "-", "Minus")
	}
	m := newEntries()
	m.set("code", valueNode(code.Value))
	if message := e.text("message"); message != "" && message != name {
		m.set("message", text(i.messageOf(message, facts)))
	}
	for _, fact := range facts.members() {
		switch fact.name {
		case "data":
			m.set("data", i.payload(name+"ErrorData", fact.cursor))
		default:
			m.set(fact.name, valueNode(fact.Value))
		}
	}
	if data, there := e.get("data"); there {
		i.errorData(m, name, data)
	}
	i.declare("errors", name, m.node, e)
	i.codes[code.Text] = name
	return name
}

// errorData is the schema of the data of an error. An example of it is kept.
func (i *importer) errorData(m *entries, name string, data cursor) {
	switch {
	case m.get("data") != nil:
		i.report.ignore(data.pointer)
	case isSchema(data) && i.converts(data):
		m.set("data", i.payload(name+"ErrorData", data))
	default:
		m.set("x-data", valueNode(data.Value))
	}
}

// converts reports whether a schema has no fault. What may as well be an example of itself is then kept as one.
func (i *importer) converts(s cursor) bool {
	before := len(i.faults)
	i.schema(s, inner)
	ok := len(i.faults) == before
	i.faults = i.faults[:before]
	return ok
}

var inBraces = regexp.MustCompile(`\{[^{}]*\}|[{}]`)

// messageOf is the text of an error. What stands in braces is a field where the data has one of that name, and otherwise text.
func (i *importer) messageOf(message string, facts cursor) string {
	data, _ := facts.get("data")
	if data.has("$ref") {
		data, _ = i.flatten(data)
	}
	fields := setOf(propertyNames(data))
	return inBraces.ReplaceAllStringFunc(message, func(part string) string {
		if fields[strings.Trim(part, "{}")] {
			return part
		}
		return escapeMessage(part)
	})
}

// wholeNumber reads a small integer; 0 for anything else.
func wholeNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}
