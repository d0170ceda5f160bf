package text

import "strings"

var marks = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`,
	"&", `\&`, "~", `\~`, "\n", " ", "\r", " ", "\t", " ")

// Markdown returns s as text of one line in GitHub's Markdown, no character of which is markup in the middle of a line.
func Markdown(s string) string { return Line(marks.Replace(s)) }

// MarkdownLine escapes what is markup at the beginning of a line only. The rest of the line has been through the other functions.
func MarkdownLine(line string) string {
	digits := strings.TrimLeft(line, "0123456789")
	switch {
	case line != "" && strings.IndexByte("#+-=:", line[0]) >= 0:
		return `\` + line
	case len(digits) < len(line) && digits != "" && (digits[0] == '.' || digits[0] == ')'):
		return line[:len(line)-len(digits)] + `\` + digits
	}
	return line
}

// MarkdownCode returns s as code of one line, between more backticks than it holds in a row.
func MarkdownCode(s string) string {
	s = Line(strings.NewReplacer("\n", " ", "\r", " ", "\t", " ").Replace(s))
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if s == "" || strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// MarkdownCell returns markup that the other functions made as a cell of a table: a bar in it would begin another cell, even in code.
// A backslash in code cannot be escaped, and one before a bar would take its escape away: there, the bar becomes a broken one.
func MarkdownCell(s string) string {
	var b strings.Builder
	slashes := 0 // in a row
	for _, c := range s {
		switch {
		case c == '|' && slashes%2 == 0:
			b.WriteString(`\|`)
		case c == '|':
			b.WriteRune('¦')
		default:
			b.WriteRune(c)
		}
		if slashes++; c != '\\' {
			slashes = 0
		}
	}
	return b.String()
}

// MarkdownProse returns s as text of one line in which what stands between backticks is code, and nothing else is markup.
func MarkdownProse(s string) string {
	parts := strings.Split(s, "`")
	var b strings.Builder
	for i, part := range parts {
		switch {
		case i%2 == 0:
			b.WriteString(Markdown(part))
		case i == len(parts)-1: // a backtick alone
			b.WriteString(Markdown("`" + part))
		case part == "":
			b.WriteString(Markdown("``"))
		default:
			b.WriteString(MarkdownCode(part))
		}
	}
	return b.String()
}
