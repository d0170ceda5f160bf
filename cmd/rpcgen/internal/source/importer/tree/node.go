package tree

import (
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// Text is a scalar that is text, quoted where YAML would read something else.
func Text(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: styleOf(s)}
	if strings.Contains(s, "\n") && n.Style == 0 {
		n.Style = yaml.LiteralStyle
	}
	if strings.HasSuffix(s, "\n") {
		n.Style |= yaml.DoubleQuotedStyle // its line breaks at the end are part of it
	}
	return n
}

// jsonNumber is a number of JSON. Those that fit no float are text to the YAML library and numbers to the language.
var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// styleOf is the style of a text. The YAML library writes line breaks that only YAML knows as they are, but within double quotes.
func styleOf(s string) yaml.Style {
	if jsonNumber.MatchString(s) || strings.ContainsAny(s, "\u2028\u2029") {
		return yaml.DoubleQuotedStyle
	}
	return 0
}

// Plain is a scalar that stays as it is: a number, true, false, null, nothing.
func Plain(s string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: s} }

// NilIfEmpty is a mapping, or nothing in the place of an empty one.
func NilIfEmpty(m *yaml.Node) *yaml.Node {
	if len(m.Content) == 0 {
		return Plain("")
	}
	return m
}

// Mapping is an empty mapping.
func Mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode} }

// With is a mapping of one key.
func With(key string, value *yaml.Node) *yaml.Node {
	n := Mapping()
	Add(n, key, value)
	return n
}

// Flow is a list on one line.
func Flow(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: items}
}

// Texts is a list of texts on one line.
func Texts(words []string) *yaml.Node { return Flow(ir.Each(words, Text)...) }

// Value is a JSON value as YAML.
func Value(v ir.Value) *yaml.Node {
	switch v.Kind {
	case ir.Text:
		n := Text(v.Text)
		n.Style = styleOf(v.Text)
		return n
	case ir.Array:
		return Flow(ir.Each(v.Items, Value)...)
	case ir.Object:
		n := Mapping()
		n.Style = yaml.FlowStyle
		for _, m := range v.Fields {
			Add(n, m.Name, Value(m.Value))
		}
		return n
	}
	return Plain(v.Text)
}

// Get returns the value of a key of a mapping, or nil.
func Get(n *yaml.Node, key string) *yaml.Node {
	if i := IndexOf(n, key); i >= 0 {
		return n.Content[i+1]
	}
	return nil
}

// IndexOf is where a key stands in the content of a mapping; -1 when it does not.
func IndexOf(n *yaml.Node, key string) int {
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

// Entries is a mapping that grows at its end and knows where its keys stand.
type Entries struct {
	Node    *yaml.Node
	At      map[string]int
	Numbers map[string]int // those that names got last which others have without one: lower ones are taken
}

// NewEntries returns an empty mapping.
func NewEntries() *Entries { return &Entries{Mapping(), map[string]int{}, map[string]int{}} }

// Get returns the value of a key, or nil.
func (e *Entries) Get(key string) *yaml.Node {
	if i, ok := e.At[key]; ok {
		return e.Node.Content[i+1]
	}
	return nil
}

// Set gives a key a value, at the end when it is new.
func (e *Entries) Set(key string, value *yaml.Node) {
	if i, ok := e.At[key]; ok {
		e.Node.Content[i+1] = value
		return
	}
	e.At[key] = len(e.Node.Content)
	Add(e.Node, key, value)
}

// Add gives a new key a value, at the end.
func Add(n *yaml.Node, key string, value *yaml.Node) {
	n.Content = append(n.Content, Text(key), value)
}

// Set gives a key of a small mapping a value, at the end when it is new.
func Set(n *yaml.Node, key string, value *yaml.Node) {
	if i := IndexOf(n, key); i >= 0 {
		n.Content[i+1] = value
		return
	}
	Add(n, key, value)
}

// SetSome is Set for a value that says something: one that is nil, empty text, or a mapping or a list of nothing leaves the mapping as it is.
func SetSome(n *yaml.Node, key string, value *yaml.Node) {
	if value != nil && (value.Value != "" || len(value.Content) > 0) {
		Set(n, key, value)
	}
}

// First gives a new key a value before all others.
func First(n *yaml.Node, key string, value *yaml.Node) {
	n.Content = append([]*yaml.Node{Text(key), value}, n.Content...)
}

// Remove removes a key of a mapping, if it is there.
func Remove(n *yaml.Node, key string) {
	if i := IndexOf(n, key); i >= 0 {
		n.Content = append(n.Content[:i:i], n.Content[i+2:]...)
	}
}

// Each visits the keys and values of a mapping.
func Each(n *yaml.Node, visit func(key, value *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		visit(n.Content[i], n.Content[i+1])
	}
}

// KeysOf are the keys of a mapping, in order.
func KeysOf(n *yaml.Node) []string {
	var keys []string
	Each(n, func(key, _ *yaml.Node) { keys = append(keys, key.Value) })
	return keys
}

// Clone copies a tree.
func Clone(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Content = ir.Each(n.Content, Clone)
	return &c
}

// Same reports whether two trees say the same, however they are styled.
func Same(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Value == b.Value && len(a.Content) == len(b.Content) && a.ShortTag() == b.ShortTag() &&
		slices.EqualFunc(a.Content, b.Content, Same)
}

// IsEmpty reports whether nothing is written, as of an enum value of which nothing is said.
func IsEmpty(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "" }

// Words are the scalars of a list, or the one scalar.
func Words(n *yaml.Node) []string {
	if n == nil {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	return ir.Each(n.Content, func(item *yaml.Node) string { return item.Value })
}
