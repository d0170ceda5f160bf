package docs

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// view makes the view of a document.
func view(doc *ir.Document) page {
	v := newViewer(doc)
	p := page{Title: doc.Heading(), Doc: blocks(doc.Doc), Facts: append(protocol(doc.Protocol), serverFacts(doc.Server)...)}
	methods, notifications := section{Name: "Methods", Anchor: "methods"}, section{Name: "Notifications", Anchor: "notifications"}
	for _, m := range doc.Methods {
		if m.Notification {
			notifications.Entries = append(notifications.Entries, v.method(m))
		} else {
			methods.Entries = append(methods.Entries, v.method(m))
		}
	}
	faults := section{Name: "Errors", Anchor: "errors", Entries: append(ir.Each(doc.Errors, v.error), ir.Each(v.doc.ErrorsOfTools(), v.error)...)}
	all := append([]section{
		{Name: "Tools", Anchor: "tools", Entries: ir.Each(v.doc.Tools, v.tool)},
		{Name: "Resources", Anchor: "resources", Entries: ir.Each(v.doc.Resources, v.resource)},
		{Name: "Prompts", Anchor: "prompts", Entries: ir.Each(v.doc.Prompts, v.prompt)},
	}, methods, notifications, v.types(), faults)
	p.Sections = ir.Where(all, func(s section) bool { return len(s.Entries) > 0 })
	return p
}

// types are those of the document, and then those of other files that anything on the page links to.
func (v *viewer) types() section {
	s := section{Name: "Types", Anchor: "types"}
	for _, d := range v.doc.Types {
		if !d.Mixin {
			s.Entries = append(s.Entries, v.declaration(d))
		}
	}
	for len(v.pending) > 0 {
		next := v.pending[0]
		v.pending = v.pending[1:]
		if !next.Mixin {
			s.Entries = append(s.Entries, v.declaration(next))
		}
	}
	return s
}

// protocol says how the wire protocol differs from plain JSON-RPC 2.0.
func protocol(p ir.Protocol) []fact {
	if !p.Pos.Valid() {
		return nil
	}
	allowed := map[bool]string{true: "allowed", false: "not allowed"}
	var all []fact
	if p.Name != "" || p.Revision != "" {
		all = append(all, fact{"Protocol", plain(strings.TrimSpace(p.Name + " " + p.Revision))})
	}
	if p.CancelMethod != "" {
		all = append(all, fact{"Requests are cancelled by", append(append(code(p.CancelMethod), plain(" with their id in ")...), code(p.CancelID)...)})
	}
	if g := p.Progress; g.Method != "" {
		all = append(all, fact{"Progress is reported by", append(append(code(g.Method), plain(" to callers whose params have ")...), code(g.Param)...)})
	}
	return append(all, fact{"Batches", plain(allowed[p.Batch])}, fact{"Params by position", plain(allowed[p.Positional])},
		fact{"Session", sessionOf(p)})
}

// sessionOf says how a session opens and ends.
func sessionOf(p ir.Protocol) words {
	text := plain(p.Session.String())
	for _, one := range []struct{ verb, method string }{
		{", opened by ", p.Handshake.Initialize}, {", shut down by ", p.Handshake.Shutdown}, {", ended by ", p.Handshake.Exit},
	} {
		if one.method != "" {
			text = append(append(text, plain(one.verb)...), code(one.method)...)
		}
	}
	return text
}

// began is an entry with what every declaration says of itself.
func began(kind, name string, m *ir.Meta) entry {
	e := entry{Name: name, Anchor: anchor(kind, name), Title: m.Title, Doc: blocks(m.Doc), Deprecated: deprecation(m.Deprecated)}
	if e.Title == name {
		e.Title = ""
	}
	return e
}

func (v *viewer) method(m *ir.Method) entry {
	e := began("method", m.Name, &m.Meta)
	e.Badges = []string{map[ir.Side]string{
		ir.FromClient: "client → server",
		ir.FromServer: "server → client",
		ir.FromBoth:   "client ↔ server",
	}[m.From]}
	e.methodFacts(m)
	if m.Params != nil {
		e.Shapes = append(e.Shapes, v.params(m))
	}
	if m.Items != nil {
		e.Shapes = append(e.Shapes, v.shape("Items", m.Items.Type))
	}
	switch {
	case m.Items != nil && m.Items.First:
		e.Shapes = append(e.Shapes, shape{Name: "Result", Type: plain("the id of the stream")})
	case m.Result != nil:
		e.Shapes = append(e.Shapes, v.shape("Result", m.Result))
	case !m.Notification:
		e.Shapes = append(e.Shapes, shape{Name: "Result", Type: plain("an empty object")})
	}
	e.Examples = calls(m)
	return e
}

// params shows the fields of params, named or not: they are what one comes for.
func (v *viewer) params(m *ir.Method) shape {
	s := v.whole("Params", m.Params)
	if m.ParamsOptional {
		s.Rules = append(s.Rules, plain("may be left out altogether"))
	}
	return s
}

