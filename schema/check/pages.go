package check

import (
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

// MCP Apps (SEP-1865): pages that hosts show for tools are resources of this scheme and MIME type.
const (
	pageScheme   = "ui://"
	pageMIMEType = "text/html;profile=mcp-app"
)

// isPage reports whether a resource, or those of a template, are pages.
func isPage(r *ir.Resource) bool {
	return strings.HasPrefix(r.URI, pageScheme) || r.Template != nil && strings.HasPrefix(r.Template.Text, pageScheme)
}

// page checks a resource whose URI is one of MCP Apps. Hosts show it only if it is HTML for them.
func (c *serverChecker) page(r *ir.Resource, entry syntax.Entry) {
	if !isPage(r) {
		return
	}
	const help = "write mimeType: " + pageMIMEType
	if e := entry.Value.Entry("mimeType"); e == nil {
		c.d.report(diag.MissingKey, entry.Key.Span, help, "the resource %q is a page of MCP Apps without a mimeType", r.Name)
	} else if r.MIMEType != pageMIMEType {
		c.d.report(diag.InvalidValue, valueSpan(*e), help, "the mimeType of a page of MCP Apps cannot be %s", sourceText(e.Value))
	}
	c.d.settle(func() {
		switch ir.Underlying(r.Content).(type) {
		case *ir.String, *ir.Bytes, *ir.Any:
		default:
			if e := entry.Value.Entry("content"); e != nil && !c.d.faulty[ir.Underlying(r.Content)] {
				c.d.report(diag.InvalidValue, valueSpan(*e), "write content: string", "the content of a page of MCP Apps is HTML, not %s", kindWord(r.Content))
			}
		}
	})
}

// toolPage checks what the _meta of a tool says of MCP Apps: ui, with the page that hosts show for it, and who may call it.
func (c *serverChecker) toolPage(meta syntax.Entry) {
	ui := meta.Value.Entry("ui")
	if ui == nil || !c.d.mapping(*ui, "write {resourceUri: ui://..., visibility: [model, app]}") {
		return
	}
	if e := ui.Value.Entry("resourceUri"); e != nil {
		uri := c.d.text(*e)
		c.d.settle(func() { c.pageOf(*e, uri) })
	}
	e := ui.Value.Entry("visibility")
	if e == nil || !c.d.sequence(*e, "write [model, app]") {
		return
	}
	for _, word := range c.d.words(*e) {
		c.d.word(syntax.Entry{Key: e.Key, Value: word}, "model", "app")
	}
}

// pageOf checks that a page is declared where some are: tools that were imported, and servers whose resources are not in the schema, have none.
// Pages of a template may be anything that begins as pages do.
func (c *serverChecker) pageOf(e syntax.Entry, uri string) {
	declared := slices.ContainsFunc(c.doc.Resources, isPage)
	switch {
	case uri == "":
	case !strings.HasPrefix(uri, pageScheme):
		c.d.report(diag.InvalidURI, valueSpan(e), "write the URI of a resource that begins with "+pageScheme, "%q is not a page of MCP Apps", uri)
	case declared && !slices.ContainsFunc(c.doc.Resources, func(r *ir.Resource) bool { return r.URI == uri || r.Template != nil && isPage(r) }):
		c.d.report(diag.InvalidValue, valueSpan(e), "declare it under resources, with mimeType: "+pageMIMEType, "no resource has the URI %s", sourceText(e.Value))
	}
}
