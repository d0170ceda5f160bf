package ratelimit_test

import (
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/allkinds"
	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/ratelimit"
)

// refusers are dispatchers that refuse the message msg of a principal by a rate.
func refusers(tb testing.TB) map[string]func() {
	all := ratelimit.Limits{
		Principal: ratelimit.Rate{Calls: 1, Per: 24 * time.Hour}, Server: ratelimit.Rate{Calls: 1_000_000}, Session: ratelimit.Rate{Calls: 1000},
		Methods: map[string]ratelimit.Rate{"weather/current": {Calls: 1000, Per: time.Hour}},
		Tools:   map[string]ratelimit.Rate{"search_items": {Calls: 1, Per: 24 * time.Hour}},
	}
	refuser := func(h runtime.Handler, l ratelimit.Limits, msg string) func() {
		d := runtime.NewDispatcher(h, runtime.Options{Limiter: ratelimit.New(l).Middleware, Logger: quiet})
		ctx, dst, m := principal.With(tb.Context(), "ann"), make([]byte, 0, 4096), []byte(msg)
		d.Dispatch(ctx, dst, m)
		return func() {
			if answer := d.Dispatch(ctx, dst[:0], m); answer[len(answer)-2] != '}' {
				tb.Fatal(string(answer))
			}
		}
	}
	const current = `{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"Paris","unit":"celsius"}}`
	const tool = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_items","arguments":{"query":"tea"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	return map[string]func(){
		"principal": refuser(new(service), all, current),
		"server":    refuser(new(service), ratelimit.Limits{Server: ratelimit.Rate{Calls: 1, Per: 24 * time.Hour}}, current),
		"declared":  refuser(allkinds.NewHandler(allkinds.UnimplementedServer{}), all, current),
		"tool":      refuser(toolbox.NewServer(toolbox.UnimplementedServer{}, mcp.Options{Logger: quiet}), ratelimit.Limits{Tools: all.Tools}, tool),
	}
}

// TestRefusedAllocations: a refused call costs no allocation.
func TestRefusedAllocations(t *testing.T) {
	for name, refuse := range refusers(t) {
		if n := testing.AllocsPerRun(1000, refuse); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkRefused(b *testing.B) {
	for name, refuse := range refusers(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				refuse()
			}
		})
	}
}

// BenchmarkServed is what a limiter adds to a call.
func BenchmarkServed(b *testing.B) {
	for name, o := range map[string]runtime.Options{
		"without": {},
		"with":    {Limiter: ratelimit.New(ratelimit.Limits{Principal: ratelimit.Rate{Calls: 1 << 60}, Server: ratelimit.Rate{Calls: 1 << 60}}).Middleware},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			d := runtime.NewDispatcher(new(service), o)
			ctx, dst, m := principal.With(b.Context(), "ann"), make([]byte, 0, 4096), []byte(call)
			for b.Loop() {
				d.Dispatch(ctx, dst[:0], m)
			}
		})
	}
}
