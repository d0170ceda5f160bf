package docs

import (
	"bytes"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/notation"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Explain writes what the reference says of the declarations of doc with a name, as plain text with a newline at its end. It is nil
// when there are none; known lists the names of all.
func Explain(doc *ir.Document, name string) (explained []byte, known []string) {
	part, known := doc.Named(name)
	if part == nil {
		return nil, known
	}
	v := newViewer(doc)
	var p plainText
	for _, t := range part.Types {
		p.entry("type", v.declaration(t))
	}
	for _, f := range part.Errors {
		p.entry("error", v.error(f))
	}
	for _, m := range part.Methods {
		kind := "method"
		if m.Notification {
			kind = "notification"
		}
		p.entry(kind, v.method(m))
	}
	for _, t := range part.Tools {
		p.entry("tool", v.tool(t))
	}
	for _, r := range part.Resources {
		p.entry("resource", v.resource(r))
	}
	for _, one := range part.Prompts {
		p.entry("prompt", v.prompt(one))
	}
	return []byte(text.Terminal(strings.TrimRight(p.out.String(), "\n") + "\n")), known
}

// plainText writes entries with an empty line between their parts.
type plainText struct{ out bytes.Buffer }

func (p *plainText) block(lines ...string) {
	if len(lines) > 0 {
		p.out.WriteString(strings.Join(lines, "\n") + "\n\n")
	}
}

func (p *plainText) entry(kind string, e entry) {
	head := kind + " " + text.Line(e.Name)
	if e.Title != "" {
		head += ": " + text.Line(e.Title)
	}
	lines := []string{head}
	if len(e.Badges) > 0 {
		lines = append(lines, text.Line(strings.Join(e.Badges, ", ")))
	}
	p.block(lines...)
	if e.Deprecated != nil {
		p.block(text.Line(e.Deprecated.String()))
	}
	for _, b := range e.Doc {
		p.block(textLines([]block{b})...)
	}
	facts := ir.Each(e.Facts, func(f fact) string { return f.Name + ": " + text.Line(f.Value.String()) })
	p.block(facts...)
	for _, s := range e.Shapes {
		p.shape(s)
	}
}

// textLines are the lines of blocks.
func textLines(all []block) []string {
	return blockLines(all, "- ", func(one words) string { return text.Line(one.String()) })
}

func (p *plainText) shape(s shape) {
	head := s.Name + ": " + text.Line(s.Type.String())
	for _, r := range s.Rules {
		head += "; " + text.Line(r.String())
	}
	rows := ir.Each(s.Branches, func(b branch) notation.Row {
		return notation.Row{Name: text.Line(b.Type.String()), Type: text.Line(strings.TrimPrefix("when "+b.When.String(), "when always")),
			Doc: strings.Join(textLines(b.Doc), " ")}
	})
	rows = append(rows, ir.Each(s.Values, func(v value) notation.Row {
		return notation.Row{Name: text.Line(v.Text), Doc: remarks(v.Deprecated, v.Doc)}
	})...)
	rows = append(rows, ir.Each(s.Rows, textRow)...)
	p.block(head + "\n" + strings.TrimRight(notation.Rows(rows), "\n"))
}

// remarks are what is said of a part, on one line.
func remarks(deprecated words, doc []block) string {
	lines := textLines(doc)
	if deprecated != nil {
		lines = append([]string{text.Line(deprecated.String())}, lines...)
	}
	return strings.Join(lines, " ")
}

// textRow is a field, with its presence in its name.
func textRow(r row) notation.Row {
	out := notation.Row{Name: text.Line(notation.Label(r.Path, strings.HasPrefix(r.Presence, "optional"))), Type: text.Line(r.Type.String()),
		Default: text.Line(r.Default)}
	out.Doc = remarks(r.Deprecated, r.Doc)
	out.Limits = append(ir.Each(r.Rules, func(one words) string { return text.Line(one.String()) }),
		ir.Each(r.Examples, func(x string) string { return "such as " + text.Line(x) })...)
	return out
}
