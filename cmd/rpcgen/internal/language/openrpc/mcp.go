package openrpc

import "github.com/rpcgen-go/rpcgen/schema/ir"

// mcp keeps what is declared of an MCP server: OpenRPC knows methods only.
func (e *exporter) mcp() *object {
	o := new(object)
	s := e.doc.Server
	if s == nil {
		return o
	}
	e.warn("server", "OpenRPC has no tools, resources and prompts; kept as x-mcp")
	o.text("name", s.Name)
	o.text("version", s.Version)
	o.text("title", s.Title)
	o.text("description", s.Doc)
	o.text("websiteUrl", s.Website)
	o.text("instructions", s.Instructions)
	o.set("revisions", textList(s.Revisions))
	tools, resources, prompts := new(object), new(object), new(object)
	for _, t := range e.doc.Tools {
		tools.set(t.Name, e.tool(t).value())
	}
	for _, r := range e.doc.Resources {
		resources.set(r.Name, e.resource(r).value())
	}
	for _, p := range e.doc.Prompts {
		prompt := e.describe(&p.Meta)
		if p.Arguments != nil {
			prompt.set("arguments", e.schema(p.Arguments))
		}
		prompts.set(p.Name, prompt.value())
	}
	o.object("tools", tools)
	o.object("resources", resources)
	o.object("prompts", prompts)
	o.ext(s.Ext)
	return o
}

// describe begins an object with what its author says of it.
func (e *exporter) describe(m *ir.Meta) *object {
	o := new(object)
	o.text("title", m.Title)
	o.text("description", m.Doc)
	o.flag("deprecated", m.Deprecated != nil)
	o.ext(m.Ext)
	return o
}

func (e *exporter) tool(t *ir.Tool) *object {
	o := e.describe(&t.Meta)
	o.text("annotationsTitle", t.Hints.Title)
	if s, ok := t.Input.(*ir.Struct); ok && s.Additional == ir.AdditionalSkipped {
		o.text("unknown", "ignore")
	}
	for _, one := range t.Hints.Said() {
		o.set(one.Name, boolean(one.Hint == ir.HintYes))
	}
	if t.Timeout > 0 {
		o.text("timeout", t.Timeout.String())
	}
	o.object("rate", rate(t.Rate))
	if len(t.Scopes) > 0 {
		o.set("scopes", textList(t.Scopes))
	}
	o.object("cache", keep(t.Keep))
	if t.Task != ir.TaskNever {
		o.text("task", t.Task.String())
	}
	if t.Input != nil {
		o.set("input", e.schema(t.Input))
	}
	if t.Published() != nil {
		o.set("output", e.schema(t.Published()))
	}
	if c := t.Content; c != nil && len(c.Kinds) > 1 {
		o.set("content", textList(c.Kinds))
	} else {
		o.text("content", c.String())
	}
	errors := new(object)
	for _, f := range t.Errors {
		one := new(object)
		one.text("message", f.Text())
		if f.Data != nil {
			one.set("data", e.schema(f.Data))
		}
		errors.set(f.Name, one.value())
	}
	o.object("errors", errors)
	return o
}

func (e *exporter) resource(r *ir.Resource) *object {
	o := e.describe(&r.Meta)
	o.text("uri", r.URI)
	if r.Template != nil {
		o.text("uriTemplate", r.Template.Text)
		o.set("params", e.schema(r.Params))
	}
	o.text("mimeType", r.MIMEType)
	o.set("content", e.schema(r.Content))
	return o
}
