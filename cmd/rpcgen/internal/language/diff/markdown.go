package diff

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/text"
)

// WriteMarkdown prints the report for a comment on a pull request: the counts, what breaks, what to look at, and the rest folded away.
func (v View) WriteMarkdown(w io.Writer) error {
	var b bytes.Buffer
	bump, reason := v.Semver()
	fmt.Fprintf(&b, "## Schema changes: %s\n\n", inlineMarkdown(v.Report.New.Heading()))
	if len(v.Changes) == 0 {
		b.WriteString("Nothing changed.\n")
		_, err := w.Write(b.Bytes())
		return err
	}
	fmt.Fprintf(&b, "%s from %s to %s. Next version: **%s** (%s).\n\n", text.Counted(len(v.Changes), "change"), text.MarkdownCode(v.Old.Label),
		text.MarkdownCode(v.New.Label),
		bump, inlineMarkdown(reason))
	b.WriteString("| aspect | break | warning | ok | n/a |\n|---|---|---|---|---|\n")
	for _, s := range Aspects {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", s, v.Count(s, Break), v.Count(s, Warning), v.Count(s, OK), v.Count(s, NotApplicable))
	}
	for _, part := range []struct {
		title   string
		verdict Verdict
	}{{"Breaks", Break}, {"Warnings", Warning}, {"Fine", OK}} {
		v.markdownPart(&b, part.title, part.verdict)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (v View) markdownPart(b *bytes.Buffer, title string, verdict Verdict) {
	var lines bytes.Buffer
	n := 0
	for _, c := range v.Changes {
		if c.Worst() == verdict {
			n++
			v.markdownChange(&lines, c)
		}
	}
	switch {
	case n == 0:
	case verdict == OK:
		fmt.Fprintf(b, "\n<details><summary>%s (%d)</summary>\n\n%s\n</details>\n", title, n, lines.Bytes())
	default:
		fmt.Fprintf(b, "\n### %s (%d)\n\n%s", title, n, lines.Bytes())
	}
}

func (v View) markdownChange(b *bytes.Buffer, c *Change) {
	fmt.Fprintf(b, "- %s: %s", text.MarkdownCode(c.Path), inlineMarkdown(c.Text))
	if c.Worst() == Break {
		b.WriteString(v.pardon(c))
	}
	fmt.Fprintf(b, "  \n  %s", text.MarkdownCode(v.where(c)))
	if sharedType(c) {
		fmt.Fprintf(b, ", in %s", inlineMarkdown(usesLine(c)))
	}
	b.WriteString("\n")
	for _, f := range findings(c) {
		if f.Verdict != "ok" {
			fmt.Fprintf(b, "  - **%s** %s: %s\n", f.Aspect, f.Verdict, inlineMarkdown(f.Reason))
		}
	}
}

// inlineMarkdown keeps what an author wrote from becoming markup, apart from code between backticks.
func inlineMarkdown(said string) string {
	return text.MarkdownProse(strings.Join(strings.Fields(said), " "))
}
