package docs

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Markdown writes doc as a reference in GitHub's Markdown, with a newline at its end.
func Markdown(doc *ir.Document) []byte {
	p := view(doc)
	m := new(markdown)
	m.block("# " + text.Markdown(p.Title))
	m.blocks(p.Doc)
	m.facts(p.Facts)
	m.contents(p.Sections)
	for _, s := range p.Sections {
		m.block(target(s.Anchor) + "\n## " + s.Name)
		for _, e := range s.Entries {
			m.entry(e)
		}
	}
	return append(bytes.TrimRight(m.out.Bytes(), "\n"), '\n')
}

// markdown writes blocks with an empty line between them.
type markdown struct{ out bytes.Buffer }

func (m *markdown) block(markup string) { m.out.WriteString(markup + "\n\n") }

// target is where links lead to; headings alone have anchors that change with their words.
func target(anchor string) string { return `<a id="` + anchor + `"></a>` + "\n" }

func (m *markdown) contents(all []section) {
	var b strings.Builder
	for _, s := range all {
		fmt.Fprintf(&b, "- [%s](#%s)\n", s.Name, s.Anchor)
		for _, e := range s.Entries {
			fmt.Fprintf(&b, "  - [%s](#%s)\n", text.Markdown(e.Name), e.Anchor)
		}
	}
	m.block("## Contents\n\n" + strings.TrimRight(b.String(), "\n"))
}

func (m *markdown) entry(e entry) {
	m.block(target(e.Anchor) + "\n### " + text.Markdown(e.Name))
	marks := ir.Each(e.Badges, func(badge string) string { return "*" + text.Markdown(badge) + "*" })
	if e.Title != "" {
		marks = append(marks, "**"+text.Markdown(e.Title)+"**")
	}
	m.block(strings.Join(marks, " · "))
	if e.Deprecated != nil {
		m.block("> " + line(e.Deprecated))
	}
	m.blocks(e.Doc)
	m.facts(e.Facts)
	for _, s := range e.Shapes {
		m.shape(s)
	}
	for _, x := range e.Examples {
		m.block(x.Name + ":")
		m.block("```json\n" + text.Terminal(x.Text) + "\n```")
	}
}

func (m *markdown) facts(all []fact) {
	lines := ir.Each(all, func(f fact) string { return "- " + f.Name + ": " + line(f.Value) })
	if len(lines) > 0 {
		m.block(strings.Join(lines, "\n"))
	}
}

func (m *markdown) shape(s shape) {
	head := "**" + s.Name + "**: " + line(s.Type)
	for _, r := range s.Rules {
		head += "; " + line(r)
	}
	m.block(head)
	m.table([]string{"Branch", "When", "Description"}, ir.Each(s.Branches, func(b branch) []string {
		return []string{line(b.Type), line(b.When), strings.Join(flat(b.Doc), "<br>")}
	}))
	m.table([]string{"Value", "Description"}, ir.Each(s.Values, func(v value) []string {
		return []string{text.MarkdownCode(v.Text), strings.Join(authorLines(v.Deprecated, v.Doc), "<br>")}
	}))
	m.rows(s.Rows)
}

// table writes a table, unless it has no rows.
func (m *markdown) table(columns []string, rows [][]string) {
	if len(rows) > 0 {
		lines := []string{"| " + strings.Join(columns, " | ") + " |", strings.Repeat("|---", len(columns)) + "|"}
		m.block(strings.Join(append(lines, ir.Each(rows, tableRow)...), "\n"))
	}
}

func (m *markdown) rows(all []row) {
	m.table([]string{"Name", "Type", "Presence", "Description"}, ir.Each(all, func(r row) []string {
		presence := r.Presence
		if r.Default != "" {
			presence += ", default " + text.MarkdownCode(r.Default)
		}
		return []string{text.MarkdownCode(r.Path), line(r.Type), presence, notes(r)}
	}))
}

// notes is what is said of a field: the author's words, then its rules.
func notes(r row) string {
	parts := authorLines(r.Deprecated, r.Doc)
	if all := ir.Each(r.Rules, line); len(all) > 0 {
		parts = append(parts, strings.Join(all, "; "))
	}
	parts = append(parts, ir.Each(r.Examples, func(x string) string { return "such as " + text.MarkdownCode(x) })...)
	return strings.Join(parts, "<br>")
}

// authorLines are what the author says of a part of a table, with its deprecation first.
func authorLines(deprecated words, doc []block) []string {
	parts := flat(doc)
	if deprecated != nil {
		parts = append([]string{"**" + line(deprecated) + "**"}, parts...)
	}
	return parts
}

// tableRow writes cells.
func tableRow(cells []string) string {
	for i, cell := range cells {
		cells[i] = text.MarkdownCell(cell)
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

func (m *markdown) blocks(all []block) {
	for _, b := range all {
		m.block(strings.Join(blockLines([]block{b}, "- ", func(one words) string { return text.MarkdownLine(line(one)) }), "\n"))
	}
}

// flat are the lines of blocks for where there are no blocks, such as the cell of a table.
func flat(all []block) []string { return blockLines(all, "• ", line) }

// line writes a line of text with its links and code.
func line(all words) string {
	var b strings.Builder
	for _, w := range all {
		said := text.Markdown(w.Text)
		if w.Code {
			said = text.MarkdownCode(w.Text)
		}
		if w.Link != "" {
			said = "[" + said + "](#" + w.Link + ")"
		}
		b.WriteString(said)
	}
	return b.String()
}
