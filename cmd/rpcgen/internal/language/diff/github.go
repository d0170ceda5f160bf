package diff

import (
	"bytes"
	"fmt"
	"io"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// WriteGitHub prints breaks and warnings as workflow commands, which GitHub shows at the lines of a pull request. What is gone is
// shown at the end of what it was part of: the first line of the new file.
func (v View) WriteGitHub(w io.Writer) error {
	var b bytes.Buffer
	for _, c := range v.Changes {
		if c.Worst() < Warning {
			continue
		}
		level := "warning"
		if v.breaks(c) {
			level = "error"
		}
		pos := c.New
		message := c.Path + ": " + c.Text
		if !pos.Valid() {
			pos = diag.Pos{File: v.Report.New.File, Line: 1, Col: 1}
			message += " (it was at " + v.Old.at(c.Old) + ")"
		}
		for _, f := range findings(c) {
			if f.Verdict != "ok" {
				message += fmt.Sprintf("\n%s %s: %s", f.Aspect, f.Verdict, f.Reason)
			}
		}
		fmt.Fprintf(&b, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", level, diag.CommandProperty(pos.File), pos.Line, pos.Col,
			diag.CommandProperty(string(c.Kind)), diag.CommandData(message))
	}
	bump, reason := v.Semver()
	fmt.Fprintf(&b, "::notice::%s\n", diag.CommandData(fmt.Sprintf("next version: %s (%s)", bump, reason)))
	_, err := w.Write(b.Bytes())
	return err
}
