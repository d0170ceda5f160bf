package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// orders are the ways in which clients write one and the same request.
var orders = []struct{ name, text string }{
	{"usual", `{"jsonrpc":"2.0","id":42,"method":"weather/current","params":{"city":"Paris","days":7}}`},
	{"method first", `{"method":"weather/current","params":{"city":"Paris","days":7},"jsonrpc":"2.0","id":42}`},
	{"spaced", `{"jsonrpc": "2.0", "id": 42, "method": "weather/current", "params": {"city": "Paris", "days": 7}}`},
	{"params first", `{"params":{"days":7,"city":"Paris"},"method":"weather/current","id":42,"jsonrpc":"2.0"}`},
}

func TestDispatchAllocatesNothing(t *testing.T) {
	d := runtime.NewDispatcher(weather.NewHandler(office()), runtime.Options{Logger: quiet})
	ctx, buf := context.Background(), make([]byte, 0, 1<<10)
	for _, o := range orders {
		t.Run(o.name, func(t *testing.T) {
			msg := []byte(o.text)
			if n := testing.AllocsPerRun(1000, func() { buf = d.Dispatch(ctx, buf[:0], msg) }); n != 0 {
				t.Errorf("%v allocations", n)
			}
			const want = `{"jsonrpc":"2.0","id":42,"result":{"city":"Paris","degrees":14}}`
			if string(buf) != want {
				t.Errorf("got %s", buf)
			}
		})
	}
}

// TestTimeoutsAllocateLittle: a declared timeout is a context outside of sessions; in a session the
// call has one.
func TestTimeoutsAllocateLittle(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools at random")
	}
	server := office()
	server.Slow = server.Current
	h := weather.NewHandler(server)
	d, buf := runtime.NewDispatcher(h, runtime.Options{Logger: quiet}), make([]byte, 0, 1<<10)
	msg := []byte(`{"jsonrpc":"2.0","id":42,"method":"weather/slow","params":{"city":"Paris","days":7}}`)
	if n := testing.AllocsPerRun(1000, func() { buf = d.Dispatch(context.Background(), buf[:0], msg) }); n > 1 {
		t.Errorf("%v allocations of a dispatcher", n)
	}
	late := transport.WithLate(context.Background(), func([]byte, transport.Outcome) { t.Error("answered late") })
	batch, _ := cities(100)
	if n := testing.AllocsPerRun(100, func() { buf = d.Dispatch(late, buf[:0], []byte(batch)) }); n > 12 {
		t.Errorf("%v allocations of a quick batch that may be answered late", n)
	}
	session, _ := connect(t, h, runtime.Options{})
	client, p := weather.NewClient(session), weather.CurrentParams{City: "Paris", Days: 7}
	allocs := func(call func(context.Context, weather.CurrentParams) (weather.Report, error)) float64 {
		return testing.AllocsPerRun(1000, func() {
			if _, err := call(context.Background(), p); err != nil {
				t.Fatal(err)
			}
		})
	}
	allocs(client.Current) // short ids take no memory
	if none, declared := allocs(client.Current), allocs(client.Slow); declared > none {
		t.Errorf("%v allocations of a session, %v without a timeout", declared, none)
	}
}

// TestLargeCallsAllocateLittle: of a large call, what each side reads takes new memory; what it writes takes that of calls before.
func TestLargeCallsAllocateLittle(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools at random")
	}
	const size, calls = 200_000, 100
	server := office()
	server.Current = func(_ context.Context, p weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: p.City}, nil
	}
	session, _ := connect(t, weather.NewHandler(server), runtime.Options{})
	client, p := weather.NewClient(session), weather.CurrentParams{City: strings.Repeat("x", size)}
	var before, after goruntime.MemStats
	for i := range calls + 1 {
		if i == 1 {
			goruntime.ReadMemStats(&before)
		}
		if got, err := client.Current(t.Context(), p); err != nil || len(got.City) != size {
			t.Fatal(err)
		}
	}
	goruntime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / calls; each > 5*size/2 {
		t.Errorf("%d bytes for a call of %d there and back", each, size)
	}
}

// TestBatchAllocatesLittle: the calls of a batch of a session share the text of their method.
func TestBatchAllocatesLittle(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools at random")
	}
	p := newPeer(t, weather.NewHandler(office()), runtime.Options{})
	batch, _ := cities(100)
	if n := testing.AllocsPerRun(100, func() {
		p.conn.WriteFrame([]byte(batch))
		p.conn.ReadFrame()
	}); n > 220 {
		t.Errorf("%v allocations for a batch of 100", n)
	}
	p.conn.Close()
	p.s.Wait()
}

// refusals are requests that are answered with an error.
var refusals = []struct{ name, text string }{
	{"missing", `{"jsonrpc":"2.0","id":42,"method":"weather/current","params":{"days":7}}`},
	{"wrong type", `{"jsonrpc":"2.0","id":42,"method":"weather/current","params":{"city":"Paris","days":"7"}}`},
	{"rule", `{"jsonrpc":"2.0","id":42,"method":"weather/current","params":{"city":"","days":7}}`},
	{"unknown member", `{"jsonrpc":"2.0","id":42,"method":"weather/current","params":{"city":"Paris","day":7}}`},
	{"unknown method", `{"jsonrpc":"2.0","id":42,"method":"weather/curent","params":{"city":"Paris","days":7}}`},
}

