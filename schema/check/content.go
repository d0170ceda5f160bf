package check

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// toolContent reads which content blocks a tool gives. Some kinds of blocks are newer than the first revisions of MCP.
func (c *serverChecker) toolContent(t *ir.Tool, e syntax.Entry) {
	t.Content = new(ir.Content)
	if e.Value.Kind == syntax.Sequence {
		c.contentKinds(t.Content, e)
	} else {
		c.contentWord(t.Content, e)
	}
	c.d.settle(func() {
		s := c.doc.Server
		for _, kind := range t.Content.Kinds {
			if s != nil && len(s.Revisions) > 0 && slices.Max(s.Revisions) < kind.Since() {
				c.d.report(diag.InvalidValue, valueSpan(e), "serve revision "+kind.Since()+" or a later one",
					"%s cannot give content of the kind %s: no revision of the server has it", t.Name, kind)
			}
		}
	})
}

// contentWord reads any, a kind, or a list of a kind.
func (c *serverChecker) contentWord(content *ir.Content, e syntax.Entry) {
	word := e.Value.Text
	if e.Value.Kind != syntax.Scalar || !slices.Contains(grammar.Tool().Value("content").Words, word) {
		c.d.report(diag.InvalidValue, valueSpan(e), "write any, a kind ("+orList(grammar.Tool().Value("content").Items.Words)+"), list<kind>, or a list of kinds",
			"%s cannot be %s", e.Key.Text, sourceText(e.Value))
		return
	}
	if word == "any" {
		return
	}
	kind, many := strings.CutPrefix(strings.TrimSuffix(word, ">"), "list<")
	content.Kinds, content.Many = []ir.ContentKind{ir.ContentKind(kind)}, many
}

// contentKinds reads a list of kinds.
func (c *serverChecker) contentKinds(content *ir.Content, e syntax.Entry) {
	content.Many = true
	known := grammar.Tool().Value("content").Items.Words
	for _, word := range c.d.words(e) {
		kind := ir.ContentKind(word.Text)
		switch {
		case !slices.Contains(known, word.Text):
			c.d.report(diag.InvalidValue, word.Span, "the kinds are "+orList(known), "content has no kind %q", word.Text)
		case slices.Contains(content.Kinds, kind):
			c.d.report(diag.InvalidValue, word.Span, "remove it", "the kind %s is there already", word.Text)
		default:
			content.Kinds = append(content.Kinds, kind)
		}
	}
	switch one := strings.Join(texts(e.Value.Items), ""); {
	case len(e.Value.Items) == 0:
		c.d.report(diag.InvalidValue, e.Value.Span, "write the kinds, of "+orList(known), "content lists no kinds")
	case len(e.Value.Items) == 1 && len(content.Kinds) == 1:
		c.d.report(diag.InvalidValue, e.Value.Span, "write "+one+" for one block, or list<"+one+"> for any number of them", "a list of kinds has at least two")
	}
}
