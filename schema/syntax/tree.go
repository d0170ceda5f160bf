package syntax

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// node turns a node of the library into one of the tree. It goes on after a fault, so that all of them are reported.
func (p *parser) node(y *yaml.Node, depth int) *Node {
	if p.aliases && y.Kind == yaml.AliasNode && depth <= maxDepth { // deeper, it may be a circle
		return p.node(y.Alias, depth+1)
	}
	n := &Node{Span: p.at(y.Line, p.Offset(y.Line, y.Column), 1)}
	if !p.allowed(y, n.Span, depth) {
		return n
	}
	switch y.Kind {
	case yaml.MappingNode:
		n.Kind = Mapping
		p.entries(n, y, depth)
	case yaml.SequenceNode:
		n.Kind = Sequence
		n.Items = make([]*Node, 0, len(y.Content))
		for _, item := range y.Content {
			n.Items = append(n.Items, p.node(item, depth+1))
		}
	default:
		p.scalar(n, y)
	}
	if !p.aliases {
		y.Content = nil // both trees would take twice the memory
	}
	return n
}

// allowed rejects the YAML that a schema does not use, and trees without measure.
func (p *parser) allowed(y *yaml.Node, at diag.Span, depth int) bool {
	p.nodes++
	switch {
	case p.nodes > p.values:
		if p.nodes == p.values+1 {
			p.report(diag.TooLarge, at, splitHelp, "the schema has more than %d values", p.values)
		}
	case depth > maxDepth:
		p.report(diag.TooLarge, at, "give the inner part a name of its own", "values are nested deeper than %d", maxDepth)
	case y.Kind == yaml.AliasNode:
		at.Len = len(y.Value) + 1
		p.report(diag.YAMLAlias, at, aliasHelp, "a schema may not use YAML aliases")
	case y.Anchor != "" && !p.aliases:
		p.anchor(y.Anchor, at)
	case y.Style&yaml.TaggedStyle != 0:
		at.Len = wordLength(p.line(at.Line)[at.Col-1:])
		p.report(diag.YAMLTag, at, "leave the tag out; quote the value to make it text", "a schema may not use YAML tags")
	default:
		return true
	}
	return false
}

// anchor reports &name, which the library gives the position of a tag before it, if there is one.
func (p *parser) anchor(name string, at diag.Span) {
	if skip := strings.Index(p.line(at.Line)[at.Col-1:], "&"+name); skip > 0 {
		at.Col += skip
	}
	at.Len = len(name) + 1
	p.report(diag.YAMLAnchor, at, aliasHelp, "a schema may not use YAML anchors")
}

func wordLength(text string) int {
	if end := strings.IndexAny(text, " \t,]}"); end > 0 {
		return end
	}
	return max(1, len(text))
}

func (p *parser) entries(n *Node, y *yaml.Node, depth int) {
	n.Entries = make([]Entry, 0, len(y.Content)/2)
	seen := make(map[string]*Node, len(y.Content)/2)
	var merged []*Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := p.node(y.Content[i], depth+1)
		value := p.node(y.Content[i+1], depth+1)
		if p.aliases && key.Kind == Scalar && key.Text == "<<" && key.Style == Plain {
			merged = append(merged, value)
			continue
		}
		if !p.key(key, y.Content[i]) || !p.valued(key, y.Content[i+1], y.Style) {
			continue
		}
		if first, ok := seen[key.Text]; ok {
			p.faults = append(p.faults, diag.Diagnostic{Code: diag.DuplicateKey, Span: key.Span,
				Message: "the key " + quote(key.Text) + " is already there", Help: "remove one of the two",
				Related: []diag.Related{{Span: first.Span, Message: "other " + quote(key.Text)}}})
			continue
		}
		seen[key.Text] = key
		n.Entries = append(n.Entries, Entry{key, value})
	}
	for _, value := range merged {
		p.merge(n, value, seen)
	}
}

// merge adds the entries of a mapping, or of several, that a mapping does not have.
func (p *parser) merge(n, value *Node, seen map[string]*Node) {
	all := value.Items
	if value.Kind == Mapping {
		all = []*Node{value}
	}
	for _, m := range all {
		for _, e := range m.Entries {
			if seen[e.Key.Text] == nil {
				seen[e.Key.Text] = e.Key
				n.Entries = append(n.Entries, e)
			}
		}
	}
}

func (p *parser) key(key *Node, y *yaml.Node) bool {
	switch {
	case !p.aliases && (y.Kind == yaml.AliasNode || y.Anchor != ""), p.nodes > p.values, y.Style&yaml.TaggedStyle != 0:
		return false // reported already
	case key.Kind != Scalar:
		p.report(diag.InvalidKey, key.Span, "quote it if it is text", "a key must be text, not %s", key.Kind)
	case key.Text == "<<" && key.Style == Plain:
		p.report(diag.MergeKey, key.Span, "use extends to take over fields", "a schema may not use YAML merge keys")
	case key.IsEmpty():
		p.report(diag.InvalidKey, key.Span, "write the key before the colon", "a key is missing here")
	case len(strconv.Quote(key.Text)) > maxKey:
		p.report(diag.TooLarge, key.Span, "choose a shorter name", "a key has more than %d bytes, as it would be written in quotes", maxKey)
	default:
		return true
	}
	return false
}

// valued reports a key within braces that has no colon: most often it is the rest of a text with a comma.
func (p *parser) valued(key *Node, value *yaml.Node, style yaml.Style) bool {
	if p.aliases || style&yaml.FlowStyle == 0 || key.Style != Plain || value.Tag != "!!null" || value.Value != "" {
		return true
	}
	line := p.line(key.Span.Line)
	after := strings.TrimLeft(line[min(len(line), key.Span.Col-1+key.Span.Len):], " ")
	name, text, glued := strings.Cut(key.Text, ":")
	help := "quote a text that holds a comma; a key has a colon and a value"
	switch {
	case strings.HasPrefix(after, ":"):
		return true
	case glued:
		help = strings.TrimSpace("write a blank after the colon: " + name + ": " + text)
	}
	p.valueless = append(p.valueless, diag.Diagnostic{Code: diag.InvalidKey, Span: key.Span, Message: quote(key.Text) + " has no value", Help: help})
	return false
}

func (p *parser) scalar(n *Node, y *yaml.Node) {
	n.Text = y.Value
	line := p.line(n.Span.Line)[n.Span.Col-1:]
	switch {
	case y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		n.Style, n.inner = Block, -1
		if strings.HasPrefix(strings.TrimLeft(line[1:], "123456789"), "+") {
			n.Style = Kept
		}
	case y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		n.Style, n.inner = Quoted, -1
		n.Span.Len = len(line)
		if strings.HasPrefix(line[1:], y.Value) && strings.HasPrefix(line[1+len(y.Value):], line[:1]) {
			n.Span.Len, n.inner = len(y.Value)+2, 1
		} else if end := closingQuote(line); end > 0 {
			n.Span.Len = end + 1
		}
	case y.Value == "":
	case strings.HasPrefix(line, y.Value):
		n.Span.Len = len(y.Value)
	default:
		n.inner = -1
		n.Span.Len = len(strings.TrimRight(line, " \t"))
	}
}

// closingQuote finds the end of the quoted text that line begins with; 0 when it goes on below.
func closingQuote(line string) int {
	for i := 1; i < len(line); i++ {
		switch {
		case line[0] == '"' && line[i] == '\\':
			i++
		case line[0] == '\'' && strings.HasPrefix(line[i:], "''"):
			i++
		case line[i] == line[0]:
			return i
		}
	}
	return 0
}

func quote(text string) string { return `"` + text + `"` }
