package ir

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// Print writes a document as text: for people, and for golden files. @ is a line and column of the schema.
func Print(w io.Writer, d *Document) error {
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

func at(pos diag.Pos) string {
	if !pos.Valid() {
		return ""
	}
	return fmt.Sprintf("@%d:%d", pos.Line, pos.Col)
}

// labelled is "key value" when there is a value.
func timeout(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return "timeout " + d.String()
}

func labelled(key, value string) string {
	if value == "" {
		return ""
	}
	return key + " " + value
}

func flag(on bool, word string) string {
	if on {
		return word
	}
	return ""
}

func (p *printer) document(d *Document) {
	p.line("package", d.Package)
	p.meta(d.Meta)
	p.protocol(d.Protocol)
	for _, i := range d.Imports {
		if i.Builtin {
			p.line("use", i.Alias, at(i.Pos))
			continue
		}
		p.line("import", i.Alias, strconv.Quote(i.Path), labelled("go", i.GoPath), at(i.Pos))
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
		p.line(s.String(), at(s.Pos))
	}
}

func (p *printer) protocol(o Protocol) {
	if !o.Pos.Valid() {
		return
	}
	p.line("protocol", o.Name, o.Revision, flag(o.Batch, "batch"), flag(o.Positional, "positional"), by(o.ParamsBy), "session "+o.Session.String(), labelled("initialize", o.Handshake.Initialize), labelled("shutdown", o.Handshake.Shutdown), labelled("exit", o.Handshake.Exit), flag(o.StrictIDs, "strict ids"), flag(o.NullsAbsent, "nulls absent"), labelled("progress", strings.Join(strings.Fields(o.Progress.Method+" "+o.Progress.Token+" "+o.Progress.Param), " ")), labelled("cancel", strings.TrimSpace(o.CancelMethod+" "+o.CancelID)), at(o.Pos))
}

func (p *printer) naming(d *Document) {
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
		p.line("rename", r.From, "to", r.To, at(r.Pos))
	}
	for _, i := range d.Ignores {
		p.line("ignore", i.Rule, "at", i.At, labelled("because", i.Reason), at(i.Pos))
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
func (p *printer) meta(m Meta) {
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

func (p *printer) decl(d *Decl) {
	p.typed("type "+d.Name+flag(d.Mixin, " mixin"), d.Type, at(d.Pos), func() {
		p.meta(d.Meta)
		p.examples(d.Examples)
	})
}

func (p *printer) examples(values []Value) {
	for _, v := range values {
		p.within(func() { p.line("example", v.String()) })
	}
}

func (p *printer) error(e *Error) {
	p.line("error", e.Name, strconv.Itoa(e.Code), message(e.Message), labelled("when", strings.Join(e.When, " ")), labelled("category", e.Category),
		labelled("severity", e.Severity), number("http", e.HTTP), flag(e.Retry, "retry"), flag(e.Reserved, "reserved"), at(e.Pos))
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
func message(parts []MessagePart) string {
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
func by(b ParamsBy) string {
	if b == ByEither {
		return ""
	}
	return "params by " + b.String()
}

func (p *printer) method(m *Method) {
	kind := "method"
	if m.Notification {
		kind = "notification"
	}
	p.line(kind, m.Name, "from "+m.From.String(), timeout(m.Timeout), labelled("rate", m.Rate.String()), labelled("keep", m.Keep.String()), labelled("capability", m.Capability), labelled("requires", m.Requires),
		by(m.ParamsBy), flag(m.Ordered, "ordered"), flag(m.Idempotent, "idempotent"), flag(m.Fast, "fast"), flag(m.Embedded, "embedded"), labelled("page", m.Page), flag(m.Cache, "cache"), at(m.Pos))
	p.meta(m.Meta)
	p.within(func() {
		if m.Params != nil {
			p.typed("params"+flag(m.ParamsOptional, "?"), m.Params, "", nil)
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
