// Package lsp imports meta models of the Language Server Protocol.
//
//test:by ./cmd/rpcgen/internal/source/importer
package lsp

import (
	"cmp"
	_ "embed" // the table
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/draft"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/report"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// metaModel imports a meta model: structures, enumerations and type aliases become types, requests and notifications methods.
type metaModel struct {
	d      *draft.Draft
	kinds  map[string]source.Cursor // declarations by their names in the source
	called map[string]string        // the names of the types that they become
}

// Import imports a meta model.
func Import(i *draft.Draft, root source.Cursor) {
	i.Conv.Report.Layout = report.MetaModel
	m := &metaModel{i, map[string]source.Cursor{}, map[string]string{}}
	declared := slices.Concat(m.section(root, "structures"), m.section(root, "enumerations"), m.section(root, "typeAliases"))
	requests, notifications := m.section(root, "requests"), m.section(root, "notifications")
	i.Conv.Report.Definitions = len(declared) + len(requests) + len(notifications)
	if !i.Few(root, i.Conv.Report.Definitions, "declarations") {
		return
	}
	m.head(root)
	m.name(declared)
	for _, d := range declared {
		m.declareNamed(d)
	}
	for _, r := range requests {
		m.method(r, "methods")
	}
	for _, n := range notifications {
		m.method(n, "notifications")
	}
	Fields().VisitUnused(nil, func(p source.Part) { i.Conv.Report.Ignore(p.Pointer) }, source.Place{Part: source.Part{Cursor: root}, Object: "MetaModel"})
}

//go:embed fields.txt
var fieldsText string

// Fields says what becomes of the fields of a meta model.
var Fields = source.ReadFields(fieldsText)

// section lists the entries of a part of the model, which are objects.
func (m *metaModel) section(root source.Cursor, name string) []source.Cursor {
	list, _ := root.Get(name)
	if root.Has(name) && list.Kind != ir.Array {
		m.d.Conv.Fault(list, "", "%s must be a list, not %s", name, list.Kind)
		return nil
	}
	var all []source.Cursor
	for _, item := range list.Elements() {
		if item.Kind != ir.Object {
			m.d.Conv.Fault(item, "", "an entry of %s must be an object, not %s", name, item.Kind)
			continue
		}
		all = append(all, item)
	}
	return all
}

// head says which protocol it is.
func (m *metaModel) head(root source.Cursor) {
	tree.Set(m.d.Doc.Head, "title", tree.Text("Language Server Protocol"))
	p := tree.With("name", tree.Text("lsp"))
	meta, _ := root.Get("metaData")
	tree.SetSome(p, "revision", tree.Text(meta.TextOf("version")))
	tree.Set(p, "session", tree.Text("handshake"))
	tree.Set(p, "ids", tree.Text("strict"))
	tree.Set(p, "nulls", tree.Text("absent"))
	tree.Set(p, "batch", tree.Plain("false"))
	tree.Set(p, "positional", tree.Plain("false"))
	tree.Set(m.d.Doc.Head, "protocol", p)
}

// name decides what the types are called. An underscore at the beginning marks a base, as in _InitializeParams.
func (m *metaModel) name(declared []source.Cursor) {
	taken := tree.NewEntries() // of which the keys alone matter
	for _, d := range declared {
		name := d.TextOf("name")
		if name == "" {
			m.d.Conv.Fault(d, "", "a declaration needs a name")
			continue
		}
		if _, twice := m.kinds[name]; twice {
			m.d.Conv.Fault(d, "", "%q is there twice", name)
			continue
		}
		is := tree.NameOf(name)
		if bare, marked := strings.CutPrefix(name, "_"); marked {
			is = tree.NameOf(bare) + "Base"
		}
		is = m.d.FreeName(is, d, taken)
		taken.Set(is, taken.Node)
		m.kinds[name], m.called[name] = d, is
		m.d.Conv.Names[d.Pointer] = is
	}
}

// declareNamed declares a structure, an enumeration or a type alias.
func (m *metaModel) declareNamed(d source.Cursor) {
	name, ok := m.d.Conv.Names[d.Pointer]
	if !ok {
		return // it has a fault
	}
	var n *yaml.Node
	switch {
	case isObject(d):
		n = tree.Mapping()
		tree.Set(n, "type", tree.Text("object"))
		m.addDocs(n, d)
		n = convert.Short(n, convert.Declared)
	case d.Has("properties"):
		n = m.structure(d)
	case d.Has("values"):
		n = m.enumeration(d, name)
	default:
		n = m.alias(d)
		if t, ok := d.Get("type"); ok {
			d = t // that is what the declaration is made of
		}
	}
	m.d.Declare("types", name, n, d)
}

// method declares a request or a notification.
func (m *metaModel) method(r source.Cursor, section string) {
	name := r.TextOf("method")
	if name == "" {
		m.d.Conv.Fault(r, "", "a request or a notification needs a method")
		return
	}
	n := tree.Mapping()
	m.addDocs(n, r)
	from := map[string]string{"serverToClient": "server", "both": "both"}[r.TextOf("messageDirection")]
	tree.SetSome(n, "from", tree.Text(from))
	words := cmp.Or(r.TextOf("typeName"), tree.JoinWords(name))
	words = strings.TrimSuffix(strings.TrimSuffix(words, "Request"), "Notification")
	if p, ok := r.Get("params"); ok && p.Kind != ir.Array {
		tree.Set(n, "params", m.payload(words+"Params", p, m.typ(p)))
	} else if len(p.Items) > 0 {
		tree.Set(n, "params", m.payload(words+"Params", p, m.tuple(p, p.Elements())))
	}
	if result, ok := r.Get("result"); ok && section == "methods" {
		tree.Set(n, "result", m.payload(words+"Result", result, m.typ(result)))
	}
	m.capabilities(n, r, from)
	m.otherMembers(n, r)
	if !m.d.Declare(section, name, tree.NilIfEmpty(n), r) {
		m.d.Conv.Fault(r, "", "the method %q is there twice", name)
	}
}

// capabilities are what the two sides declare: the one that answers has to, for the method to be there, and the one that calls may.
func (m *metaModel) capabilities(n *yaml.Node, r source.Cursor, from string) {
	answers, calls := "serverCapability", "clientCapability"
	if from == "server" {
		answers, calls = calls, answers
	}
	tree.SetSome(n, "capability", tree.Text(r.TextOf(answers)))
	tree.SetSome(n, "x-"+calls, tree.Text(r.TextOf(calls)))
}

// otherMembers keeps what the language has no word for.
func (m *metaModel) otherMembers(n *yaml.Node, r source.Cursor) {
	for _, member := range r.Members() {
		if Fields().Of("Request", member.Name).Use == source.Kept {
			tree.Set(n, "x-"+member.Name, tree.Value(member.Value))
		}
	}
}

// payload is the value of params or of a result: an expression, fields, or a type of its own.
func (m *metaModel) payload(name string, t source.Cursor, n *yaml.Node) *yaml.Node {
	switch {
	case n.Kind == yaml.ScalarNode:
		return n
	case len(n.Content) == 2 && n.Content[0].Value == "fields":
		return n.Content[1]
	}
	name = m.d.FreeName(tree.NameOf(name), t, m.d.Doc.Body["types"])
	m.d.Declare("types", name, n, t)
	return tree.Text(name)
}

// addDocs adds what is said of a declaration: documentation, since when it is there, and whether it is to stay.
func (m *metaModel) addDocs(n *yaml.Node, d source.Cursor) {
	tree.SetSome(n, "description", tree.Text(documentation(d)))
	if why, ok := d.Get("deprecated"); ok {
		tree.Set(n, "deprecated", tree.Value(why.Value))
	}
	tree.SetSome(n, "x-since", tree.Text(d.TextOf("since")))
	if p, ok := d.Get("proposed"); ok && p.Text == "true" {
		tree.Set(n, "x-proposed", tree.Plain("true"))
	}
}

// link is a link to a declaration, with the text that stands for it.
var link = regexp.MustCompile(`\{@link(?:code|plain)?\s+(\S+?)(?:\s+([^}]*))?\}`)

// documentation is what is written about a declaration, without the tags that members of their own repeat.
func documentation(d source.Cursor) string {
	doc := d.TextOf("documentation")
	for _, tag := range []struct{ tag, text string }{{"@since ", d.TextOf("since")}, {"@deprecated ", d.TextOf("deprecated")}} {
		if tag.text != "" {
			doc = strings.Replace(doc, tag.tag+tag.text, "", 1)
		}
	}
	if d.Has("proposed") {
		doc = strings.Replace(doc, "@proposed", "", 1)
	}
	doc = link.ReplaceAllStringFunc(doc, func(found string) string {
		parts := link.FindStringSubmatch(found)
		return cmp.Or(strings.TrimSpace(parts[2]), parts[1])
	})
	return strings.TrimSpace(doc)
}
