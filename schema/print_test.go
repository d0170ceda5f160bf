package schema_test

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/diag"
	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// printModel writes a document as text, for golden files. @ is a line and column of the schema.
func printModel(w io.Writer, d *ir.Document) error {
	b := bufio.NewWriter(w)
	p := &printer{w: b}
	p.document(d)
	return b.Flush()
}

type printer struct {
	w      *bufio.Writer
	indent int
}

// line writes one line; parts that are empty are left out.
func (p *printer) line(parts ...string) {
	var full []string
	for _, part := range parts {
		if part != "" {
			full = append(full, part)
		}
	}
	fmt.Fprintf(p.w, "%s%s\n", strings.Repeat("  ", p.indent), strings.Join(full, " "))
}

func (p *printer) within(body func()) {
	p.indent++
	body()
	p.indent--
}

func place(pos diag.Pos) string {
	if !pos.Valid() {
		return ""
	}
	return fmt.Sprintf("@%d:%d", pos.Line, pos.Col)
}

func timeout(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return "timeout " + d.String()
}

// labelled is "key value" when there is a value.
func labelled(key, value string) string {
	if value == "" {
		return ""
	}
	return key + " " + value
}

func (p *printer) document(d *ir.Document) {
	p.line("package", d.Package)
	p.meta(d.Meta)
	p.protocol(d.Protocol)
	for _, i := range d.Imports {
		if i.Builtin {
			p.line("use", i.Alias, place(i.Pos))
			continue
		}
		p.line("import", i.Alias, strconv.Quote(i.Path), labelled("go", i.GoPath), place(i.Pos))
	}
	p.naming(d)
	for _, decl := range d.Types {
		p.decl(decl)
	}
	for _, e := range d.Errors {
		p.error(e)
	}
	for _, m := range d.Methods {
		p.method(m)
	}
	p.mcp(d)
	for _, s := range d.State {
		p.line(s.String(), place(s.Pos))
	}
}

func (p *printer) protocol(o ir.Protocol) {
	if !o.Pos.Valid() {
		return
	}
	p.line("protocol", o.Name, o.Revision, mark(o.Batch, "batch"), mark(o.Positional, "positional"), by(o.ParamsBy), "session "+o.Session.String(), labelled("initialize", o.Handshake.Initialize), labelled("shutdown", o.Handshake.Shutdown), labelled("exit", o.Handshake.Exit), mark(o.StrictIDs, "strict ids"), mark(o.NullsAbsent, "nulls absent"), labelled("progress", strings.Join(strings.Fields(o.Progress.Method+" "+o.Progress.Token+" "+o.Progress.Param), " ")), labelled("cancel", strings.TrimSpace(o.CancelMethod+" "+o.CancelID)), place(o.Pos))
}

func (p *printer) naming(d *ir.Document) {
	if len(d.Naming.Initialisms) > 0 {
		p.line("initialisms", strings.Join(d.Naming.Initialisms, " "))
	}
	if d.Compact {
		p.line("compact")
	}
	if d.WithoutJSON {
		p.line("without json")
	}
	for _, r := range d.Naming.Rename {
		p.line("rename", r.From, "to", r.To, place(r.Pos))
	}
	for _, i := range d.Ignores {
		p.line("ignore", i.Rule, "at", i.At, labelled("because", i.Reason), place(i.Pos))
	}
	for _, r := range []struct {
		what  string
		names []string
	}{{"names", d.Reserved.Names}, {"methods", d.Reserved.Methods}} {
		if len(r.names) > 0 {
			p.line("reserved", r.what, strings.Join(r.names, " "))
		}
	}
	if len(d.Reserved.Codes) > 0 {
		p.line("reserved codes", strings.Trim(fmt.Sprint(d.Reserved.Codes), "[]"))
	}
}

// meta writes what is said about the line above.
func (p *printer) meta(m ir.Meta) {
	p.within(func() {
		if m.Title != "" {
			p.line("title", strconv.Quote(m.Title))
		}
		if m.Doc != "" {
			p.line("doc", strconv.Quote(m.Doc+m.DocEnd))
		}
		if d := m.Deprecated; d != nil {
			p.line("deprecated", labelled("since", d.Since), labelled("remove", d.Remove), labelled("use", d.Use), labelled("because", d.Reason))
		}
		if m.Go.Name != "" || m.Go.Bound() {
			p.line("go", m.Go.Name, labelled("type", m.Go.Type), labelled("import", m.Go.Import))
		}
		for _, x := range m.Ext {
			p.line(x.Key, x.Value.String())
		}
	})
}

