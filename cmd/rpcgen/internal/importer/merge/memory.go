package merge

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/format"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/source"
	"github.com/rpcgen-go/rpcgen/cmd/rpcgen/internal/importer/tree"
	"github.com/rpcgen-go/rpcgen/schema"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	escape "github.com/rpcgen-go/rpcgen/schema/text"
)

// memory is what an import of the source said last about one place of the schema: the base of a merge of three, with the file and with what the
// source says now. The zero memory knows nothing.
type memory struct {
	known bool
	node  *yaml.Node // nil if the source said nothing here
}

// remember reads what the last import wrote next to the file. Without it, or if it cannot be read or comes from another import than the file, nothing is
// known, and the report says so.
func (k *keeper) remember(source *source.Source, file *yaml.Node) {
	if source == nil {
		k.report.Forgotten = "there is no record of what the source said last, so what the file says in words stays"
		return
	}
	document, faults := format.Parse(source.Name, source.Text)
	if faults.HasErrors() || !schema.IsSchema(source.Text) || root(document).Kind != yaml.MappingNode {
		k.report.Forgotten = escape.Line(source.Name) + " is not a record of what the source said last, so what the file says in words stays"
		return
	}
	of := func(n *yaml.Node) *yaml.Node { return tree.Get(tree.Get(n, "x-import"), "sha256") }
	if is, was := of(file), of(root(document)); is != nil && was != nil && is.Value != was.Value {
		k.report.Forgotten = escape.Line(source.Name) + " is the record of another import than that of the file, so what the file says in words stays"
		return
	}
	k.last = memory{true, root(document)}
}

// Record writes what the source says, with the overlays, for the next import.
func Record(fresh *yaml.Node) []byte {
	const head = "# What the source said when rpcgen import read it last. It is compared with what the source says next: commit it, and leave it as it is.\n"
	return append([]byte(head), tree.Encode(fresh)...)
}

// value is what was said about a key.
func (m memory) value(key string, place *grammar.Place) memory {
	_, value := m.entry(key, place)
	return memory{m.known, value}
}

// entry returns a key as it was written, such as that of a field, which may have been optional, and what was said about it.
func (m memory) entry(key string, place *grammar.Place) (written string, value *yaml.Node) {
	if at := keysIn(m.node, place).find(key); at >= 0 {
		return m.node.Content[at].Value, m.node.Content[at+1]
	}
	return "", nil
}

// said reports whether this is what the source said last.
func (m memory) said(n *yaml.Node) bool { return m.known && m.node != nil && alike(m.node, n) }

// alike reports whether two trees say the same, however they are styled, in whatever order the keys of their mappings stand, and whatever space
// stands around their texts, which files are written without.
func alike(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) || a.ShortTag() != b.ShortTag() || strings.TrimSpace(a.Value) != strings.TrimSpace(b.Value) {
		return false
	}
	if a.Kind == yaml.MappingNode {
		return alikeMappings(a, b)
	}
	for i := range a.Content {
		if !alike(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// alikeMappings is alike for mappings of as many keys.
func alikeMappings(a, b *yaml.Node) bool {
	var at map[string]int // where the keys of b stand; nil while they stand as in a
	for i := 0; i+1 < len(a.Content); i += 2 {
		j := i
		if at == nil && b.Content[i].Value != a.Content[i].Value {
			at = keysIn(b, grammar.Data()).at
		}
		if at != nil {
			var there bool
			if j, there = at[a.Content[i].Value]; !there {
				return false
			}
		}
		if !alike(a.Content[i+1], b.Content[j+1]) {
			return false
		}
	}
	return true
}

// Shorten writes schemas that say their type and nothing else as type expressions, as files are written: list<X> instead of {list: X}.
func Shorten(n *yaml.Node, place *grammar.Place) {
	if place == nil || place == grammar.Data() {
		return
	}
	tree.Each(n, func(key, value *yaml.Node) { Shorten(value, place.Value(key.Value)) })
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			Shorten(item, place.Items)
		}
	}
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 || !place.Takes(grammar.Expression) || place.Key("type") == nil {
		return
	}
	only := n.Content[1]
	word, known := map[string]string{"type": "", "list": "list", "map": "map"}[n.Content[0].Value]
	if !known || only.Kind != yaml.ScalarNode || only.Value == "" {
		return
	}
	expression := only.Value
	if word != "" {
		expression = word + "<" + expression + ">"
	}
	short := tree.Text(expression)
	n.Kind, n.Tag, n.Value, n.Style, n.Content = short.Kind, short.Tag, short.Value, short.Style, nil
}

// lifted gives what was said the form of a mapping. Where it has none, nothing is known.
func (m memory) lifted(place *grammar.Place) memory {
	if !m.known || m.node == nil {
		return m
	}
	n := lift(m.node, place)
	return memory{n != nil, n}
}

// below writes a JSON Pointer to a member.
func below(pointer, key string) string { return pointer + "/" + ir.EscapePointer(key) }

// mostShown is how many characters of a value a report shows.
const mostShown = 60

// shownNode is a value on one line, for the report; empty if there is none.
func shownNode(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() != "!!str" {
		return n.Value
	}
	if n.Kind == yaml.ScalarNode {
		return shortened(strconv.Quote(n.Value))
	}
	n = tree.Clone(n)
	flowing(n)
	return shortened(strings.TrimSpace(string(tree.Encode(n))))
}

// flowing writes a tree on one line, without comments.
func flowing(n *yaml.Node) {
	n.Style, n.HeadComment, n.LineComment, n.FootComment = yaml.FlowStyle, "", "", ""
	for _, child := range n.Content {
		flowing(child)
	}
}

func shortened(s string) string {
	if runes := []rune(s); len(runes) > mostShown {
		return string(runes[:mostShown]) + "..."
	}
	return s
}
