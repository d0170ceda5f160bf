package ratelimit_test

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit"
	ledger "github.com/rpcgen-go/rpcgen/test/ledger/rpc"
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
		"declared":  refuser(ledger.NewHandler(ledger.UnimplementedServer{}), all, current),
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

// office answers every call of the weather service.
type office struct{ weather.UnimplementedServer }

func (office) WeatherCurrent(_ context.Context, p weather.WeatherCurrentParams) (weather.Report, error) {
	return weather.Report{City: p.City, Degrees: 14.5, Unit: p.Unit}, nil
}

// feature is what a server in production switches on.
type feature struct {
	name    string
	options runtime.Options
	adds    float64 // allocations that a good call makes for it
}

// features are the kinds of options: none of them, each alone, and all of them together.
func features() []feature {
	var calls, failures, nanoseconds, received, sent atomic.Int64
	measure := func(next runtime.HandlerFunc) runtime.HandlerFunc {
		return func(ctx context.Context, c *runtime.Call) {
			start := time.Now()
			next(ctx, c)
			if _, failed := c.Failure(); failed {
				failures.Add(1)
			}
			calls.Add(1)
			nanoseconds.Add(int64(time.Since(start)))
			received.Add(int64(c.RequestSize()))
			sent.Add(int64(c.AnswerSize()))
		}
	}
	const calm = 1 << 60
	limits := ratelimit.Limits{
		Principal: ratelimit.Rate{Calls: calm}, Server: ratelimit.Rate{Calls: calm}, Methods: map[string]ratelimit.Rate{weather.MethodWeatherCurrent: {Calls: calm}},
	}
	metrics, limiter := []runtime.Middleware{measure}, ratelimit.New(limits).Middleware
	return []feature{
		{"none", runtime.Options{}, 0},
		{"limits", runtime.Options{Limiter: limiter}, 0},
		{"metrics", runtime.Options{Middleware: metrics}, 0},
		{"deadline", runtime.Options{CallTimeout: time.Minute}, 2}, // the context, and the function that ends it
		{"all", runtime.Options{Limiter: limiter, Middleware: metrics, CallTimeout: time.Minute}, 2},
	}
}

// server returns a call of a good method that is served with the options.
func server(tb testing.TB, o runtime.Options) func() {
	const current = `{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"Paris","unit":"celsius"}}`
	d := runtime.NewDispatcher(weather.NewHandler(office{}), o)
	ctx, dst, msg := principal.With(tb.Context(), "ann"), make([]byte, 0, 4096), []byte(current)
	return func() {
		if answer := d.Dispatch(ctx, dst[:0], msg); !bytes.HasPrefix(answer, []byte(`{"jsonrpc":"2.0","id":1,"result":{`)) {
			tb.Fatal(string(answer))
		}
	}
}

// TestServedAllocations: limits and metrics add no allocation to a good call.
func TestServedAllocations(t *testing.T) {
	all := features()
	none := testing.AllocsPerRun(1000, server(t, all[0].options))
	for _, f := range all {
		if n := testing.AllocsPerRun(1000, server(t, f.options)); n > none+f.adds {
			t.Errorf("%s: %v allocations, and %v without", f.name, n, none)
		}
	}
}

// BenchmarkServed measures what each feature adds to a good call.
func BenchmarkServed(b *testing.B) {
	for _, f := range features() {
		b.Run(f.name, func(b *testing.B) {
			b.ReportAllocs()
			serve := server(b, f.options)
			for b.Loop() {
				serve()
			}
		})
	}
}