func (p *printer) decl(d *ir.Decl) {
	p.typed("type "+d.Name+mark(d.Mixin, " mixin"), d.Type, place(d.Pos), func() {
		p.meta(d.Meta)
		p.examples(d.Examples)
	})
}

func (p *printer) examples(values []ir.Value) {
	for _, v := range values {
		p.within(func() { p.line("example", v.String()) })
	}
}

func (p *printer) error(e *ir.Error) {
	p.line("error", e.Name, strconv.Itoa(e.Code), message(e.Message), labelled("when", strings.Join(e.When, " ")), labelled("category", e.Category),
		labelled("severity", e.Severity), number("http", e.HTTP), mark(e.Retry, "retry"), mark(e.Reserved, "reserved"), place(e.Pos))
	p.meta(e.Meta)
	if e.Data != nil {
		p.within(func() { p.typed("data", e.Data, "", nil) })
	}
}

func number(key string, n int) string {
	if n == 0 {
		return ""
	}
	return key + " " + strconv.Itoa(n)
}

// message joins the parts again, fields in braces.
func message(parts []ir.MessagePart) string {
	if parts == nil {
		return ""
	}
	var b strings.Builder
	for _, part := range parts {
		if part.Field != nil {
			b.WriteString("{" + part.Field.Name + "}")
		} else {
			b.WriteString(strings.NewReplacer("{", "{{", "}", "}}").Replace(part.Text))
		}
	}
	return strconv.Quote(b.String())
}

// by says in which structure params are sent, where it is one of the two.
func by(b ir.ParamsBy) string {
	if b == ir.ByEither {
		return ""
	}
	return "params by " + b.String()
}

func (p *printer) method(m *ir.Method) {
	kind := "method"
	if m.Notification {
		kind = "notification"
	}
	p.line(kind, m.Name, "from "+m.From.String(), timeout(m.Timeout), labelled("rate", m.Rate.String()), labelled("keep", m.Keep.String()), labelled("capability", m.Capability), labelled("requires", m.Requires),
		by(m.ParamsBy), mark(m.Ordered, "ordered"), mark(m.Idempotent, "idempotent"), mark(m.Fast, "fast"), mark(m.Embedded, "embedded"), labelled("page", m.Page), mark(m.Cache, "cache"), place(m.Pos))
	p.meta(m.Meta)
	p.within(func() {
		if m.Params != nil {
			p.typed("params"+mark(m.ParamsOptional, "?"), m.Params, "", nil)
		}
		if m.Result != nil {
			p.typed("result", m.Result, "", nil)
		}
		for _, e := range m.Errors {
			p.line("error", e.Name)
		}
		for _, s := range m.Stream {
			p.line("stream", s.Name)
		}
		for _, h := range m.Header {
			p.line("header", h.Name, "from", h.Path)
		}
	})
}

func (p *printer) backend(b *ir.Backend) {
	p.line("backend", b.Name, b.Server, labelled("auth", b.Auth.String()), labelled("message", b.Message), labelled("details", b.Details), timeout(b.Timeout), place(b.Pos))
	p.meta(b.Meta)
	p.within(func() {
		for _, v := range b.Variables {
			p.line("variable", v.Name, strconv.Quote(v.Default), labelled("enum", strings.Join(v.Values, ",")), labelled("pattern", v.Pattern), place(v.Pos))
		}
		p.constants("header", b.Headers)
		for _, s := range b.Schemes {
			p.line("scheme", s.Name, s.Kind, s.In, s.Param, labelled("authorize", s.Authorize), labelled("token", s.Token), labelled("scopes", strings.Join(s.Scopes, ",")), place(s.Pos))
			p.meta(s.Meta)
		}
		p.paging(b.Page)
	})
}

func (p *printer) constants(what string, all []ir.Constant) {
	for _, c := range all {
		p.line(what, c.Name, strconv.Quote(c.Value), place(c.Pos))
	}
}

