package importer

import (
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// text is a scalar that is text, quoted where YAML would read something else.
func text(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: styleOf(s)}
	if strings.Contains(s, "\n") {
		n.Style = yaml.LiteralStyle
	}
	if strings.HasSuffix(s, "\n") {
		n.Style |= yaml.DoubleQuotedStyle // its line breaks at the end are part of it
	}
	return n
}

// jsonNumber is a number of JSON. Those that fit no float are text to the YAML library and numbers to the language.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func styleOf(s string) yaml.Style {
	if jsonNumber.MatchString(s) {
		return yaml.DoubleQuotedStyle
	}
	return 0
}

// plain is a scalar that stays as it is: a number, true, false, null, nothing.
func plain(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode} }

func flow(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: items}
}

func texts(words []string) *yaml.Node {
	n := flow()
	for _, w := range words {
		n.Content = append(n.Content, text(w))
	}
	return n
}

// valueNode is a JSON value as YAML.
func valueNode(v ir.Value) *yaml.Node {
	switch v.Kind {
	case ir.Text:
		n := text(v.Text)
		n.Style = styleOf(v.Text)
		return n
	case ir.Array:
		n := flow()
		for _, item := range v.Items {
			n.Content = append(n.Content, valueNode(item))
		}
		return n
	case ir.Object:
		n := mapping()
		n.Style = yaml.FlowStyle
		for _, m := range v.Fields {
			add(n, m.Name, valueNode(m.Value))
		}
		return n
	}
	return plain(v.Text)
}

// get returns the value of a key of a mapping, or nil.
func get(n *yaml.Node, key string) *yaml.Node {
	if i := indexOf(n, key); i >= 0 {
		return n.Content[i+1]
	}
	return nil
}

// indexOf is where a key stands in the content of a mapping; -1 when it does not.
func indexOf(n *yaml.Node, key string) int {
	if n == nil || n.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// entries is a mapping that grows at its end and knows where its keys stand.
type entries struct {
	node *yaml.Node
	at   map[string]int
}

func newEntries() *entries { return &entries{mapping(), map[string]int{}} }

// get returns the value of a key, or nil.
func (e *entries) get(key string) *yaml.Node {
	if i, ok := e.at[key]; ok {
		return e.node.Content[i+1]
	}
	return nil
}

// set gives a key a value, at the end when it is new.
func (e *entries) set(key string, value *yaml.Node) {
	if i, ok := e.at[key]; ok {
		e.node.Content[i+1] = value
		return
	}
	e.at[key] = len(e.node.Content)
	add(e.node, key, value)
}

// add gives a new key a value, at the end.
func add(n *yaml.Node, key string, value *yaml.Node) {
	n.Content = append(n.Content, text(key), value)
}

// set gives a key of a small mapping a value, at the end when it is new.
func set(n *yaml.Node, key string, value *yaml.Node) {
	if i := indexOf(n, key); i >= 0 {
		n.Content[i+1] = value
		return
	}
	add(n, key, value)
}

// first gives a new key a value before all others.
func first(n *yaml.Node, key string, value *yaml.Node) {
	n.Content = append([]*yaml.Node{text(key), value}, n.Content...)
}

func remove(n *yaml.Node, key string) {
	if i := indexOf(n, key); i >= 0 {
		n.Content = append(n.Content[:i:i], n.Content[i+2:]...)
	}
}

// each visits the keys and values of a mapping.
func each(n *yaml.Node, visit func(key, value *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		visit(n.Content[i], n.Content[i+1])
	}
}

func keysOf(n *yaml.Node) []string {
	var keys []string
	each(n, func(key, _ *yaml.Node) { keys = append(keys, key.Value) })
	return keys
}

// clone copies a tree.
func clone(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = clone(child)
	}
	return &c
}

// same reports whether two trees say the same, however they are styled.
func same(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || len(a.Content) != len(b.Content) || a.ShortTag() != b.ShortTag() {
		return false
	}
	for i := range a.Content {
		if !same(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
