package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// The contestants that are called over a connection in memory, and those that turn bytes into bytes.
var (
	connected   = []string{"jrpc2", "sourcegraph/jsonrpc2", "go-sdk"}
	dispatchers = []string{"encoding/json", "sonic", "jrpc2, no server", "x/exp/jsonrpc2", "mcp-go"}
)

// likeRows are the works of the first table.
func likeRows() []string {
	return slices.Concat([]string{"dispatch " + work.Small + ", Go", "dispatch " + work.Typical + ", Go", "dispatch " + work.LongList},
		ir.Each(work.Refused, func(w string) string { return "dispatch " + w }), []string{"mcp " + work.ToolCall},
		ir.Each(work.RefusedTools, func(w string) string { return "mcp " + w }))
}

// likeTable writes the ratios of what is called in the same way.
func (m *measured) likeTable(b *strings.Builder) {
	fmt.Fprintf(b, "| | session | %s | dispatcher | %s |\n|---|--:|%s--:|%s\n", strings.Join(connected, " | "), strings.Join(dispatchers, " | "),
		strings.Repeat("--:|", len(connected)), strings.Repeat("--:|", len(dispatchers)))
	for _, id := range likeRows() {
		r := m.row(id)
		fmt.Fprintf(b, "| %s |", r.Title)
		r.likeColumns(b, overPipe, connected)
		r.likeColumns(b, rpcgenName, dispatchers)
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

// likeColumns writes the time of one of ours and the ratios of others to it.
func (r *row) likeColumns(b *strings.Builder, ours string, others []string) {
	fmt.Fprintf(b, " %s |", duration(r.find(ours).median()))
	r.multiples(b, ours, others)
}

// multiples writes how many times as long as one of ours others need, a column for each.
func (r *row) multiples(b *strings.Builder, ours string, others []string) {
	for _, name := range others {
		if q, ok := r.over(name, ours); ok {
			fmt.Fprintf(b, " %s |", x(q.Median))
		} else {
			b.WriteString(" |")
		}
	}
}

// likeGoals are the goals of sessions.
func (m *measured) likeGoals() []goal {
	call := goal{ID: "session", Work: "a session over a connection in memory, typical call", Goal: ">= 15x jrpc2; >= 25x sourcegraph/jsonrpc2"}
	r := m.row("dispatch " + work.Typical + ", Go")
	call.slower(r, "jrpc2", overPipe, 15)
	call.slower(r, "sourcegraph/jsonrpc2", overPipe, 25)

	tool := goal{ID: "toolsession", Work: "MCP over a connection in memory, `tools/call`", Goal: ">= 100x modelcontextprotocol/go-sdk"}
	tool.slower(m.row("mcp "+work.ToolCall), "go-sdk", overPipe, 100)
	return []goal{call, tool}
}

// refusals are the goals of calls that are answered with an error.
func (m *measured) refusals(id, what, kind string, works []string) goal {
	g := goal{ID: id, Work: what, Goal: "<= 1x a good call; >= 3x sonic; <= 4 allocations"}
	for _, w := range works {
		r := m.row(kind + w)
		good, _ := r.over(rpcgenName, accepted)
		sonic, _ := r.over("sonic", rpcgenName)
		n := r.find(rpcgenName).Allocs
		g.add(good.Median <= 1 && sonic.Median >= 3 && n < 4.05, "%s: %s a good call, %s sonic, %.0f allocations", w, x(good.Median), x(sonic.Median), n)
	}
	return g
}

// timeoutGoal is the goal of declared timeouts.
func (m *measured) timeoutGoal() goal {
	g := goal{ID: "timeout", Work: "a declared timeout", Goal: "<= 1.1x the call"}
	for _, name := range []string{rpcgenName, overPipe} {
		q, _ := m.row("timeout "+name).over("declared timeout", "no timeout")
		g.add(q.Median <= 1.1, "%s: %s", name, x(q.Median))
	}
	return g
}

// lateGoal is the goal of calls at half load.
func (m *measured) lateGoal() goal {
	g := goal{ID: "delays", Work: "calls at half load, over a connection in memory", Goal: "99 % <= 1.5x of an echo's, both as times the median"}
	d, echo := m.Delays.find(rpcgenName), m.Delays.find(floorEcho)
	ours, floor := d.times(d.P99), echo.times(echo.P99)
	g.add(ours <= 1.5*floor, "%s, an echo %s", x(ours), x(floor))
	return g
}
