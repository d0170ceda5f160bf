package format

import (
	"bytes"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

const step = 2 // spaces of indentation

// printer writes lines.
type printer struct {
	out bytes.Buffer
}

func (p *printer) line(indent int, text string) {
	if text != "" {
		p.out.WriteString(strings.Repeat(" ", indent))
		p.out.WriteString(text)
	}
	p.out.WriteByte('\n')
}

// gap writes an empty line, unless there is one.
func (p *printer) gap() {
	if !bytes.HasSuffix(p.out.Bytes(), []byte("\n\n")) {
		p.line(0, "")
	}
}

func (p *printer) comment(indent int, lines []string) {
	for _, line := range lines {
		if line = strings.TrimSpace(line); line == "" {
			p.gap()
			continue
		}
		p.line(indent, line)
	}
}

// root writes the document: a blank line stands around everything that has parts on lines of their own.
func (p *printer) root(n *node) {
	switch {
	case n.kind == yaml.ScalarNode:
		p.line(0, inline(n, false)) // no schema, and still text that must survive
		return
	case len(n.entries) == 0:
		text, _ := flow(n)
		p.line(0, text)
		return
	}
	p.entries(n, 0, func(e *entry) bool { return !p.fits(e, 0) && e.value.kind != yaml.ScalarNode })
}

// entries writes what a mapping or list holds, with an empty line where the author had one, and around what is apart.
func (p *printer) entries(n *node, indent int, apart func(*entry) bool) {
	for i, e := range n.entries {
		if i > 0 && (apart(e) || apart(n.entries[i-1])) {
			p.gap()
		}
		p.comment(indent, e.head)
		p.value(e, indent)
		p.comment(indent, e.foot)
	}
}

func never(*entry) bool { return false }

// lead is what stands before the value of an entry.
func lead(e *entry) string {
	if e.key == nil {
		return "-"
	}
	return inline(e.key, false) + ":"
}

// fits reports whether an entry stands on one line.
func (p *printer) fits(e *entry, indent int) bool {
	if e.value.kind == yaml.ScalarNode {
		header, _ := p.lines(e, indent)
		return header == ""
	}
	if len(e.value.entries) == 0 {
		return true
	}
	if e.section || tallDeclaration(e) {
		return false
	}
	text, ok := flow(e.value)
	return ok && indent+length(lead(e))+1+length(text) <= width
}

func (p *printer) lines(e *entry, indent int) (header string, lines []string) {
	return ownLines(e.value, width-indent-step, width-indent-length(lead(e))-1)
}

func (p *printer) value(e *entry, indent int) {
	remark := ""
	if e.line != "" {
		remark = "  " + e.line
	}
	switch {
	case e.value.kind == yaml.ScalarNode:
		p.scalar(e, indent, remark)
	case p.fits(e, indent):
		text, _ := flow(e.value)
		p.line(indent, lead(e)+" "+text+remark)
	case e.key == nil:
		p.element(e, indent)
	default:
		p.line(indent, lead(e)+remark)
		p.inside(e, indent+step)
	}
}

func (p *printer) inside(e *entry, indent int) {
	apart := never
	if e.section {
		apart = func(d *entry) bool { return !p.fits(d, indent) }
	}
	p.entries(e.value, indent, apart)
}

// element writes a list element that has lines: the first on the line of the dash.
func (p *printer) element(e *entry, indent int) {
	p.comment(indent, p.above(e, indent))
	var inner printer
	inner.entries(e.value, indent+step, never)
	text := inner.out.String()
	p.out.WriteString(strings.Repeat(" ", indent) + "- " + text[indent+step:])
}

// above takes out the comments for which there is no place on the line of a dash.
func (p *printer) above(e *entry, indent int) []string {
	first := e.value.entries[0]
	lines := slices.Concat(linesOf(e.line), first.head)
	e.line, first.head = "", nil
	if first.key == nil && first.value.kind != yaml.ScalarNode && !p.fits(first, indent+step) {
		lines = append(lines, p.above(first, indent+step)...)
	}
	return lines
}

func (p *printer) scalar(e *entry, indent int, remark string) {
	header, lines := p.lines(e, indent)
	if header == "" {
		text := inline(e.value, false)
		if text != "" {
			text = " " + text
		}
		p.line(indent, lead(e)+text+remark)
		return
	}
	p.line(indent, lead(e)+" "+header+remark)
	for _, line := range lines {
		p.line(indent+step, line)
	}
}