func (p *printer) paging(o *ir.Paging) {
	if o != nil {
		p.line("page by", o.By, labelled("param", o.Param), labelled("from", o.From), labelled("more", o.More), labelled("size", o.Size), labelled("first", strconv.Itoa(o.First)), place(o.Pos))
	}
}

func (p *printer) http(h *ir.HTTP) {
	p.line("http", h.Verb, h.Path, labelled("of", h.Backend.Name), labelled("body", h.BodyText()), labelled("auth", h.Auth.String()), labelled("key", h.RetryKey), labelled("redirect", h.Redirect), place(h.Pos))
	p.within(func() {
		p.constants("query", h.Query)
		p.constants("header", h.Headers)
		for _, m := range h.Members {
			p.line("member", m.Path, m.Value.String(), place(m.Pos))
		}
		p.paging(h.Page)
		if h.Wait != nil {
			p.line("wait", h.Wait.String(), place(h.Wait.Pos))
		}
		for _, f := range h.Sent {
			p.line("sent", f.Field.Name, f.Place.String())
		}
		for _, f := range h.Read {
			p.line("read", f.Field.Name, f.Place.String())
		}
	})
}

// statuses writes ranges of statuses as they are written in a schema.
func statuses(all []ir.Statuses) string {
	var words []string
	for _, s := range all {
		if s.Low < s.High {
			words = append(words, fmt.Sprintf("%dxx", s.Low/100))
		} else {
			words = append(words, strconv.Itoa(s.Low))
		}
	}
	return strings.Join(words, ",")
}

