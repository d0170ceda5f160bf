package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// mcp writes what a document declares for MCP.
func (p *printer) mcp(d *Document) {
	if d.Server != nil {
		p.server(d.Server)
	}
	for _, b := range d.Backends {
		p.backend(b)
	}
	for _, t := range d.Tools {
		p.tool(t)
	}
	for _, r := range d.Resources {
		p.resource(r)
	}
	for _, o := range d.Prompts {
		p.prompt(o)
	}
}

func (p *printer) server(s *Server) {
	p.line("server", s.Name, s.Version, at(s.Pos))
	p.meta(s.Meta)
	p.within(func() {
		if s.Website != "" {
			p.line("websiteUrl", s.Website)
		}
		if s.Instructions != "" {
			p.line("instructions", strconv.Quote(s.Instructions))
		}
		p.line("revisions", strings.Join(s.Revisions, " "))
		if s.TTLMillis > 0 || s.Scope != "" {
			p.line("cache", strconv.FormatInt(s.TTLMillis, 10)+"ms", s.Scope)
		}
		p.icons(s.Icons)
		if s.Listed != nil {
			p.line("listed", s.Listed.File)
		}
		if len(s.Profiles) > 0 {
			p.line("profiles", strings.Join(s.Profiles, " "))
		}
		if b := s.Budget; b != (Budget{}) {
			p.line("budget", labelled("tokens", amount(b.Tokens.Tokens)), labelled("tool", amount(b.Tool.Tokens)), labelled("result", amount(b.Result)))
		}
	})
}

// amount gives nothing if there is no limit.
func amount(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// task gives nothing for a tool that never runs as a task.
func task(t TaskSupport) string {
	if t == TaskNever {
		return ""
	}
	return labelled("task", t.String())
}

func (p *printer) icons(icons []Icon) {
	for _, i := range icons {
		p.line("icon", i.Src, i.MIMEType, strings.Join(i.Sizes, " "), i.Theme, at(i.Pos))
	}
}

func (p *printer) tool(t *Tool) {
	h := t.Hints
	p.line("tool", t.Name, labelled("readOnly", h.ReadOnly.String()), labelled("destructive", h.Destructive.String()),
		labelled("idempotent", h.Idempotent.String()), labelled("openWorld", h.OpenWorld.String()), labelled("content", t.Content.String()), timeout(t.Timeout), task(t.Task), labelled("rate", t.Rate.String()), labelled("keep", t.Keep.String()), flag(t.Fast, "fast"), labelled("budget", amount(t.Budget.Tokens)), at(t.Pos))
	p.meta(t.Meta)
	p.within(func() {
		if h.Title != "" {
			p.line("hint title", strconv.Quote(h.Title))
		}
		p.icons(t.Icons)
		if t.Input != nil {
			p.typed("input", t.Input, "", nil)
		}
		if t.Schema != nil {
			p.line("inputSchema", t.Schema.String())
		}
		if t.Output != nil {
			p.typed("output", t.Output, "", nil)
		}
		if t.View != nil {
			p.line("view", t.View.String())
			if t.View.Type != t.Output && t.View.Type != nil {
				p.typed("seen", t.View.Type, "", nil)
			}
		}
		if t.HTTP != nil {
			p.http(t.HTTP)
		}
		for _, e := range t.Errors {
			p.toolError(e)
		}
		for _, a := range t.Asks {
			p.ask(a)
		}
		if t.MetaData != nil {
			p.line("meta", t.MetaData.String())
		}
	})
}

// toolError writes an error of a tool; those with a code are written among the errors.
func (p *printer) toolError(e *Error) {
	if !e.OfTool {
		p.line("error", e.Name)
		return
	}
	p.line("error", e.Name, message(e.Message), labelled("http", statuses(e.Statuses)), at(e.Pos))
	p.meta(e.Meta)
	if e.Data != nil {
		p.within(func() { p.typed("data", e.Data, "", nil) })
	}
}

func (p *printer) ask(a *Ask) {
	p.line("ask", a.Name, a.Method, message(a.Message), at(a.Pos))
	p.within(func() {
		if a.Params != nil {
			p.typed("params", a.Params, "", nil)
		}
		if a.Form != nil {
			p.typed("form", a.Form, "", nil)
		}
	})
}

func (p *printer) resource(r *Resource) {
	what, uri, size := "resource", r.URI, ""
	if r.Template != nil {
		what, uri = "template", r.Template.String()
	}
	if r.Size >= 0 {
		size = fmt.Sprintf("size %d", r.Size)
	}
	p.line(what, r.Name, uri, labelled("mimeType", r.MIMEType), flag(r.Subscribe, "subscribe"), size, at(r.Pos))
	p.meta(r.Meta)
	p.within(func() {
		p.icons(r.Icons)
		if a := r.Annotations; !a.IsZero() {
			p.line("annotations", labelled("audience", strings.Join(a.Audience, ",")), labelled("priority", a.Priority),
				labelled("lastModified", a.LastModified))
		}
		if r.Params != nil {
			p.typed("params", r.Params, "", nil)
		}
		p.typed("content", r.Content, "", nil)
		if r.MetaData != nil {
			p.line("meta", r.MetaData.String())
		}
	})
}

// String writes the template with what each part was taken for.
func (t *Template) String() string {
	var parts []string
	for _, part := range t.Parts {
		switch {
		case part.Variable == "":
			parts = append(parts, strconv.Quote(part.Literal))
		case part.Operator == 0:
			parts = append(parts, part.Variable)
		default:
			parts = append(parts, string(rune(part.Operator))+part.Variable)
		}
	}
	return strings.Join(parts, " ")
}

func (p *printer) prompt(o *Prompt) {
	p.line("prompt", o.Name, at(o.Pos))
	p.meta(o.Meta)
	p.within(func() {
		p.icons(o.Icons)
		if o.Arguments != nil {
			p.typed("arguments", o.Arguments, "", nil)
		}
	})
}
