package check

import (
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// meta reads what a mapping says about itself. A scalar says nothing.
func (c *reader) meta(n *syntax.Node, pos diag.Pos) ir.Meta {
	m := ir.Meta{Pos: pos}
	if n.Kind != syntax.Mapping {
		return m
	}
	for _, e := range n.Entries {
		m.Keys = append(m.Keys, ir.Key{Name: e.Key.Text, Pos: e.Key.Span.Pos})
		switch key := e.Key.Text; {
		case key == "description":
			doc := c.text(e)
			m.Doc = strings.TrimSpace(doc)
			if e.Value.Style == syntax.Quoted || e.Value.Style == syntax.Kept {
				m.DocEnd = doc[len(strings.TrimRight(doc, "\n")):]
			}
		case key == "title":
			m.Title = c.text(e)
		case key == "deprecated":
			m.Deprecated = c.deprecated(e)
		case key == "go":
			m.Go = c.goName(e)
		case grammar.IsExtension(key):
			m.Ext = append(m.Ext, ir.Ext{Key: key, Value: c.value(e.Value)})
		}
	}
	return m
}

// deprecated has three forms: a reason, true, or a mapping.
func (c *reader) deprecated(e syntax.Entry) *ir.Deprecated {
	if e.Value.Kind != syntax.Mapping {
		switch text := c.text(e); {
		case e.Value.JSON() != ir.Boolean:
			return &ir.Deprecated{Reason: strings.TrimSpace(text)}
		case text == "true":
			return &ir.Deprecated{}
		}
		return nil
	}
	c.keys(e.Value, "deprecated", grammar.Method().Value("deprecated"))
	d := &ir.Deprecated{}
	for _, e := range e.Value.Entries {
		switch e.Key.Text {
		case "since":
			d.Since = c.text(e)
		case "remove":
			d.Remove = c.text(e)
		case "reason":
			d.Reason = strings.TrimSpace(c.text(e))
		case "use":
			d.Use = c.text(e)
		}
	}
	return d
}

// goName is a name, or {name, type, import}.
func (c *reader) goName(e syntax.Entry) ir.GoName {
	g := ir.GoName{Pos: e.Value.Span.Pos}
	if e.Value.Kind != syntax.Mapping {
		if g.Name = c.text(e); g.Name != "" {
			c.goIdentifier(e.Value)
		}
		return g
	}
	c.keys(e.Value, "go", grammar.Method().Value("go"))
	for _, e := range e.Value.Entries {
		switch e.Key.Text {
		case "name":
			if g.Name = c.text(e); g.Name != "" {
				c.goIdentifier(e.Value)
			}
		case "type":
			if g.Type = c.text(e); g.Type != "" {
				c.goIdentifier(e.Value)
			}
		case "import":
			g.Import = c.importPath(e)
		}
	}
	if (g.Type == "") != (g.Import == "") {
		c.report(diag.MissingKey, e.Key.Span, "write go: {type: URL, import: net/url}", "binding a Go type takes both type and import")
	}
	return g
}
