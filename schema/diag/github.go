package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// WriteGitHub prints the list as workflow commands, which GitHub shows at the lines of a pull request.
func (l List) WriteGitHub(w io.Writer) error {
	var b bytes.Buffer
	shown, more := l.cap()
	for _, d := range shown {
		writeGitHub(&b, d)
	}
	if more > 0 {
		fmt.Fprintf(&b, "::notice::and %d more\n", more)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func writeGitHub(b *bytes.Buffer, d Diagnostic) {
	message := fmt.Sprintf("%s [%s]%s", d.Message, d.Code, pathOf(d))
	if d.Help != "" {
		message += "\n" + d.Help
	}
	for _, r := range d.Related {
		message += fmt.Sprintf("\n%s at %s", r.Message, r.Span.Pos)
	}
	level := d.Severity.String()
	if d.Severity == Note {
		level = "notice" // as workflow commands call it
	}
	fmt.Fprintf(b, "::%s", level)
	if d.Span.File != "" {
		fmt.Fprintf(b, " file=%s", CommandProperty(d.Span.File))
		if d.Span.Valid() {
			fmt.Fprintf(b, ",line=%d,col=%d,endColumn=%d", d.Span.Line, d.Span.Col, d.Span.Col+max(1, d.Span.Len))
		}
	}
	fmt.Fprintf(b, "::%s\n", CommandData(message))
}

// CommandData escapes what a workflow command of GitHub says.
func CommandData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// CommandProperty escapes a property of such a command, which may not hold its separators either.
func CommandProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(CommandData(s))
}