// TestRefusalsAllocateLittle: the texts of the violations are one allocation; a suggested method and
// the list of all methods are two.
func TestRefusalsAllocateLittle(t *testing.T) {
	if raceEnabled {
		t.Skip("what the race detector watches is compiled without inlining, and allocates more: make short counts")
	}
	d := runtime.NewDispatcher(weather.NewHandler(office()), runtime.Options{Logger: quiet})
	ctx, buf := context.Background(), make([]byte, 0, 1<<10)
	for _, r := range refusals {
		t.Run(r.name, func(t *testing.T) {
			msg := []byte(r.text)
			if n := testing.AllocsPerRun(1000, func() { buf = d.Dispatch(ctx, buf[:0], msg) }); n > 2 {
				t.Errorf("%v allocations", n)
			}
			if !bytes.HasPrefix(buf, []byte(`{"jsonrpc":"2.0","id":42,"error":{"code":-3260`)) {
				t.Errorf("got %s", buf)
			}
		})
	}
}

func BenchmarkRefusal(b *testing.B) {
	d := runtime.NewDispatcher(weather.NewHandler(office()), runtime.Options{Logger: quiet})
	ctx, buf := context.Background(), make([]byte, 0, 1<<10)
	for _, r := range refusals {
		msg := []byte(r.text)
		b.Run("fault="+r.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = d.Dispatch(ctx, buf[:0], msg)
			}
		})
	}
}

func BenchmarkDispatch(b *testing.B) {
	d := runtime.NewDispatcher(weather.NewHandler(office()), runtime.Options{Logger: quiet})
	ctx, buf := context.Background(), make([]byte, 0, 1<<10)
	for _, o := range orders {
		msg := []byte(o.text)
		b.Run("order="+o.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = d.Dispatch(ctx, buf[:0], msg)
			}
		})
	}
}

// BenchmarkEcho is the floor of BenchmarkRoundTrip: the same bytes over the same pipe, without any decoding.
func BenchmarkEcho(b *testing.B) {
	near, far := pipe.New(0)
	request := []byte(orders[0].text)
	response := []byte(`{"jsonrpc":"2.0","id":42,"result":{"city":"Paris","degrees":14}}`)
	go func() {
		for {
			if _, err := far.ReadFrame(); err != nil {
				return
			}
			far.WriteFrame(response)
		}
	}()
	b.ReportAllocs()
	for b.Loop() {
		near.WriteFrame(request)
		near.ReadFrame()
	}
	near.Close()
}

// BenchmarkSession has a session answer messages over a pipe.
func BenchmarkSession(b *testing.B) {
	batch, _ := cities(100)
	for _, m := range []struct{ name, text string }{{"call", orders[0].text}, {"ping", `{"jsonrpc":"2.0","id":42,"method":"weather/ping"}`}, {"batch", batch}} {
		b.Run("message="+m.name, func(b *testing.B) {
			near, far := pipe.New(0)
			s := runtime.NewSession(context.Background(), far, weather.NewHandler(office()), runtime.Options{Logger: quiet})
			msg := []byte(m.text)
			b.ReportAllocs()
			for b.Loop() {
				near.WriteFrame(msg)
				if _, err := near.ReadFrame(); err != nil {
					b.Fatal(err)
				}
			}
			near.Close()
			s.Wait()
		})
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	session, _ := connect(b, weather.NewHandler(office()), runtime.Options{})
	client, ctx := weather.NewClient(session), context.Background()
	p := weather.CurrentParams{City: "Paris", Days: 7}
	b.Run("callers=1", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := client.Current(ctx, p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("callers=64", func(b *testing.B) {
		b.ReportAllocs()
		b.SetParallelism(32) // times GOMAXPROCS
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := client.Current(ctx, p); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}

// BenchmarkTimeout calls a method with a declared timeout, and the same method without: the ratio is what a timeout costs.
func BenchmarkTimeout(b *testing.B) {
	p := weather.CurrentParams{City: "Paris", Days: 7}
	server := office()
	server.Slow = server.Current
	d := runtime.NewDispatcher(weather.NewHandler(server), runtime.Options{Logger: quiet})
	session, _ := connect(b, weather.NewHandler(server), runtime.Options{})
	client, ctx := weather.NewClient(session), context.Background()
	buf := make([]byte, 0, 1<<10)
	for name, method := range map[string]string{"none": "weather/current", "declared": "weather/slow"} {
		msg := []byte(`{"jsonrpc":"2.0","id":42,"method":"` + method + `","params":{"city":"Paris","days":7}}`)
		b.Run("dispatch/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = d.Dispatch(ctx, buf[:0], msg)
			}
		})
	}
	for name, call := range map[string]func(context.Context, weather.CurrentParams) (weather.Report, error){"none": client.Current, "declared": client.Slow} {
		b.Run("session/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := call(ctx, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkBatch handles batches of growing size; an operation is one batch.
func BenchmarkBatch(b *testing.B) {
	d := runtime.NewDispatcher(weather.NewHandler(office()), runtime.Options{Logger: quiet, MaxBatch: 10_000})
	ctx, buf := context.Background(), make([]byte, 0, 1<<20)
	for _, n := range []int{1, 100, 10_000} {
		batch, _ := cities(n)
		msg := []byte(batch)
		b.Run(fmt.Sprint("calls=", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = d.Dispatch(ctx, buf[:0], msg)
			}
		})
	}
}
