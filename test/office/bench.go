package office

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount"
	"github.com/rpcgen-go/rpcgen/test/cputime"
)

// Bench compares a call of a mounted tool with one of a tool of the SDK, over the same connection in memory, and with the dispatcher alone; and a call
// of a tool of the SDK with one through a server of this repository that offers it.
func (h Host[S]) Bench(b *testing.B) {
	s := h.Mounted(b)
	native := `{"name":"old_07","arguments":{"room":"Bell","seats":12,"tags":["quiet"]}}`
	for _, run := range []struct {
		name, call string
		dial       mcpclient.Dialer
	}{
		{"mounted", `{"name":"book","arguments":{"room":"Bell","seats":12,"tags":["quiet"]}}`, h.Dial(s)},
		{"native", native, h.Dial(s)},
		{"native, through a server that mounts the SDK's", native, mcpclient.InMemory(h.inside(b, s, mcp.Revision20260728))},
	} {
		b.Run(run.name, func(b *testing.B) {
			c := Connect(b, run.dial, mcp.Revision20260728)
			params := mcpdynamic.JSON(run.call)
			b.ReportAllocs()
			used := cputime.Used()
			for b.Loop() {
				if _, err := mcpclient.Call(b.Context(), c.Client, "tools/call", params); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cputime.Used()-used)/float64(b.N), "cpu-ns/op") // of both ends
		})
	}
	b.Run("dispatched", func(b *testing.B) {
		d := runtime.NewDispatcher(New(Options), runtime.Options{Logger: Options.Logger})
		request := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book","arguments":{"room":"Bell","seats":12,"tags":["quiet"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
		b.ReportAllocs()
		for b.Loop() {
			d.Dispatch(b.Context(), nil, request)
		}
	})
	b.Run("through mount", func(b *testing.B) {
		m := mount.New(New(Options))
		p := mount.Params{Name: "book", Arguments: []byte(`{"room":"Bell","seats":12,"tags":["quiet"]}`)}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := m.Call(b.Context(), "tools/call", p, mount.Client{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