// add adds what is known of the entry, unless that is nothing.
func (e *entry) add(name string, value words) {
	if value.String() != "" {
		e.Facts = append(e.Facts, fact{name, value})
	}
}

func (e *entry) methodFacts(m *ir.Method) {
	if i := m.Items; i != nil {
		e.add("Stream", slices.Concat(plain("items come as "), code(i.Method), plain(", with the id in "), code(i.ID), plain(" and the item in "), code(i.Value),
			plain("; "), code(i.End), plain(" ends it")))
	}
	e.add("Name on the wire", code(m.Wire))
	if m.Timeout > 0 {
		e.add("Timeout", plain(m.Timeout.String()))
	}
	e.add("Rate", plain(m.Rate.String()))
	e.add("Scopes", code(strings.Join(m.Scopes, " ")))
	e.add("Results kept", plain(m.Keep.String()))
	switch m.ParamsBy {
	case ir.ByName:
		e.add("Params", plain("an object, never an array"))
	case ir.ByPosition:
		e.add("Params", plain("an array, in the order of the fields; trailing ones may be left out"))
	}
	if m.Ordered {
		e.add("Order", plain("later requests wait until it is handled"))
	}
	if m.Idempotent {
		e.add("Repeated", plain("calling it twice has the effect of calling it once; a client may send a call again"))
	}
	e.add("Needs the capability", code(m.Capability))
	e.add("Needs of the client", code(m.Requires))
	e.add("Pages over", code(m.Page))
	if m.Embedded {
		e.add("Sent", plain("inside a result, not as a request"))
	}
	if m.Cache {
		e.add("Cache", plain("the result may be cached"))
	}
	for _, h := range m.Header {
		e.add("Header "+h.Name, append(plain("mirrors "), code(h.Path)...))
	}
	e.add("May emit", links("method", ir.Each(m.Stream, func(s *ir.Method) string { return s.Name })))
	e.add("Errors", links("error", ir.Each(m.Errors, func(f *ir.Error) string { return f.Name })))
}

// links is a line of links to entries.
func links(kind string, names []string) words {
	return commas(ir.Each(names, func(name string) words { return words{{Text: name, Link: anchor(kind, name)}} }))
}

// commas joins words on a line.
func commas(parts []words) (all words) {
	for i, part := range parts {
		if i > 0 {
			all = append(all, word{Text: ", "})
		}
		all = append(all, part...)
	}
	return all
}

func (v *viewer) declaration(d *ir.Decl) entry {
	e := began("type", v.name(d), &d.Meta)
	e.Badges = []string{kindOf(d.Type)}
	e.Shapes = []shape{v.shape(heading(d.Type), d.Type)}
	if s, ok := d.Type.(*ir.Struct); ok && len(s.Extends) > 0 {
		e.Facts = []fact{{"Extends", commas(ir.Each(s.Extends, func(base *ir.Decl) words { return v.typeWords(&ir.Ref{Decl: base}) }))}}
	}
	e.Examples = typeExamples(d)
	return e
}

// kindOf is the kind of a type in a word.
func kindOf(t ir.Type) string {
	switch t.(type) {
	case *ir.Ref, *ir.Nullable:
		return "alias"
	}
	return basic(t)
}

func (v *viewer) error(f *ir.Error) entry {
	e := began("error", f.Name, &f.Meta)
	e.Badges = []string{"code " + strconv.Itoa(f.Code)}
	if f.OfTool {
		e.Badges = []string{"result of a tool"}
	}
	e.add("Message", plain(ir.MessageText(f.Message)))
	conditions := "Answers the condition"
	if len(f.When) > 1 {
		conditions += "s"
	}
	e.add(conditions, plain(strings.ReplaceAll(strings.Join(f.When, ", "), "_", " ")))
	e.add("Category", plain(f.Category))
	e.add("Severity", plain(f.Severity))
	if f.HTTP != 0 {
		e.add("HTTP status", plain(strconv.Itoa(f.HTTP)))
	}
	if f.Retry {
		e.add("Retry", plain("may succeed when tried again"))
	}
	methods := ir.Where(v.doc.Methods, func(m *ir.Method) bool { return slices.Contains(m.Errors, f) })
	tools := ir.Where(v.doc.Tools, func(t *ir.Tool) bool { return slices.Contains(t.Errors, f) })
	e.add("Returned by", links("method", ir.Each(methods, func(m *ir.Method) string { return m.Name })))
	e.add("Answered by", links("tool", ir.Each(tools, func(t *ir.Tool) string { return t.Name })))
	if f.Data != nil {
		e.Shapes = append(e.Shapes, v.shape("Data", f.Data))
	}
	if !f.OfTool {
		e.Examples = errorExample(f)
	}
	return e
}
