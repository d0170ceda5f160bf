package main

import (
	"fmt"
	"strings"
)

// compactTable compares the compact codec with the full one.
func (m *measured) compactTable(b *strings.Builder) {
	b.WriteString("## The compact codec\n\nCalls of a server that is generated with the compact codec, dispatched as bytes, and its typed values by themselves. " +
		"Methods with `codec: fast` compile to the functions of the full codec. [Which codec for which package](../../docs/generated-api.md#which-codec).\n\n" +
		"| | full | compact | | allocations of a call |\n|---|--:|--:|--:|--:|\n")
	for i := range m.Rows {
		r := &m.Rows[i]
		if q, ok := r.over(compact, rpcgenName); ok {
			ours, small := r.find(rpcgenName), r.find(compact)
			fmt.Fprintf(b, "| %s | %s | %s | %s | %.0f, %.0f |\n", r.Title, duration(ours.median()), duration(small.median()), x(q.Median), ours.Allocs, small.Allocs)
		}
	}
	b.WriteString("\n")
}
