package format

import (
	"cmp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// node is a value with its canonical spelling.
type node struct {
	kind    yaml.Kind
	place   *grammar.Place
	text    string // scalar
	quoted  bool   // scalar: it is text whatever it looks like
	block   bool   // scalar: its author gave it lines of its own
	entries []*entry
}

// entry is an entry of a mapping, or an element of a list.
type entry struct {
	key     *node  // nil for an element of a list
	name    string // the key's text
	rule    *grammar.Key
	value   *node
	head    []string
	line    string
	foot    []string
	section bool // it holds declarations
	decl    bool // it is one
}

func build(y *yaml.Node, at *grammar.Place) *node {
	switch y.Kind {
	case yaml.MappingNode:
		n := &node{kind: yaml.MappingNode, place: at}
		for i := 0; i+1 < len(y.Content); i += 2 {
			n.entries = append(n.entries, member(y.Content[i], y.Content[i+1], at))
		}
		inOrder(n)
		return n.dropFirstGap()
	case yaml.SequenceNode:
		n := &node{kind: yaml.SequenceNode, place: at}
		items := cmp.Or(at.Items, grammar.Data())
		for _, item := range y.Content {
			e := &entry{value: build(item, items), head: linesOf(item.HeadComment), line: item.LineComment, foot: linesOf(item.FootComment)}
			collapse(e)
			n.entries = append(n.entries, e)
		}
		return n.dropFirstGap()
	}
	return spell(y, at)
}

// dropFirstGap forgets the empty line above the first entry: there is nothing to keep apart.
func (n *node) dropFirstGap() *node {
	if len(n.entries) > 0 && len(n.entries[0].head) > 0 && n.entries[0].head[0] == "" {
		n.entries[0].head = n.entries[0].head[1:]
	}
	return n
}

func member(key, value *yaml.Node, at *grammar.Place) *entry {
	e := &entry{name: key.Value, rule: at.Key(key.Value)}
	e.key = &node{text: key.Value, quoted: isText(key)}
	e.value = build(value, at.Value(key.Value))
	e.head = linesOf(joinTexts(key.HeadComment, value.HeadComment))
	e.line = joinedLine(key.LineComment, value.LineComment)
	e.foot = linesOf(joinTexts(value.FootComment, key.FootComment))
	e.section = e.rule != nil && e.rule.Section
	collapse(e)
	if e.section {
		for _, d := range e.value.entries {
			d.decl = true
		}
	}
	return e
}

// spell makes a scalar. Type expressions are written anew.
func spell(y *yaml.Node, at *grammar.Place) *node {
	n := &node{kind: yaml.ScalarNode, place: at, text: y.Value, quoted: isText(y)}
	n.block = y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	if at.Takes(grammar.Prose) {
		n.text = strings.TrimSpace(n.text)
		if y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 { // its author wants the line breaks at its end
			n.text += y.Value[len(strings.TrimRight(y.Value, "\n")):]
		}
	}
	if at.Takes(grammar.Expression) && n.text != "" {
		if e, fault := syntax.ParseExpr(&syntax.Node{Text: n.text}); fault == nil {
			n.text = e.String()
		}
	}
	return n
}

// collapse writes a schema that says its type and nothing else as the type expression: X instead of {type: X}, list<X> instead of {list: X}.
func collapse(e *entry) {
	if e.value.kind != yaml.MappingNode || !e.value.place.Takes(grammar.Expression) || e.value.place.Key("type") == nil || len(e.value.entries) != 1 {
		return
	}
	only := e.value.entries[0]
	word, known := map[string]string{"type": "", "list": "list", "map": "map"}[only.name]
	if !known || only.value.kind != yaml.ScalarNode || only.value.text == "" || len(only.head)+len(only.foot) > 0 || only.line != "" && e.line != "" {
		return
	}
	at := e.value.place
	e.value, e.line = only.value, e.line+only.line
	e.value.place = at
	if word != "" {
		e.value.text = word + "<" + e.value.text + ">"
		e.value.quoted = true
	}
}

func joinTexts(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return a + "\n" + b
}

func joinedLine(a, b string) string {
	if a != "" && b != "" {
		return a + " " + b
	}
	return a + b
}

// linesOf splits a comment. An empty line at either end stays.
func linesOf(comment string) []string {
	if comment == "" {
		return nil
	}
	lines := strings.Split(comment, "\n")
	if comment == "\n" {
		lines = lines[:1]
	}
	return lines
}
