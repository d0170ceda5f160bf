package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// table is what is printed: the parts of the suite, who visited whom, who logged in where, and who met whom without MCP or through the gateway,
// newline-separated, in the order in which they were added.
type table struct {
	legs   []*leg
	visits [][]string
	logins [][]string
	peers  [][]string
	faults []string // in words
}

// leg is a part of the suite.
type leg struct {
	name, revision string
	passed, total  int // scenarios
	checks         int // in them, that succeeded
	faults, warns  int
}

// fault says what is wrong, and returns the result that the table shows.
func (t *table) fault(format string, args ...any) string {
	t.faults = append(t.faults, fmt.Sprintf(format, args...))
	return "FAIL"
}

// String writes the table.
func (t *table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SUITE\tREVISION\tPASSED\tCHECKS\tFAILURES\tWARNINGS")
	for _, l := range t.legs {
		fmt.Fprintf(w, "%s\t%s\t%d of %d\t%d\t%d\t%d\n", l.name, l.revision, l.passed, l.total, l.checks, l.faults, l.warns)
	}
	for _, part := range [][][]string{
		append([][]string{{"CLIENT", "ERA", "SERVER", "STDIO", "HTTP"}}, t.visits...),
		append([][]string{{"CLIENT", "AUTHORIZATION SERVER", "RESULT"}}, t.logins...),
		append([][]string{{"CLIENT", "SERVER", "TRANSPORT", "RESULT"}}, t.peers...),
	} {
		fmt.Fprintln(w)
		for _, row := range part {
			fmt.Fprintln(w, strings.Join(row, "\t"))
		}
	}
	w.Flush()
	return b.String()
}

// difference returns the lines that are only in one of two tables.
func difference(want, got string) string {
	before, after := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for _, line := range before {
		if !slices.Contains(after, line) {
			fmt.Fprintln(&b, "-", line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			fmt.Fprintln(&b, "+", line)
		}
	}
	return b.String()
}
