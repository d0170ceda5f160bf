package main

import (
	"fmt"
	"strings"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// key is one of the figures that the page shows.
type key struct{ what, figure, others string }

// keys are the figures that readers ask for first.
func (m *measured) keys() []key {
	small, typical := m.row("dispatch "+work.Small+", Go"), m.row("dispatch "+work.Typical+", Go")
	tool, batch := m.row("mcp "+work.ToolCall), m.row("dispatch "+fmt.Sprintf(work.BatchWork, 100))
	post, socket, list := m.row(servedHTTP), m.row(servedSocket), m.row("decode 15 KB list")
	p := m.Processes
	return []key{
		{"a small request dispatched, bytes to bytes", small.figure(rpcgenName), small.need(rpcgenName, "encoding/json", "sonic")},
		{"a typical call through a session over memory", typical.figure(overPipe), typical.need(overPipe, "jrpc2", "sourcegraph/jsonrpc2")},
		{"an MCP `tools/call`, bytes to bytes", tool.figure(rpcgenName), tool.need(rpcgenName, "mcp-go", "sonic")},
		{"an MCP `tools/call` through a session over memory", tool.figure(overPipe), tool.need(overPipe, "go-sdk")},
		{"a typical call over HTTP, 16 callers", post.figure(rpcgenName), post.need(rpcgenName, "go-ethereum/rpc", "gorilla/rpc")},
		{"a typical call over WebSocket", socket.figure(rpcgenName), socket.need(rpcgenName, "go-ethereum/rpc")},
		{"a small call in a batch of 100", batch.figure(rpcgenName), batch.need(rpcgenName, "encoding/json", "sonic")},
		{"decoding a list of 15 KB", list.figure(rpcgenName), list.need(rpcgenName, "encoding/json", "sonic")},
		{"an idle session", fmt.Sprintf("%.0f bytes and %.2f goroutines", m.Idle[0].Bytes, m.Idle[0].Goroutines), ""},
		{"the binary of a hello-world server", megabytes(p.Binaries[1].Plain),
			fmt.Sprintf("by hand on encoding/json %s; an empty program %s", megabytes(p.Binaries[2].Plain), megabytes(p.Binaries[0].Plain))},
		{"`rpcgen generate` for 1,000 methods, whole process", fmt.Sprintf("%.2f s", least(p.Generate).Wall), ""},
		{"`go build` of these 1,000 methods, full codec", p.built(bothSides), "with the compact codec " + p.built(bothCompact)},
	}
}

// keyTable writes the figures of keys.
func (m *measured) keyTable(b *strings.Builder) {
	b.WriteString("## Twelve figures\n\nThe last column says how many times as long other libraries need for the same.\n\n| what | rpcgen | others " +
		"|\n|---|--:|---|\n")
	for _, k := range m.keys() {
		fmt.Fprintf(b, "| %s | %s |%s |\n", k.what, k.figure, strings.TrimRight(" "+k.others, " "))
	}
	b.WriteString("\n")
}

// slower are the sentences about what takes longest compared with others, each with its figures.
func (m *measured) slower() []string {
	tuned, _ := m.row("decode "+work.Plain).over("sonic, tuned", rpcgenName)
	socket, _ := m.row(servedSocket).over(rpcgenName, floorCanned)
	invalid, _ := m.row("dispatch "+work.Invalid).over(rpcgenName, accepted)
	d := m.Delays.find(rpcgenName)
	spin := m.Delays.find(floorSpin)
	p := m.Processes
	return []string{
		fmt.Sprintf("**Long texts**: sonic with its fastest settings decodes 100 KB of plain text in %s the time, because it uses vector instructions and checks "+
			"neither UTF-8 nor control characters; rpcgen checks both, in portable Go.", x(tuned.Median)),
		fmt.Sprintf("**WebSocket**: a call takes %s as long as a loop that sends fixed bytes over the same library, because another goroutine reads on "+
			"while the handler runs, "+
			"and because the message gets memory of its own, which decoded strings share.", x(socket.Median)),
		fmt.Sprintf("**Refused calls**: a call with invalid params takes %s as long as a good small one, because its answer is two to three times as long "+
			"and names every "+
			"fault twice, for people and for programs.", x(invalid.Median)),
		fmt.Sprintf("**Rare delays**: at half load, the slowest call in a hundred takes %s the median, because calls that are due while Go collects garbage "+
			"wait until "+
			"the schedule is met again; for a loop that makes no call it is %s on the same machine.", x(d.times(d.P99)), x(spin.times(spin.P99))),
		fmt.Sprintf("**Building**: `go build` of 1,000 methods takes %s, because the time of the compiler grows with the number and the size of the functions; the compact codec, which has "+
			"fewer and smaller ones, takes %s.", p.built(bothSides), p.built(bothCompact)),
	}
}

func (m *measured) slowerText(b *strings.Builder) {
	b.WriteString("## Where it is slower, and why\n\n")
	for _, s := range m.slower() {
		fmt.Fprintf(b, "- %s\n", s)
	}
	b.WriteString("\n[Every goal](../test/bench/figures.md#goals) that is missed has its reason.\n")
}

// figure is the time of a contestant and what it allocates.
func (r *row) figure(name string) string {
	f := r.find(name)
	return fmt.Sprintf("%s, %.1f allocs", duration(f.median()), f.Allocs)
}

// need says how many times as long as one of ours others need.
func (r *row) need(ours string, others ...string) string {
	var texts []string
	for _, name := range others {
		if q, ok := r.over(name, ours); ok {
			texts = append(texts, name+" "+x(q.Median))
		}
	}
	return strings.Join(texts, ", ")
}

// built is how long a build of the large service took, at best.
func (p *processes) built(what string) string {
	for _, b := range p.Builds {
		if b.What == what {
			return fmt.Sprintf("%.1f s", least(b.Took).Wall)
		}
	}
	panic("not built: " + what)
}
