package templates

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
)

// width is where generated comments are wrapped.
const width = 100

// adder is a group or a file.
type adder interface {
	Comment(string) *jen.Statement
}

// remark writes a comment of one line. Comments that hold anything but the compiler's own words and Go identifiers are written by remark,
// say and sayDeprecated alone: jennifer passes text that begins with // or /* on as it is.
func remark(g adder, line string) { g.Comment(text.GoComment(line)) }

// say writes text as a comment, wrapped; an empty line separates its paragraphs.
func say(g adder, doc string) {
	for _, line := range commentLines(doc) {
		remark(g, line)
	}
}

// sayDeprecated writes the paragraph that tools look for.
func sayDeprecated(g adder, reason string) {
	const mark = "Deprecated: "
	lines := commentLines(mark + reason)
	g.Comment("// " + mark + strings.TrimPrefix(text.GoComment(strings.TrimPrefix(lines[0], mark)), "// "))
	for _, line := range lines[1:] {
		remark(g, line)
	}
}

// commentLines wraps text. Fenced code stays as it is, indented as gofmt wants it.
func commentLines(doc string) []string {
	source := strings.Split(strings.TrimSpace(doc), "\n")
	open := map[string]bool{} // the fences that are not closed: they are text
	var lines, said []string
	for i := 0; i < len(source); i++ {
		mark, end := fence(source[i]), -1
		if mark != "" && !open[mark] {
			end = slices.IndexFunc(source[i+1:], func(line string) bool { return strings.TrimSpace(line) == mark })
			open[mark] = end < 0
		}
		if end < 0 {
			said = append(said, source[i])
			continue
		}
		lines = codeLines(paragraphs(lines, said), source[i+1:i+1+end])
		said, i = nil, i+1+end
	}
	return paragraphs(lines, said)
}

// fence is the mark that a line opens fenced code with, or nothing.
func fence(line string) string {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"```", "~~~"} {
		if rest, ok := strings.CutPrefix(line, mark); ok && !strings.Contains(rest, mark) {
			return mark
		}
	}
	return ""
}

// paragraphs adds wrapped text, separated by an empty line from what is before it.
func paragraphs(lines, said []string) []string {
	words := strings.TrimSpace(strings.Join(said, "\n"))
	if words == "" {
		return lines
	}
	for _, paragraph := range strings.Split(words, "\n\n") {
		lines = append(text.EndParagraph(lines), wrap(paragraph)...)
	}
	return lines
}

// codeLines adds code, separated by an empty line from what is before it.
func codeLines(lines, code []string) []string {
	words := strings.Trim(strings.Join(code, "\n"), "\r\n")
	if strings.TrimSpace(words) == "" {
		return lines
	}
	code = ir.Each(strings.Split(words, "\n"), func(line string) string { return strings.TrimRight("\t"+line, " \t\r") })
	return append(text.EndParagraph(lines), code...)
}

// wrap breaks a paragraph into lines. Lines that are indented or start a list item stay lines of their own.
func wrap(paragraph string) []string {
	var lines []string
	line := ""
	flush := func() {
		if line != "" {
			lines = append(lines, line)
		}
		line = ""
	}
	for source := range strings.SplitSeq(paragraph, "\n") {
		if source != strings.TrimLeft(source, " \t") || strings.HasPrefix(source, "- ") || strings.HasPrefix(source, "* ") {
			flush()
			lines = append(lines, strings.TrimRight(source, " \t\r"))
			continue
		}
		for w := range strings.FieldsSeq(source) {
			if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) > width {
				flush()
			}
			if line != "" {
				line += " "
			}
			line += w
		}
	}
	flush()
	return lines
}

// document writes the comment of an exported identifier: what the author says of it, or else its name and what it is; and whether it is deprecated.
func document(g adder, name, what string, meta *ir.Meta) {
	say(g, meta.Words(name+" "+what))
	if meta != nil {
		deprecation(g, meta.Deprecated)
	}
}

// annotate writes the author's words about a field, if there are any.
func annotate(g adder, meta *ir.Meta) {
	if doc := strings.TrimSpace(meta.Doc); doc != "" {
		say(g, doc)
		deprecation(g, meta.Deprecated)
	} else if reason := deprecationText(meta.Deprecated); reason != "" {
		sayDeprecated(g, reason)
	}
}

// deprecation says that what was documented is deprecated, if it is.
func deprecation(g adder, d *ir.Deprecated) {
	if reason := deprecationText(d); reason != "" {
		g.Comment("")
		sayDeprecated(g, reason)
	}
}

func deprecationText(d *ir.Deprecated) string {
	if d == nil {
		return ""
	}
	return cmp.Or(d.Sentences(), "the schema says so.")
}

// baseName is the name of a file for one line of a comment: files may be called anything.
func baseName(file string) string { return text.Line(path.Base(file)) }

// documentMethod writes the comment of a method, with the errors that it declares.
func (w *callWriter) documentMethod(g adder, m *method, verb string) {
	document(g, m.name, verb+" "+m.Name+".", &m.Meta)
	w.documentErrors(g, m.Errors)
}

// documentErrors names the errors that something returns.
func (w *callWriter) documentErrors(g adder, errors []*ir.Error) {
	if len(errors) == 0 {
		return
	}
	types := ir.Each(errors, func(e *ir.Error) string { return "*" + w.names.errorOf(e).name })
	g.Comment("")
	say(g, "Errors: "+strings.Join(types, ", ")+".")
}