// mcp writes what a document declares for MCP.
func (p *printer) mcp(d *ir.Document) {
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

func (p *printer) server(s *ir.Server) {
	p.line("server", s.Name, s.Version, place(s.Pos))
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
		if b := s.Budget; b != (ir.Budget{}) {
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
func task(t ir.TaskSupport) string {
	if t == ir.TaskNever {
		return ""
	}
	return labelled("task", t.String())
}

func (p *printer) icons(icons []ir.Icon) {
	for _, i := range icons {
		p.line("icon", i.Src, i.MIMEType, strings.Join(i.Sizes, " "), i.Theme, place(i.Pos))
	}
}

func (p *printer) tool(t *ir.Tool) {
	h := t.Hints
	p.line("tool", t.Name, labelled("readOnly", h.ReadOnly.String()), labelled("destructive", h.Destructive.String()),
		labelled("idempotent", h.Idempotent.String()), labelled("openWorld", h.OpenWorld.String()), labelled("content", t.Content.String()), timeout(t.Timeout), task(t.Task), labelled("rate", t.Rate.String()), labelled("keep", t.Keep.String()), mark(t.Fast, "fast"), labelled("budget", amount(t.Budget.Tokens)), place(t.Pos))
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
func (p *printer) toolError(e *ir.Error) {
	if !e.OfTool {
		p.line("error", e.Name)
		return
	}
	p.line("error", e.Name, message(e.Message), labelled("http", statuses(e.Statuses)), place(e.Pos))
	p.meta(e.Meta)
	if e.Data != nil {
		p.within(func() { p.typed("data", e.Data, "", nil) })
	}
}

func (p *printer) ask(a *ir.Ask) {
	p.line("ask", a.Name, a.Method, message(a.Message), place(a.Pos))
	p.within(func() {
		if a.Params != nil {
			p.typed("params", a.Params, "", nil)
		}
		if a.Form != nil {
			p.typed("form", a.Form, "", nil)
		}
	})
}

func (p *printer) resource(r *ir.Resource) {
	what, uri, size := "resource", r.URI, ""
	if r.Template != nil {
		what, uri = "template", r.Template.String()
	}
	if r.Size >= 0 {
		size = fmt.Sprintf("size %d", r.Size)
	}
	p.line(what, r.Name, uri, labelled("mimeType", r.MIMEType), mark(r.Subscribe, "subscribe"), size, place(r.Pos))
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

func (p *printer) prompt(o *ir.Prompt) {
	p.line("prompt", o.Name, place(o.Pos))
	p.meta(o.Meta)
	p.within(func() {
		p.icons(o.Icons)
		if o.Arguments != nil {
			p.typed("arguments", o.Arguments, "", nil)
		}
	})
}

// typed writes a line that ends in a type, what is said about it, and the parts of the type below.
func (p *printer) typed(head string, t ir.Type, tail string, said func()) {
	p.line(head, ir.Describe(t), tail)
	if said != nil {
		said()
	}
	p.within(func() { p.parts(t) })
}

// parts writes what lies below a type: fields, values, branches. Named types are written where they are declared.
func (p *printer) parts(t ir.Type) {
	p.note(t)
	switch t := t.(type) {
	case *ir.Enum:
		for _, v := range t.Values {
			p.line(v.Value.String(), place(v.Pos))
			p.meta(v.Meta)
		}
	case *ir.List:
		p.parts(t.Elem)
	case *ir.Map:
		p.parts(t.Elem)
	case *ir.Nullable:
		p.parts(t.Elem)
	case *ir.Struct:
		for _, f := range t.Fields {
			p.field(f)
		}
		if t.Extra != nil {
			p.parts(t.Extra)
		}
	case *ir.Tuple:
		for _, f := range t.Items {
			p.field(f)
		}
		if t.Rest != nil {
			p.parts(t.Rest)
		}
	case *ir.Union:
		p.union(t)
	}
}

func (p *printer) note(t ir.Type) {
	if note := ir.NoteOf(t); note != nil {
		p.line("note", place(note.Pos))
		p.meta(*note)
	}
}

func (p *printer) field(f *ir.Field) {
	def, from := "", ""
	if f.Default != nil {
		def = "default " + f.Default.String()
	}
	if f.From != nil {
		from = "from " + f.From.Name
	}
	tail := []string{def, mark(f.Sensitive, "sensitive"), labelled("header", f.Header), mark(f.Complete, "complete"), from, place(f.Pos)}
	var full []string
	for _, part := range tail {
		if part != "" {
			full = append(full, part)
		}
	}
	p.typed(f.Name+mark(f.Optional, "?"), f.Type, strings.Join(full, " "), func() {
		p.meta(f.Meta)
		p.examples(f.Examples)
	})
}

func (p *printer) union(u *ir.Union) {
	for _, b := range u.Branches {
		p.typed("branch "+strconv.Quote(b.Name), b.Type, place(b.Pos), func() { p.meta(b.Meta) })
	}
	p.decision("decide", u.Decide)
}

func (p *printer) decision(head string, d ir.Decision) {
	switch d := d.(type) {
	case *ir.Pick:
		p.line(head, "->", strconv.Quote(d.Branch.Name))
	case *ir.ByContext:
		p.line(head, "by context")
	case *ir.ByProperty:
		p.line(head, "by property", strconv.Quote(d.Property))
		p.within(func() {
			for _, one := range d.Cases {
				p.decision(one.Tag.String(), one.Then)
			}
			p.optional("absent", d.Absent)
			p.optional("else", d.Else)
		})
	case *ir.ByPresence:
		p.line(head, "by presence")
		p.within(func() {
			for _, one := range d.Cases {
				p.decision("has "+strconv.Quote(one.Property), one.Then)
			}
			p.optional("else", d.Else)
		})
	case *ir.ByKind:
		p.line(head, "by kind")
		p.within(func() {
			for _, one := range d.Cases {
				p.decision(one.Kind.String(), one.Then)
			}
		})
	case *ir.ByLength:
		p.line(head, "by length")
		p.within(func() {
			for _, one := range d.Cases {
				p.decision(span(one.Min, one.Max), one.Then)
			}
		})
	case *ir.ByValue:
		p.line(head, "by value")
		p.within(func() {
			for _, one := range d.Cases {
				p.decision(one.Tag.String(), one.Then)
			}
		})
	case *ir.InElement:
		p.decision(head+" in element "+strconv.Itoa(d.Index), d.Decide)
		p.within(func() { p.optional("absent", d.Absent) })
	case *ir.InProperty:
		p.decision(head+" in "+strconv.Quote(d.Property), d.Decide)
		p.within(func() { p.optional("absent", d.Absent) })
	}
}

func (p *printer) optional(head string, d ir.Decision) {
	if d != nil {
		p.decision(head, d)
	}
}

func span(low, high int) string {
	if high < 0 {
		return strconv.Itoa(low) + ".."
	}
	return strconv.Itoa(low) + ".." + strconv.Itoa(high)
}

func mark(on bool, word string) string {
	if on {
		return word
	}
	return ""
}
