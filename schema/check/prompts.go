package check

import (
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

func (c *serverChecker) promptsKey(section syntax.Entry) {
	for _, e := range c.d.entries(section, "write name: {description: ..., arguments: ...}") {
		if c.d.wireName(e.Key, e.Key.Text, "a prompt") {
			c.doc.Prompts = append(c.doc.Prompts, c.prompt(e))
		}
	}
}

func (c *serverChecker) prompt(entry syntax.Entry) *ir.Prompt {
	p := &ir.Prompt{Name: entry.Key.Text, Meta: c.d.meta(entry.Value, entry.Key.Span.Pos)}
	if entry.Value.IsEmpty() || !c.d.mapping(entry, "write {description: ..., arguments: ...}") {
		return p
	}
	c.d.keys(entry.Value, "a prompt", grammar.Prompt())
	for _, e := range entry.Value.Entries {
		switch e.Key.Text {
		case "arguments":
			if p.Arguments = c.types.textFields(e); p.Arguments != nil {
				c.d.settle(func() { c.arguments(p) })
			}
		case "icons":
			p.Icons = c.icons(e)
		}
	}
	return p
}

// arguments reports those that are not text: MCP carries prompt arguments as strings.
func (c *serverChecker) arguments(p *ir.Prompt) {
	for _, f := range p.Arguments.Fields {
		if !ir.IsText(f.Type) && !c.d.faulty[ir.Underlying(f.Type)] {
			c.d.report(diag.InvalidArgument, point(f.Pos, len(f.Name)), "use a string or an enum of text", "an argument of a prompt is text, not %s",
				ir.Describe(f.Type))
		}
	}
}
