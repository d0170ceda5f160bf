package importer

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// unresolved is why a union is weakened.
const unresolved = "nothing tells the branches apart: the value is kept as it is, and read as one of them by Go code"

// union converts anyOf and oneOf: constants to an enum, something or null to something that may be null, and the rest to a
// union.
func (c *converter) union(m *yaml.Node, s cursor) string {
	all, ok := s.get("anyOf")
	if ok && s.has("oneOf") || hasAny(s, objectKeywords) || hasAny(s, []string{"items"}) || hasAny(s, ruleKeywords) {
		return "a union has another schema beside it"
	}
	if !ok {
		all, _ = s.get("oneOf")
	}
	items := all.items()
	if len(items) == 0 {
		c.fault(all, "", "a union must be a list of schemas")
		return ""
	}
	if constants(m, items) {
		return ""
	}
	var branches []cursor
	for _, item := range items {
		if !isNull(item) {
			branches = append(branches, item)
		}
	}
	if len(branches) > grammar.MostBranches {
		return fmt.Sprintf("the union has more than %d branches", grammar.MostBranches)
	}
	c.branches(m, branches)
	if c.context[s.pointer] {
		set(m, "by", text("context"))
		c.report.weaken(s.pointer, unresolved)
	}
	if len(branches) < len(items) {
		allowNull(m)
	}
	return ""
}

func (c *converter) branches(m *yaml.Node, branches []cursor) {
	switch len(branches) {
	case 0:
		set(m, "union", flow())
		return
	case 1:
		n := c.schema(branches[0], inner)
		if n.Kind == yaml.ScalarNode {
			set(m, "type", n)
		} else {
			m.Content = append(m.Content, n.Content...)
		}
		return
	}
	list := flow()
	for _, b := range branches {
		n := c.schema(b, inner)
		if n.Kind != yaml.ScalarNode {
			list.Style = 0
		}
		list.Content = append(list.Content, alternatives(b, n)...)
	}
	set(m, "union", list)
}

// alternatives gives each kind of `type: [string, integer]` within a union a branch of its own.
func alternatives(s cursor, n *yaml.Node) []*yaml.Node {
	t, _ := s.get("type")
	if t.Kind != ir.Array || n.Kind != yaml.ScalarNode {
		return []*yaml.Node{n}
	}
	var each []*yaml.Node
	for _, name := range strings.Split(n.Value, " | ") {
		each = append(each, text(name))
	}
	return each
}

// isNull reports whether a schema takes null and nothing else.
func isNull(s cursor) bool {
	t, ok := s.get("type")
	v, isConst := s.get("const")
	return ok && t.Kind == ir.Text && t.Text == "null" || isConst && v.Kind == ir.Null
}

// constants converts a union of constants to an enum whose values have words of their own.
func constants(m *yaml.Node, items []cursor) bool {
	values, seen := mapping(), map[string]bool{}
	list := flow()
	kind := ir.Null
	for i, item := range items {
		v, ok := item.get("const")
		if !ok || v.Kind != ir.Text && v.Kind != ir.Integer || i > 0 && v.Kind != kind || seen[v.Text] {
			return false
		}
		kind, seen[v.Text] = v.Kind, true
		n := valueNode(v.Value)
		values.Content = append(values.Content, n, valueWords(item))
		list.Content = append(list.Content, clone(n))
	}
	for i := 1; i < len(values.Content); i += 2 {
		if values.Content[i].Kind == yaml.MappingNode || values.Content[i].Value != "" {
			set(m, "enum", values)
			return true
		}
	}
	set(m, "enum", list)
	return true
}

// valueWords is what a schema says of a constant: nothing, a description, or a mapping.
func valueWords(s cursor) *yaml.Node {
	doc, title := s.text("description"), s.text("title")
	d, deprecated := s.get("deprecated")
	deprecated = deprecated && d.Text == "true"
	switch {
	case title == "" && !deprecated && doc == "":
		return plain("")
	case title == "" && !deprecated:
		return text(doc)
	}
	m := mapping()
	for _, word := range []struct{ key, text string }{{"title", title}, {"description", doc}} {
		if word.text != "" {
			set(m, word.key, text(word.text))
		}
	}
	if deprecated {
		set(m, "deprecated", deprecation(s))
	}
	return m
}
