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
	for _, k := range m.keys() {
		fmt.Fprintf(b, "| %s | %s |%s |\n", k.what, k.figure, strings.TrimRight(" "+k.others, " "))
	}
}

// slow are the figures of what takes longest compared with others.
func (m *measured) slow() map[string]string {
	tuned, _ := m.row("decode "+work.Plain).over("sonic, tuned", rpcgenName)
	socket, _ := m.row(servedSocket).over(rpcgenName, floorCanned)
	invalid, _ := m.row("dispatch "+work.Invalid).over(rpcgenName, accepted)
	d, spin, p := m.Delays.find(rpcgenName), m.Delays.find(floorSpin), m.Processes
	return map[string]string{"tuned": x(tuned.Median), "socket": x(socket.Median), "invalid": x(invalid.Median), "late": x(d.times(d.P99)),
		"spin": x(spin.times(spin.P99)), "full": p.built(bothSides), "compact": p.built(bothCompact)}
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
