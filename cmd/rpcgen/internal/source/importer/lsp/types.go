package lsp

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/convert"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// metaBases are the base types of a meta model in the language. Unsigned integers end at 2^31-1 there, and the type is the next one that Go has.
var metaBases = map[string]string{"URI": "uri", "DocumentUri": "uri", "integer": "int32", "uinteger": "uint32", "decimal": "number",
	"RegExp": "string", "string": "string", "boolean": "boolean", "null": "null"}

// typ converts a type of the model.
func (m *metaModel) typ(t source.Cursor) *yaml.Node {
	if !m.d.Conv.Resolver.Work.Do(source.OfSchema) {
		m.d.Conv.Report.AddOpaque(t.Pointer, source.Ended)
		return tree.Text("any")
	}
	n := m.form(t)
	m.d.Conv.Origins[n] = t
	return n
}

// part converts a member of d that must be a type.
func (m *metaModel) part(d source.Cursor, member string) *yaml.Node {
	t, ok := d.Get(member)
	if !ok || t.Kind != ir.Object {
		m.d.Conv.Fault(d, "", "it needs a member %q, which is a type", member)
		return tree.Text("any")
	}
	return m.typ(t)
}

func (m *metaModel) form(t source.Cursor) *yaml.Node {
	if reason, ok := m.d.Conv.Decisions.OpaqueAt[t.Pointer]; ok {
		return m.d.Conv.Opaque(t, reason)
	}
	switch kind := t.TextOf("kind"); kind {
	case "base":
		if base := metaBases[t.TextOf("name")]; base != "" {
			return tree.Text(base)
		}
		m.d.Conv.Fault(t, "", "there is no base type %q", t.TextOf("name"))
	case "reference":
		return m.reference(t)
	case "array":
		return m.elements(t, "element", "list")
	case "map":
		return m.mapOf(t)
	case "or":
		return m.or(t)
	case "and":
		return m.and(t)
	case "tuple":
		return m.tuple(t, t.ElementsOf("items"))
	case "literal":
		n := tree.Mapping()
		value, _ := t.Get("value")
		m.addDocs(n, value)
		return convert.Short(m.fields(n, value), convert.Inner)
	case "stringLiteral", "integerLiteral", "booleanLiteral":
		value, _ := t.Get("value")
		return tree.With("const", tree.Value(value.Value))
	default:
		m.d.Conv.Fault(t, "", "there is no kind of type %q", kind)
	}
	return tree.Text("any")
}

func (m *metaModel) reference(t source.Cursor) *yaml.Node {
	name := t.TextOf("name")
	called, ok := m.called[name]
	if !ok {
		m.d.Conv.Fault(t, "", "there is no declaration of %q", name)
		return tree.Text("any")
	}
	return tree.Text(called)
}

// elements converts a list or a map by the type of its elements.
func (m *metaModel) elements(t source.Cursor, member, word string) *yaml.Node {
	e := m.part(t, member)
	if e.Kind == yaml.ScalarNode {
		return tree.Text(word + "<" + e.Value + ">")
	}
	return tree.With(word, e)
}

// mapOf converts a map. What is said of its keys, beyond their being text, the language has no words for.
func (m *metaModel) mapOf(t source.Cursor) *yaml.Node {
	key, _ := t.Get("key")
	if key.Pos.Valid() && !m.isText(key) {
		m.d.Conv.Report.Weaken(key.Pointer, "the keys of a map may be any text")
	}
	return m.elements(t, "value", "map")
}

// isText reports whether a type is text without a form.
func (m *metaModel) isText(t source.Cursor) bool {
	for range source.Deepest {
		if t.TextOf("kind") != "reference" {
			break
		}
		t, _ = m.kinds[t.TextOf("name")].Get("type")
	}
	return t.TextOf("kind") == "base" && t.TextOf("name") == "string"
}

