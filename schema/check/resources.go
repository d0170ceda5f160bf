package check

import (
	"math"

	"github.com/rpcgen-go/rpcgen/schema/decimal"
	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/grammar"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/judge"
	"github.com/rpcgen-go/rpcgen/schema/syntax"
)

func (c *serverChecker) resourcesKey(section syntax.Entry) {
	uris := map[string]*ir.Resource{}
	for _, e := range c.d.entries(section, "write name: {uri: ..., content: ...}") {
		if !c.d.wireName(e.Key, e.Key.Text, "a resource") || !c.d.mapping(e, "write {uri: ..., content: ...}") {
			continue
		}
		r := c.resource(e)
		c.doc.Resources = append(c.doc.Resources, r)
		if first := uris[r.URI]; first != nil && r.URI != "" {
			c.d.collide(diag.DuplicateURI, valueSpan(*e.Value.Entry("uri")), "each resource has a URI of its own",
				quote(r.URI)+" is already the URI of "+quote(first.Name), point(first.Pos, len(first.Name)), "resource "+quote(first.Name))
		}
		uris[r.URI] = r
	}
	c.d.settle(c.ambiguousTemplates)
}

func (c *serverChecker) resource(entry syntax.Entry) *ir.Resource {
	r := &ir.Resource{Name: entry.Key.Text, Meta: c.d.meta(entry.Value, entry.Key.Span.Pos), Size: -1}
	c.d.keys(entry.Value, "a resource", grammar.Resource())
	c.address(r, entry)
	if entry.Value.Get("content") == nil {
		c.d.report(diag.MissingKey, entry.Key.Span, "add content: and a type, such as string", "the resource %q has no content", r.Name)
		r.Content = c.d.brokenType(entry.Key.Span.Pos)
	}
	for _, e := range entry.Value.Entries {
		switch e.Key.Text {
		case "content":
			r.Content = c.types.payload(e)
		case "size":
			c.size(r, e)
		case "annotations":
			c.annotations(r, e)
		case "icons":
			r.Icons = c.icons(e)
		case "meta":
			r.MetaData = c.metaData(e)
		default:
			c.d.plain(e, map[string]any{"mimeType": &r.MIMEType, "subscribe": &r.Subscribe})
		}
	}
	c.page(r, entry)
	return r
}

// address lowers uri, or uriTemplate and params.
func (c *serverChecker) address(r *ir.Resource, entry syntax.Entry) {
	uri, template, params := entry.Value.Entry("uri"), entry.Value.Entry("uriTemplate"), entry.Value.Entry("params")
	switch {
	case uri != nil && template != nil:
		c.d.collide(diag.ConflictingKeys, template.Key.Span, "keep one of the two", "uri and uriTemplate exclude each other", uri.Key.Span, "uri")
	case uri != nil:
		r.URI = c.constantURI(*uri)
		if params != nil {
			c.d.report(diag.MisplacedKey, params.Key.Span, "params belong to uriTemplate", "%q means nothing here", "params")
		}
	case template != nil:
		c.templateKeys(r, *template, params)
	default:
		c.d.report(diag.MissingKey, entry.Key.Span, "add uri: or uriTemplate:", "the resource %q has no URI", r.Name)
	}
}

func (c *serverChecker) constantURI(e syntax.Entry) string {
	text := c.d.text(e)
	if text == "" {
		return ""
	}
	if !judge.HasFormat("uri", text) {
		c.d.report(diag.InvalidURI, e.Value.Span, "write an absolute URI such as shop://items", "%q is not an absolute URI", text)
		return ""
	}
	return text
}

func (c *serverChecker) size(r *ir.Resource, e syntax.Entry) {
	if n, ok := c.d.integer(e, 0, math.MaxInt32, diag.InvalidValue); ok {
		r.Size = int64(n)
	}
	if r.Template != nil {
		c.d.report(diag.MisplacedKey, e.Key.Span, "size belongs to uri: the resources of a template differ in it", "%q means nothing here", "size")
	}
}

func (c *serverChecker) annotations(r *ir.Resource, e syntax.Entry) {
	place := grammar.Resource().Value("annotations")
	for _, e := range c.d.keyedEntries(e, "write {audience: [user], priority: 0.5}", "annotations", place) {
		switch e.Key.Text {
		case "audience":
			for _, word := range c.d.words(e) {
				r.Annotations.Audience = append(r.Annotations.Audience, c.d.word(syntax.Entry{Key: e.Key, Value: word}, place.Value("audience").Words...))
			}
		case "priority":
			r.Annotations.Priority = c.priority(e)
		case "lastModified":
			r.Annotations.LastModified = c.d.text(e)
			if value := (ir.Value{Kind: ir.Text, Text: r.Annotations.LastModified}); value.Text != "" && len(judge.Judge(&ir.Time{}, value)) > 0 {
				c.d.report(diag.InvalidValue, e.Value.Span, "write a time such as 2026-07-28T12:00:00Z", "%q is not an RFC 3339 time", value.Text)
			}
		}
	}
}

// priority reads a number from 0, entirely optional, to 1, effectively required.
func (c *serverChecker) priority(e syntax.Entry) string {
	zero, _ := decimal.Parse("0")
	one, _ := decimal.Parse("1")
	if e.Value.Kind == syntax.Scalar && e.Value.Style == syntax.Plain && decimal.IsNumber(e.Value.Text) {
		if n, ok := decimal.Parse(e.Value.Text); ok && n.Cmp(zero) >= 0 && n.Cmp(one) <= 0 {
			return e.Value.Text
		}
	}
	c.d.report(diag.InvalidValue, valueSpan(e), "write a number from 0 to 1", "priority cannot be %s", sourceText(e.Value))
	return ""
}
