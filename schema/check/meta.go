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
			m.Deprecated = c.deprecation(e)
		case key == "go":
			m.Go = c.goName(e)
		case grammar.IsExtension(key):
			m.Ext = append(m.Ext, ir.Ext{Key: key, Value: c.value(e.Value)})
		}
	}
	return m
}

// deprecation has three forms: a reason, true, or a mapping.
func (c *reader) deprecation(e syntax.Entry) *ir.Deprecated {
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
		c.plain(e, map[string]any{"since": &d.Since, "remove": &d.Remove, "reason": &d.Reason, "use": &d.Use})
	}
	d.Reason = strings.TrimSpace(d.Reason)
	return d
}

// goName is a name, or {name, type, import}.
func (c *reader) goName(e syntax.Entry) ir.GoName {
	g := ir.GoName{Pos: e.Value.Span.Pos}
	exported := func(e syntax.Entry) string {
		name := c.text(e)
		if name != "" {
			c.goIdentifier(e.Value)
		}
		return name
	}
	if e.Value.Kind != syntax.Mapping {
		g.Name = exported(e)
		return g
	}
	c.keys(e.Value, "go", grammar.Method().Value("go"))
	for _, e := range e.Value.Entries {
		switch e.Key.Text {
		case "name":
			g.Name = exported(e)
		case "type":
			g.Type = exported(e)
		case "import":
			g.Import = c.importPath(e)
		}
	}
	if (g.Type == "") != (g.Import == "") {
		c.report(diag.MissingKey, e.Key.Span, "write go: {type: URL, import: net/url}", "binding a Go type takes both type and import")
	}
	return g
}