// or converts a union: constants to an enum, something or null to what may be null, any JSON to any.
func (m *metaModel) or(t source.Cursor) *yaml.Node {
	all := t.ElementsOf("items")
	if len(all) == 0 {
		m.d.Conv.Fault(t, "", "a union needs items")
	}
	if m.isAny(all) {
		return tree.Text("any")
	}
	n := tree.Mapping()
	branches := NotNull(all)
	switch {
	case len(branches) == 0:
		return tree.Text("null")
	case literals(n, branches):
	case len(branches) == 1:
		if b := m.typ(branches[0]); b.Kind == yaml.ScalarNode {
			tree.Set(n, "type", b)
		} else {
			n.Content = b.Content
		}
	default:
		list := tree.Flow()
		for _, b := range branches {
			branch := m.typ(b)
			if branch.Kind != yaml.ScalarNode {
				list.Style = 0
			}
			list.Content = append(list.Content, branch)
		}
		tree.Set(n, "union", list)
	}
	if m.d.Conv.Decisions.Context[t.Pointer] {
		tree.Set(n, "by", tree.Text("context"))
		m.d.Conv.Report.Weaken(t.Pointer, convert.Unresolved)
	}
	if len(branches) < len(all) {
		convert.AllowNull(n)
	}
	return convert.Short(n, convert.Inner)
}

// NotNull leaves null out of the branches of a union.
func NotNull(items []source.Cursor) []source.Cursor {
	return slices.DeleteFunc(slices.Clone(items), func(t source.Cursor) bool { return t.TextOf("kind") == "base" && t.TextOf("name") == "null" })
}

// literals converts a union of different texts to an enum.
func literals(n *yaml.Node, branches []source.Cursor) bool {
	values := tree.Flow()
	seen := map[string]bool{}
	for _, b := range branches {
		value := b.TextOf("value")
		if b.TextOf("kind") != "stringLiteral" || seen[value] || len(branches) < 2 {
			return false
		}
		seen[value] = true
		v, _ := b.Get("value")
		values.Content = append(values.Content, tree.Value(v.Value))
	}
	tree.Set(n, "enum", values)
	return true
}

// isObject reports whether a structure is any object: 3.17 declares LSPObject as one without properties, and 3.18 as a map.
func isObject(d source.Cursor) bool {
	properties, ok := d.Get("properties")
	return ok && len(properties.Items) == 0 && d.TextOf("name") == "LSPObject"
}

// isAny reports whether a union is any JSON: it has text, numbers, booleans, null, and lists and maps of what it is itself.
func (m *metaModel) isAny(items []source.Cursor) bool {
	found := map[string]bool{}
	for _, item := range items {
		for range source.Deepest {
			if item.TextOf("kind") != "reference" {
				break
			}
			if item = m.kinds[item.TextOf("name")]; isObject(item) {
				found["map"] = true
			}
			item, _ = item.Get("type")
		}
		kind := item.TextOf("kind")
		if kind == "base" {
			kind = item.TextOf("name")
		}
		found[kind] = true
	}
	return found["string"] && found["boolean"] && found["null"] && found["decimal"] && found["array"] && found["map"]
}

// and converts what is several structures at once: an object that extends them.
func (m *metaModel) and(t source.Cursor) *yaml.Node {
	n, bases, fields := tree.Mapping(), tree.Flow(), tree.Mapping()
	for _, item := range t.ElementsOf("items") {
		switch item.TextOf("kind") {
		case "reference":
			bases.Content = append(bases.Content, m.reference(item))
		case "literal":
			value, _ := item.Get("value")
			m.addDocs(n, value)
			m.properties(fields, value)
		default:
			return m.d.Conv.Opaque(t, "only structures and literals can be joined")
		}
	}
	tree.SetSome(n, "extends", bases)
	tree.Set(n, "fields", fields)
	return n
}

// tuple converts a list of a fixed number of elements.
func (m *metaModel) tuple(t source.Cursor, items []source.Cursor) *yaml.Node {
	nodes := ir.Each(items, m.typ)
	if len(nodes) == 0 {
		return m.d.Conv.Opaque(t, "a tuple without elements cannot become a Go type")
	}
	n := tree.Mapping()
	convert.SetElements(n, nil, nodes, len(nodes))
	return n
}

