package openrpc

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// methodFacts are the members of methods by which an export keeps the keys of the language.
var methodFacts = []struct{ member, key string }{{"x-timeout", "timeout"}, {"x-rate", "rate"}, {"x-scopes", "scopes"}, {"x-capability", "capability"},
	{"x-requires", "requires"}, {"x-ordered", "ordered"}, {"x-idempotent", "idempotent"}, {"x-embedded", "embedded"}, {"x-page", "page"}, {"x-cache", "cache"},
	{"x-keep", "cache"}, {"x-headers", "header"}}

// rpcMethod declares a method, or a notification where it has no result.
func (o *openRPC) rpcMethod(method source.Cursor, from string) {
	name := method.TextOf("name")
	if name == "" {
		o.d.Conv.Fault(method, "", "a method needs a name")
		return
	}
	if o.d.Doc.Body["methods"].Get(name) != nil || o.d.Doc.Body["notifications"].Get(name) != nil {
		draft.RefuseMessage(o.d, "method", name, method)
		return
	}
	m := tree.Mapping()
	tree.SetSome(m, "title", tree.Text(method.TextOf("summary")))
	tree.SetSome(m, "description", tree.Text(method.TextOf("description")))
	if method.IsTrue("deprecated") {
		tree.Set(m, "deprecated", convert.Deprecation(method))
	}
	if both := method.TextOf("x-from"); both != "" {
		from = both
	}
	tree.SetSome(m, "from", tree.Text(from))
	o.rpcParams(m, name, method)
	section := "notifications"
	if result, ok := method.Get("result"); ok {
		section = "methods"
		o.rpcResult(m, tree.JoinWords(name)+"Result", result)
	}
	if by := structureOf(method); by != "" && by != o.paramsBy && hasParams(method) {
		tree.Set(m, "paramsBy", tree.Text(by))
	}
	o.nameErrors(m, method)
	for _, fact := range methodFacts {
		if v, ok := method.Get(fact.member); ok {
			tree.Set(m, fact.key, tree.Value(v.Value))
		}
	}
	if s := method.TextOf("x-stream"); s != "" {
		tree.Set(m, "stream", tree.Texts(strings.Fields(s)))
	}
	o.otherMembers(m, method)
	o.d.Declare(section, name, tree.NilIfEmpty(m), method)
}

func (o *openRPC) rpcResult(m *yaml.Node, name string, result source.Cursor) {
	result, ok := o.referenceTarget(result)
	if !ok {
		return
	}
	schema, ok := result.Get("schema")
	if !ok {
		o.d.Conv.Fault(result, "", "a result needs a schema")
		return
	}
	if schema.Kind == ir.Boolean && schema.Text == "false" {
		tree.Set(m, "result", tree.Text("null"))
		o.d.Conv.Report.Weaken(schema.Pointer, "no value fits false, so it is taken for the result of a method that answers with null")
		return
	}
	tree.Set(m, "result", o.d.Payload(name, schema))
}

// otherMembers keeps the author's own members, and what the language has no place for. Examples that an export made up are left out.
func (o *openRPC) otherMembers(m *yaml.Node, method source.Cursor) {
	for _, member := range method.Members() {
		if member.Name == "examples" && !method.IsTrue("x-sample") {
			o.examples(m, member.Cursor)
		}
		o.keepMember(m, "Method", member)
	}
}

// rpcParams declares params one by one, or as the whole that an export keeps in addition to them.
func (o *openRPC) rpcParams(m *yaml.Node, name string, method source.Cursor) {
	if whole, ok := method.Get("x-params"); ok {
		tree.Set(m, "params", o.d.Payload(tree.JoinWords(name)+"Params", whole))
		return
	}
	params, _ := method.Get("params")
	fields := tree.NewEntries()
	key := "params?"
	taken := map[string]bool{}
	for _, p := range o.components(params) {
		schema, ok := p.Get("schema")
		if !ok || p.TextOf("name") == "" {
			o.d.Conv.Fault(p, "", "a param needs a name and a schema")
			continue
		}
		field := p.TextOf("name")
		if taken[field] && structureOf(method) != "position" {
			o.d.Conv.Report.Weaken(p.Pointer, "a param has this name already, and that one counts")
			continue
		}
		for n := 2; taken[field]; n++ { // its position counts, not its name
			field = p.TextOf("name") + strconv.Itoa(n)
		}
		taken[field] = true
		if p.IsTrue("required") {
			key = "params"
		} else {
			field += "?"
		}
		fields.Set(field, o.param(p, schema))
	}
	tree.SetSome(m, key, fields.Node)
}

// param is the schema of a param, with what is said of the param where the schema says nothing.
func (o *openRPC) param(p, schema source.Cursor) *yaml.Node {
	n := o.d.Conv.Schema(schema, convert.Field)
	if p.IsTrue("required") {
		convert.WithoutDefault(n)
	}
	words := tree.Mapping()
	for _, word := range []struct{ member, key string }{{"summary", "title"}, {"description", "description"}} {
		if t := p.TextOf(word.member); t != "" && tree.Get(n, word.key) == nil {
			tree.Set(words, word.key, tree.Text(t))
		}
	}
	if p.IsTrue("deprecated") {
		tree.Set(words, "deprecated", convert.Deprecation(p))
	}
	n = convert.WithWords(n, words)
	o.d.Conv.Origins[n] = schema
	return n
}

// nameErrors names the errors that a method may return. An error that has no name is called by its message.
func (o *openRPC) nameErrors(m *yaml.Node, method source.Cursor) {
	all, _ := method.Get("errors")
	var names []string
	seen := map[string]bool{"": true} // that of JSON-RPC's own
	for _, e := range o.components(all) {
		if name := o.rpcError(tree.JoinWords(e.TextOf("message")), e, source.Cursor{}); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	tree.SetSome(m, "errors", tree.Texts(names))
}
