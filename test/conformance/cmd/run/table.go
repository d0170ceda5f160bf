package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// table is what is printed: the parts of the suite, who visited whom, who logged in where, and who met whom without MCP or through the gateway, newline-separated, in the order in which they were added.
type table struct {
	legs   []*leg
	visits []*visit
	logins []*login
	peers  []*peer
	faults []string // in words
}

// leg is a part of the suite.
type leg struct {
	name, revision string
	passed, total  int // scenarios
	checks         int // in them, that succeeded
	faults, warns  int
}

// visit is a client at a server.
type visit struct{ guest, era, host, stdio, http string }

// fault says what is wrong.
func (t *table) fault(format string, args ...any) {
	t.faults = append(t.faults, fmt.Sprintf(format, args...))
}

// String writes the table.
func (t *table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SUITE\tREVISION\tPASSED\tCHECKS\tFAILURES\tWARNINGS")
	for _, l := range t.legs {
		fmt.Fprintf(w, "%s\t%s\t%d of %d\t%d\t%d\t%d\n", l.name, l.revision, l.passed, l.total, l.checks, l.faults, l.warns)
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "CLIENT\tERA\tSERVER\tSTDIO\tHTTP")
	for _, v := range t.visits {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", v.guest, v.era, v.host, v.stdio, v.http)
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "CLIENT\tAUTHORIZATION SERVER\tRESULT")
	for _, l := range t.logins {
		fmt.Fprintf(w, "%s\t%s\t%s\n", l.client, l.server, l.result)
	}
	fmt.Fprintln(w)
	fmt.Fprintln(w, "CLIENT\tSERVER\tTRANSPORT\tRESULT")
	for _, p := range t.peers {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.client, p.server, p.transport, p.result)
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