// structure converts a structure. One that would mean something else with its bases has all their fields.
func (m *metaModel) structure(d source.Cursor) *yaml.Node {
	n := tree.Mapping()
	m.addDocs(n, d)
	if m.d.Conv.Decisions.Flat[m.d.Conv.Names[d.Pointer]] {
		tree.Set(n, "fields", m.flatten(d))
		return n
	}
	bases := tree.Flow()
	for _, base := range m.basesOf(d) {
		if bases.Content = append(bases.Content, m.reference(base)); base.TextOf("kind") != "reference" {
			m.d.Conv.Fault(base, "", "a base must be a reference")
		}
	}
	if len(bases.Content) > 0 {
		tree.Set(n, "extends", bases)
		m.d.Extended[m.d.Conv.Names[d.Pointer]] = true
	}
	if strings.HasPrefix(d.TextOf("name"), "_") {
		tree.Set(n, "mixin", tree.Plain("true"))
	}
	return m.fields(n, d)
}

// basesOf are what a structure extends and what is mixed into it.
func (m *metaModel) basesOf(d source.Cursor) []source.Cursor {
	return slices.Concat(d.ElementsOf("extends"), d.ElementsOf("mixins"))
}

// flatten has the fields of a structure and of its bases; those of a structure itself count more than those of its bases.
func (m *metaModel) flatten(d source.Cursor) *yaml.Node {
	fields := tree.Mapping()
	fieldSeen, visited := map[string]bool{}, map[string]bool{}
	var add func(d source.Cursor)
	add = func(d source.Cursor) {
		if visited[d.Pointer] {
			return
		}
		visited[d.Pointer] = true
		own := tree.Mapping()
		m.properties(own, d)
		tree.Each(own, func(key, value *yaml.Node) {
			if name := strings.TrimSuffix(key.Value, "?"); !fieldSeen[name] {
				fieldSeen[name] = true
				fields.Content = append(fields.Content, key, value)
			}
		})
		for _, base := range m.basesOf(d) {
			add(m.kinds[base.TextOf("name")])
		}
	}
	add(d)
	return fields
}

// fields adds the properties of a structure or a literal.
func (m *metaModel) fields(n *yaml.Node, d source.Cursor) *yaml.Node {
	fields := tree.Mapping()
	m.properties(fields, d)
	if len(fields.Content) > 0 || tree.Get(n, "extends") == nil {
		tree.Set(n, "fields", fields)
	}
	return n
}

func (m *metaModel) properties(fields *yaml.Node, d source.Cursor) {
	for _, p := range d.ElementsOf("properties") {
		name := p.TextOf("name")
		if name == "" {
			m.d.Conv.Fault(p, "", "a property needs a name")
			continue
		}
		if p.IsTrue("optional") {
			name += "?"
		}
		n := m.part(p, "type")
		words, of := tree.Mapping(), m.d.Conv.Origins[n]
		m.addDocs(words, p)
		n = convert.WithWords(n, words)
		m.d.Conv.Origins[n] = of
		tree.Add(fields, name, n)
	}
}

// alias converts a type alias.
func (m *metaModel) alias(d source.Cursor) *yaml.Node {
	words := tree.Mapping()
	m.addDocs(words, d)
	return convert.WithWords(m.part(d, "type"), words)
}

// enumeration converts an enumeration, whose values have names of their own.
func (m *metaModel) enumeration(d source.Cursor, name string) *yaml.Node {
	n := tree.Mapping()
	t, _ := d.Get("type")
	if base := metaBases[t.TextOf("name")]; base != "string" {
		tree.Set(n, "type", tree.Text(base))
	}
	m.addDocs(n, d)
	values, seen := tree.Mapping(), map[string]bool{}
	for _, v := range d.ElementsOf("values") {
		value, ok := v.Get("value")
		if !ok || value.Kind != ir.Text && value.Kind != ir.Integer {
			m.d.Conv.Fault(v, "", "a value of an enumeration is text or a whole number")
			continue
		}
		if seen[value.Text] {
			m.d.Conv.Report.Ignore(v.Pointer)
			continue
		}
		seen[value.Text] = true
		words := tree.Mapping()
		m.addDocs(words, v)
		if constant := tree.JoinWords(v.TextOf("name")); constant != tree.JoinWords(value.Text) {
			tree.Set(words, "go", tree.Text(name+constant))
		}
		values.Content = append(values.Content, tree.Value(value.Value), tree.NilIfEmpty(words))
	}
	tree.Set(n, "enum", convert.BareEnum(values))
	if d.IsTrue("supportsCustomValues") {
		tree.Set(n, "open", tree.Plain("true"))
	}
	return n
}
