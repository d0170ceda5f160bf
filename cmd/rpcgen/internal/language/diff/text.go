package diff

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/text"
)

// WriteText prints the report for a terminal.
func (v View) WriteText(w io.Writer) error {
	var b bytes.Buffer
	for _, c := range v.Changes {
		fmt.Fprintf(&b, "%-7s  %s: %s\n", strings.ToUpper(c.Worst().String()), text.Line(c.Path), text.Line(c.Text))
		fmt.Fprintf(&b, "         %s\n", text.Line(v.where(c)))
		if sharedType(c) {
			fmt.Fprintf(&b, "         in %s\n", text.Line(usesLine(c)))
		}
		for _, f := range findings(c) {
			if f.Verdict != "ok" || c.Worst() == OK {
				fmt.Fprintf(&b, "         %-5s %s: %s\n", f.Aspect, f.Verdict, text.Line(f.Reason))
			}
		}
		if c.Worst() == Break {
			fmt.Fprintf(&b, "         id    %s%s\n", text.Line(c.ID), v.pardon(c))
		}
		b.WriteString("\n")
	}
	v.summary(&b)
	_, err := w.Write(b.Bytes())
	return err
}

// pardon says that a break was allowed.
func (v View) pardon(c *Change) string {
	if v.breaks(c) {
		return ""
	}
	return " (allowed)"
}

func (v View) summary(b *bytes.Buffer) {
	version, reason := v.Semver()
	if len(v.Changes) == 0 {
		b.WriteString("nothing changed\n")
		return
	}
	fmt.Fprintf(b, "%s\n", text.Counted(len(v.Changes), "change"))
	for _, s := range Aspects {
		if s == TypeScript && v.Count(s, OK) == len(v.Changes) {
			continue // many have no TypeScript
		}
		if v.Count(s, NotApplicable) == len(v.Changes) {
			fmt.Fprintf(b, "  %-5s n/a\n", s)
			continue
		}
		fmt.Fprintf(b, "  %-5s %s, %s, %d ok\n", s, text.Counted(v.Count(s, Break), "break"), text.Counted(v.Count(s, Warning), "warning"), v.Count(s, OK))
	}
	fmt.Fprintf(b, "  next version: %s (%s)\n", version, text.Line(reason))
}
