package text

import (
	"fmt"
	"strings"
)

// ScriptComment returns a line as a line in a block comment of TypeScript: it cannot end the comment, and tools do not take it for one of their tags.
func ScriptComment(line string) string {
	line = strings.TrimRight(Terminal(lineBreaks.Replace(line)), " \t")
	line = strings.ReplaceAll(line, "*/", `*\/`)
	if said := strings.TrimLeft(line, " \t"); strings.HasPrefix(said, "@") {
		line = line[:len(line)-len(said)] + `\` + said
	}
	return line
}

// ScriptString returns s as a string literal of TypeScript, in the quotes that need fewer escapes, with what is hidden escaped.
func ScriptString(s string) string {
	quote := '"'
	if strings.Count(s, `"`) > strings.Count(s, "'") {
		quote = '\''
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r > 0xffff && Hidden(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		case r < ' ' || Hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteRune(quote)
	return b.String()
}
