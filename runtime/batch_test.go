package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// cities returns a batch of n requests, and what office answers to it.
func cities(n int) (batch, answer string) {
	requests, results := make([]string, n), make([]string, n)
	for i := range n {
		requests[i] = request(fmt.Sprint(i), "weather/current", "Paris")
		results[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"city":"Paris","degrees":14}}`, i)
	}
	return "[" + strings.Join(requests, ",") + "]", "[" + strings.Join(results, ",") + "]"
}

// TestBatchElementsAreMessages: a message in a batch is answered as it is by itself, whatever its faults.
func TestBatchElementsAreMessages(t *testing.T) {
	d, texts, r := fuzzed()[0], seeds(), rand.New(rand.NewPCG(3, 4))
	for range 50_000 {
		msg := mutate(r, texts[r.IntN(len(texts))])
		if !isJSON(msg) || bytes.ContainsAny(msg[:1], "[ \t\n") || bytes.Contains(msg, []byte("[[[")) {
			continue // no message, a batch, or nested as deep as a message by itself may be
		}
		want := string(d.Dispatch(t.Context(), nil, msg))
		if want != "" {
			want = "[" + want + "]"
		}
		if got := string(d.Dispatch(t.Context(), nil, fmt.Appendf(nil, "[%s]", msg))); got != want {
			t.Fatalf("%s\ngot  %s\nwant %s", msg, got, want)
		}
	}
}

// TestLargeBatch: the answers are in one piece, whatever the buffer that they go to.
func TestLargeBatch(t *testing.T) {
	d := runtime.NewDispatcher(weather.NewHandler(office()), runtime.Options{Logger: quiet, MaxBatch: 1000})
	batch, want := cities(1000)
	for _, dst := range [][]byte{nil, {}, make([]byte, 0, 100), make([]byte, 0, 1<<20)} {
		if got := string(d.Dispatch(t.Context(), dst, []byte(batch))); got != want {
			t.Fatalf("got %s", got)
		}
	}
}

// TestSlowBatch: others help with a batch that is slow, and its answers keep the order of its requests.
func TestSlowBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := office()
		answer := server.Current
		server.Current = func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
			time.Sleep(time.Second)
			return answer(ctx, p)
		}
		d := runtime.NewDispatcher(weather.NewHandler(server), runtime.Options{Logger: quiet, BatchCalls: 4})
		batch, want := cities(8)
		start := time.Now()
		if got := string(d.Dispatch(t.Context(), []byte("before "), []byte(batch))); got != "before "+want {
			t.Errorf("got %s", got)
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("8 calls of a second, 4 at a time, took %v", took)
		}
	})
}

// TestSlowBatchesInTurn: batches that others help with, and those without help, take over the memory of earlier ones.
func TestSlowBatchesInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := office()
		answer := server.Current
		server.Current = func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
			time.Sleep(50 * time.Microsecond)
			return answer(ctx, p)
		}
		d := runtime.NewDispatcher(weather.NewHandler(server), runtime.Options{Logger: quiet, BatchCalls: 3})
		var clients sync.WaitGroup
		for client := range 4 {
			clients.Go(func() {
				var buf []byte
				for turn := range 50 {
					batch, want := cities(1 + (7*turn+client)%20)
					if buf = d.Dispatch(t.Context(), buf[:0], []byte(batch)); string(buf) != want {
						t.Errorf("got %s, want %s", buf, want)
					}
				}
			})
		}
		clients.Wait()
	})
}

// TestBatchesAfterGoexit: a batch whose handlers have ended their goroutines disturbs no later one.
func TestBatchesAfterGoexit(t *testing.T) {
	server := office()
	server.Slow = func(context.Context, weather.CurrentParams) (weather.Report, error) {
		goruntime.Goexit()
		return weather.Report{}, nil
	}
	d := runtime.NewDispatcher(weather.NewHandler(server), runtime.Options{Logger: quiet})
	ends := []byte("[" + strings.Repeat(request("1", "weather/slow", "Paris")+",", 3) + request("2", "weather/current", "Paris") + "]")
	for range 50 {
		var ended sync.WaitGroup
		ended.Go(func() { d.Dispatch(t.Context(), nil, ends) })
		ended.Wait()
		batch, want := cities(3)
		if got := string(d.Dispatch(t.Context(), nil, []byte(batch))); got != want {
			t.Fatalf("got %s", got)
		}
	}
}

// TestBatchOfLargeResults: what would make the answer too large is answered by an error, alone or with help.
func TestBatchOfLargeResults(t *testing.T) {
	batch, whole := cities(4)
	d := runtime.NewDispatcher(weather.NewHandler(office()), runtime.Options{Logger: quiet, MaxMessage: len(whole) - 1})
	got := string(d.Dispatch(t.Context(), nil, []byte(batch)))
	if want := strings.Count(got, `"result"`); want != 3 || !strings.HasSuffix(got, `,{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"Results of the batch too large: `+strconv.Itoa(len(whole))+` bytes, over the limit of `+strconv.Itoa(len(whole)-1)+`"}}]`) {
		t.Errorf("got %s", got)
	}
}

// TestBatchOfHandlersThatEndTheirGoroutine: they are answered, and so is everybody after them.
func TestBatchOfHandlersThatEndTheirGoroutine(t *testing.T) {
	server := office()
	server.Current = func(context.Context, weather.CurrentParams) (weather.Report, error) {
		goruntime.Goexit()
		return weather.Report{}, nil
	}
	p := newPeer(t, weather.NewHandler(server), runtime.Options{Logger: quiet})
	p.send("[" + request("1", "weather/current", "Paris") + `,{"jsonrpc":"2.0","id":2,"method":"weather/ping"}]`)
	p.expect(`[{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}},{"jsonrpc":"2.0","id":2,"result":{}}]`)
	p.end()
}
