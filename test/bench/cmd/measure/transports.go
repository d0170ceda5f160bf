package main

import (
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/schema/text"
	"github.com/rpcgen-go/rpcgen/test/bench/peer"
)

// transportCallers are the numbers of concurrent callers that transports are measured with.
var transportCallers = []int{1, 64}

// transportRow returns the ID of the row for a number of callers.
func transportRow(callers int) string { return fmt.Sprintf("transport, callers=%d", callers) }

// transports measures the small call of typed clients over loopback.
func transports(s settings, only string) []row {
	var rows []row
	for _, n := range transportCallers {
		if !strings.Contains(transportRow(n), only) {
			continue
		}
		all := peer.Transports()
		list := ir.Each(all, func(c peer.Caller) contestant { return trip(c, n) })
		rows = append(rows, s.measure(transportRow(n), "small call over loopback, "+text.Counted(n, "caller"), list))
		for _, c := range all {
			c.Close()
		}
	}
	return rows
}

// transportTable writes how long a call takes over each transport, and how much processor time.
func transportTable(b *strings.Builder, one, many *row) {
	b.WriteString("| | 1 caller | processor time | 64 callers | processor time |\n|---|--:|--:|--:|--:|\n")
	for i, f := range one.Figures {
		fmt.Fprintf(b, "| %s |", f.Name)
		for _, r := range []*row{one, many} {
			g := &r.Figures[i]
			if i == 0 {
				fmt.Fprintf(b, " %s | %s |", duration(g.median()), duration(quantile(g.CPU, 0.5)))
				continue
			}
			wall, _ := r.over(g.Name, peer.OverTCP)
			cpu, _ := r.ratio(g.Name, peer.OverTCP, func(f *figure) []float64 { return f.CPU })
			fmt.Fprintf(b, " %s | %s |", x(wall.Median), x(cpu.Median))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

// transportGoals are those of calls over loopback.
func (m *measured) transportGoals() []goal {
	tcp := goal{ID: "tcp", Work: "typed call over TCP, 64 callers", Goal: "gRPC >= 2.7x"}
	web := goal{ID: "gathered", Work: "typed call over HTTP, gathered, 64 callers", Goal: "gRPC >= 2.5x"}
	r := m.row(transportRow(64))
	tcp.slower(r, peer.OverGRPC, peer.OverTCP, 2.7)
	web.slower(r, peer.OverGRPC, peer.OverGathered, 2.5)
	return []goal{tcp, web}
}
