package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/text"
)

// Source gives the text of a file that diagnostics point into.
type Source func(file string) ([]byte, bool)

// widest is how many bytes of a source line are shown: a longer one is cut around the caret.
const widest = 160

// WriteText prints the list for people: message, source line, caret range with help, related positions.
func (l List) WriteText(w io.Writer, source Source) error {
	var b bytes.Buffer
	files := lines{source: source, split: map[string][]string{}}
	shown, more := l.cap()
	for _, d := range shown {
		writeText(&b, d, files)
	}
	if more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeText(b *bytes.Buffer, d Diagnostic, files lines) {
	mark := ""
	if d.Severity != Error {
		mark = d.Severity.String() + ": "
	}
	fmt.Fprintf(b, "%s: %s%s [%s]%s\n", text.Line(d.Span.Pos.String()), mark, text.Line(d.Message), d.Code, text.Line(pathOf(d)))
	gutter := writeSource(b, d, files)
	for _, r := range d.Related {
		fmt.Fprintf(b, "%s| %s at %s\n", gutter, text.Line(r.Message), text.Line(r.Span.Pos.String()))
	}
}

// pathOf says at which path of the schema a diagnostic is, if it has one.
func pathOf(d Diagnostic) string {
	if d.Path == "" {
		return ""
	}
	return " at " + d.Path
}

// writeSource prints the source line and the carets below it, and returns the gutter of the lines that follow.
func writeSource(b *bytes.Buffer, d Diagnostic, files lines) string {
	gutter := strings.Repeat(" ", 6)
	line, ok := files.line(d.Span.Pos)
	if !ok {
		if d.Help != "" {
			fmt.Fprintf(b, "%s| %s\n", gutter, text.Line(d.Help))
		}
		return gutter
	}
	number := fmt.Sprintf("%5d ", d.Span.Line)
	gutter = strings.Repeat(" ", len(number))
	line, start := clip(line, d.Span.Col-1)
	end := min(start+max(d.Span.Len, 0), len(line))
	for end < len(line) && !utf8.RuneStart(line[end]) {
		end++
	}
	before, marked := text.Terminal(line[:start]), text.Terminal(line[start:end])
	fmt.Fprintf(b, "%s| %s%s%s\n", number, before, marked, text.Terminal(line[end:]))
	carets := fmt.Sprintf("%s| %s%s %s", gutter, blank(before), underline(marked), text.Line(d.Help))
	fmt.Fprintln(b, strings.TrimRight(carets, " "))
	return gutter
}

// clip cuts a long line around the byte offset at, and returns where that lies in what is left.
func clip(line string, at int) (string, int) {
	at = min(max(at, 0), len(line))
	if len(line) <= widest {
		return line, at
	}
	from := max(0, at-widest/2)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	to := min(len(line), from+widest)
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	return line[from:to], at - from
}

// Excerpt is the beginning of a line, as much of it as is shown.
func Excerpt(line string) string {
	shown, _ := clip(line, 0)
	return shown
}

// blank is as wide as what is before the caret: tabs stay, so that the caret stands where the text stood.
func blank(before string) string {
	var b strings.Builder
	for _, r := range before {
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteString(strings.Repeat(" ", columns(r)))
		}
	}
	return b.String()
}

func underline(marked string) string {
	width := 0
	for _, r := range marked {
		width += columns(r)
	}
	return strings.Repeat("^", max(1, width))
}

// wide are the characters that take two columns of a terminal, as far as schemas have them: Unicode Standard Annex #11, W and F.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{{0x1100, 0x115f, 1}, {0x2e80, 0x303e, 1}, {0x3041, 0x33ff, 1}, {0x3400, 0x4dbf, 1}, {0x4e00, 0x9fff, 1}, {0xa000, 0xa4cf, 1},
		{0xa960, 0xa97f, 1}, {0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1}, {0xff01, 0xff60, 1}, {0xffe0, 0xffe6, 1}},
	R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f900, 0x1f9ff, 1}, {0x20000, 0x3fffd, 1}},
}

// columns is how many columns of a terminal a character takes.
func columns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// lines splits each file once.
type lines struct {
	source Source
	split  map[string][]string
}

func (l lines) line(p Pos) (string, bool) {
	if l.source == nil || !p.Valid() {
		return "", false
	}
	split, ok := l.split[p.File]
	if !ok {
		if source, known := l.source(p.File); known {
			split = strings.Split(string(source), "\n")
		}
		l.split[p.File] = split
	}
	if p.Line > len(split) {
		return "", false
	}
	return strings.TrimSuffix(split[p.Line-1], "\r"), true
}
