package convert

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/source/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// prefixOf returns the schemas of elements by position, and that of further ones, without a kind if nothing is said of them. Draft-07 has other words.
func prefixOf(s source.Cursor) (prefix []source.Cursor, rest source.Cursor) {
	if all, ok := s.Get("prefixItems"); ok {
		rest, _ = s.Get("items")
		return all.Elements(), rest
	}
	if all, _ := s.Get("items"); all.Kind == ir.Array {
		rest, _ = s.Get("additionalItems")
		return all.Elements(), rest
	}
	return nil, source.Cursor{}
}

// tuple converts an array whose elements have schemas of their own, by position. Those that minItems does not ask for may be missing.
func (c *Converter) tuple(m *yaml.Node, s source.Cursor, prefix []source.Cursor, rest source.Cursor) string {
	least, lower := countOf(s, "minItems", 0)
	most, upper := countOf(s, "maxItems", -1)
	unique, _ := s.Get("uniqueItems")
	closed := rest.Kind == ir.Boolean && rest.Text == "false"
	if most >= 0 && most <= len(prefix) {
		prefix, closed = prefix[:most], true
	}
	switch {
	case unique.Text == "true":
		return "elements of several types that must differ cannot become a Go type"
	case lower != "" || upper != "":
		return lower + upper
	case len(prefix) > grammar.MostMembers:
		return fmt.Sprintf("the array has more than %d elements with schemas of their own", grammar.MostMembers)
	case closed && least > len(prefix):
		return "no array has as many elements as it asks for"
	case len(prefix) == 0:
		return "no array but the empty one fits"
	}
	c.elements(m, prefix, least)
	if !closed {
		further := tree.Text("any")
		if rest.Pos.File != "" {
			further = c.Schema(rest, Inner)
		}
		tree.Set(m, "rest", further)
		if least > len(prefix) {
			tree.Set(m, "minItems", tree.Plain(strconv.Itoa(least)))
		}
		if most >= 0 {
			tree.Set(m, "maxItems", tree.Plain(strconv.Itoa(most)))
		}
	}
	return ""
}

// mostItems bounds the counts of elements that are read as numbers.
const mostItems = 1 << 30

// countOf reads a count of elements, or says why it cannot.
func countOf(s source.Cursor, keyword string, unset int) (n int, reason string) {
	v, ok := s.Get(keyword)
	if !ok {
		return unset, ""
	}
	n, err := strconv.Atoi(strings.TrimSuffix(v.Text, ".0"))
	if err != nil || n < 0 || n > mostItems || v.Kind != ir.Integer && v.Kind != ir.Number {
		return unset, keyword + " is not a count of elements"
	}
	return n, ""
}

// elements adds the elements of a tuple: as a list, or by name where they have names or may be missing.
func (c *Converter) elements(m *yaml.Node, prefix []source.Cursor, least int) {
	nodes := ir.Each(prefix, func(item source.Cursor) *yaml.Node { return c.Schema(item, Inner) })
	names := c.elementNames(prefix)
	for i, name := range names {
		nodes[i] = c.dropTitle(nodes[i], name)
	}
	SetElements(m, names, nodes, least)
}

// dropTitle leaves out a title that says no more than the name.
func (c *Converter) dropTitle(n *yaml.Node, name string) *yaml.Node {
	if title := tree.Get(n, "title"); title == nil || title.Value != name {
		return n
	}
	tree.Remove(n, "title")
	rest := Short(n, Inner)
	c.Origins[rest] = c.Origins[n]
	return rest
}

// SetElements adds elements of which least must be there; names are nil where they have none.
func SetElements(m *yaml.Node, names []string, nodes []*yaml.Node, least int) {
	if names == nil && least >= len(nodes) {
		list := tree.Flow(nodes...)
		for _, n := range nodes {
			if n.Kind != yaml.ScalarNode {
				list.Style = 0
			}
		}
		tree.Set(m, "tuple", list)
		return
	}
	all := tree.Mapping()
	for i, n := range nodes {
		name := ir.Ordinal(i)
		if names != nil {
			name = names[i]
		}
		if i >= least {
			name += "?"
		}
		tree.Add(all, name, n)
	}
	tree.Set(m, "tuple", all)
}

// longestElement is how many bytes of a title still make the name of an element.
const longestElement = 40

// elementNames names elements by their titles, or by the types that they refer to; nil where these do not give each a name of its own.
func (c *Converter) elementNames(prefix []source.Cursor) []string {
	names, seen := make([]string, len(prefix)), map[string]bool{}
	for i, item := range prefix {
		title := item.TextOf("title")
		if title == "" || len(title) > longestElement {
			target, _, _ := c.Resolver.RefersTo(item) // an empty pointer if it refers to nothing
			title = c.Names[target.Pointer]
		}
		if title == "" {
			return nil
		}
		name := tree.JoinWords(title)
		names[i] = strings.ToLower(name[:1]) + name[1:]
		key := strings.ToLower(name)
		if seen[key] || key == "rest" {
			return nil
		}
		seen[key] = true
	}
	return names
}
