package main

import (
	"fmt"
	"strings"
)

// compactTable compares the compact codec with the full one.
func (m *measured) compactTable(b *strings.Builder) {
	for i := range m.Rows {
		r := &m.Rows[i]
		if q, ok := r.over(compact, rpcgenName); ok {
			ours, small := r.find(rpcgenName), r.find(compact)
			fmt.Fprintf(b, "| %s | %s | %s | %s | %.0f, %.0f |\n", r.Title, duration(ours.median()), duration(small.median()), x(q.Median), ours.Allocs, small.Allocs)
		}
	}
	b.WriteString("\n")
}
