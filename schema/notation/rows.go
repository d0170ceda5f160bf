package notation

import (
	"bytes"
	"strings"
	"text/tabwriter"
)

// Row is a field or another part of a type, for a terminal. Its texts are on one line each.
type Row struct {
	Name    string // with a question mark when it may be absent, see [Label]
	Type    string
	Default string   // empty means none
	Doc     string   // what the author says of it
	Limits  []string // what a value has to keep
}

// Rows writes rows in columns, each with two blanks before it.
func Rows(rows []Row) string {
	var b bytes.Buffer
	columns := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		line := "  " + r.Name
		if r.Type != "" {
			line += "\t" + r.Type
		}
		if r.Default != "" {
			line += " = " + r.Default
		}
		said := r.Doc
		if len(r.Limits) > 0 {
			said = strings.TrimSpace(said + " (" + strings.Join(r.Limits, ", ") + ")")
		}
		if said != "" {
			line += "\t" + said
		}
		columns.Write([]byte(line + "\n")) // to a buffer, which takes all
	}
	columns.Flush()
	return b.String()
}
