package importer

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// methodFacts are the members of methods by which an export keeps the keys of the language.
var methodFacts = []struct{ member, key string }{{"x-timeout", "timeout"}, {"x-rate", "rate"}, {"x-capability", "capability"}, {"x-requires", "requires"},
	{"x-ordered", "ordered"}, {"x-idempotent", "idempotent"}, {"x-embedded", "embedded"}, {"x-page", "page"}, {"x-cache", "cache"}, {"x-keep", "cache"}, {"x-headers", "header"}}

// rpcMethod declares a method, or a notification where it has no result.
func (o *openRPC) rpcMethod(method cursor, from string) {
	name := method.text("name")
	if name == "" {
		o.fault(method, "", "a method needs a name")
		return
	}
	m := mapping()
	for _, word := range []struct{ member, key string }{{"summary", "title"}, {"description", "description"}} {
		if t := method.text(word.member); t != "" {
			set(m, word.key, text(t))
		}
	}
	if d, ok := method.get("deprecated"); ok && d.Text == "true" {
		set(m, "deprecated", deprecation(method))
	}
	if both := method.text("x-from"); both != "" {
		from = both
	}
	if from != "" {
		set(m, "from", text(from))
	}
	o.rpcParams(m, name, method)
	section := "notifications"
	if result, ok := method.get("result"); ok {
		section = "methods"
		o.rpcResult(m, joinWords(name)+"Result", result)
	}
	if by := structureOf(method); by != "" && by != o.paramsBy && hasParams(method) {
		set(m, "paramsBy", text(by))
	}
	o.raised(m, method)
	for _, fact := range methodFacts {
		if v, ok := method.get(fact.member); ok {
			set(m, fact.key, valueNode(v.Value))
		}
	}
	if s := method.text("x-stream"); s != "" {
		set(m, "stream", texts(strings.Fields(s)))
	}
	o.otherMembers(m, method)
	if len(m.Content) == 0 {
		m = plain("")
	}
	if !o.declare(section, name, m, method) {
		o.fault(method, "", "the method %q is there twice", name)
	}
}

func (o *openRPC) rpcResult(m *yaml.Node, name string, result cursor) {
	result, ok := o.referred(result)
	if !ok {
		return
	}
	schema, ok := result.get("schema")
	if !ok {
		o.fault(result, "", "a result needs a schema")
		return
	}
	if schema.Kind == ir.Boolean && schema.Text == "false" {
		set(m, "result", text("null"))
		o.report.weaken(schema.pointer, "no value fits false, so it is taken for the result of a method that answers with null")
		return
	}
	set(m, "result", o.payload(name, schema))
}

// otherMembers keeps the author's own members, and reports what the language has no place for.
func (o *openRPC) otherMembers(m *yaml.Node, method cursor) {
	known := []string{"name", "summary", "description", "deprecated", "params", "result", "errors", "paramStructure",
		"x-from", "x-params", "x-paramsBy", "x-sample", "x-deprecated", "x-stream"}
	for _, f := range methodFacts {
		known = append(known, f.member)
	}
	made, _ := method.get("x-sample")
	for _, member := range method.members() {
		switch {
		case slices.Contains(known, member.name), o.keptMember(m, member, made.Text == "true"):
		default:
			o.extension(m, member)
		}
	}
}

// rpcParams declares params one by one, or as the whole that an export keeps in addition to them.
func (o *openRPC) rpcParams(m *yaml.Node, name string, method cursor) {
	if whole, ok := method.get("x-params"); ok {
		set(m, "params", o.payload(joinWords(name)+"Params", whole))
		return
	}
	params, _ := method.get("params")
	fields := newEntries()
	key := "params?"
	for _, p := range o.components(params) {
		schema, ok := p.get("schema")
		if !ok || p.text("name") == "" {
			o.fault(p, "", "a param needs a name and a schema")
			continue
		}
		field := p.text("name")
		if r, _ := p.get("required"); r.Text == "true" {
			key = "params"
		} else {
			field += "?"
		}
		fields.set(field, o.param(p, schema))
	}
	if len(fields.at) > 0 {
		set(m, key, fields.node)
	}
}

// param is the schema of a param, with what is said of the param where the schema says nothing.
func (o *openRPC) param(p, schema cursor) *yaml.Node {
	n := o.schema(schema, field)
	if r, _ := p.get("required"); r.Text == "true" {
		withoutDefault(n)
	}
	words := mapping()
	for _, word := range []struct{ member, key string }{{"summary", "title"}, {"description", "description"}} {
		if t := p.text(word.member); t != "" && get(n, word.key) == nil {
			set(words, word.key, text(t))
		}
	}
	if d, ok := p.get("deprecated"); ok && d.Text == "true" {
		set(words, "deprecated", deprecation(p))
	}
	if len(words.Content) == 0 {
		return n
	}
	if n.Kind == yaml.ScalarNode {
		typed := mapping()
		set(typed, "type", n)
		o.origins[typed] = schema
		n = typed
	}
	n.Content = append(n.Content, words.Content...)
	return n
}

// raised names the errors that a method may return. An error that has no name is called by its message.
func (o *openRPC) raised(m *yaml.Node, method cursor) {
	all, _ := method.get("errors")
	var names []string
	seen := map[string]bool{"": true} // that of JSON-RPC's own
	for _, e := range o.components(all) {
		if name := o.rpcError(joinWords(e.text("message")), e, cursor{}); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		set(m, "errors", texts(names))
	}
}
