package tcp

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// TestFlood: one connection sends calls as fast as it can, without a limit of rates. At most
// MaxCalls of them are handled at a time, others are refused, and another connection is served all
// the while, whether the handlers of the flood wait or compute.
func TestFlood(t *testing.T) {
	for name, test := range map[string]struct {
		work    func(context.Context)
		answers int64 // to the flood, during which the other connection is served
	}{
		"handlers that wait": {func(ctx context.Context) { <-ctx.Done() }, 1000}, // all of them refusals
		"handlers that compute": {func(context.Context) {
			sum := 0
			for begun := time.Now(); time.Since(begun) < 10*time.Millisecond; {
				sum++
			}
		}, 50},
	} {
		t.Run(name, func(t *testing.T) {
			const calls = 256 // as Options.MaxCalls says
			server := ping()
			var running, most atomic.Int64
			server.Current = func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
				n := running.Add(1)
				for was := most.Load(); n > was; was = most.Load() {
					most.CompareAndSwap(was, n)
				}
				test.work(ctx)
				running.Add(-1)
				return weather.Report{}, nil
			}
			address, _ := start(t, weather.NewHandler(server))
			answered, end := flood(t, address)
			defer end()
			s, err := Dial(t.Context(), address, nil, WithOptions(runtime.Options{Logger: quiet}))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			for answered.Load() < test.answers {
				if err := weather.NewClient(s).Ping(ctx); err != nil {
					t.Fatalf("a call of another connection: %v; %d calls of the flood were answered", err, answered.Load())
				}
			}
			if most.Load() > calls {
				t.Errorf("%d calls of one connection ran at a time, the limit is %d", most.Load(), calls)
			}
		})
	}
}

// flood calls a method without a pause, and counts the answers.
func flood(t *testing.T, address string) (answered *atomic.Int64, end func()) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	answered = new(atomic.Int64)
	done := make(chan struct{}, 2)
	go func() {
		defer func() { done <- struct{}{} }()
		to := bufio.NewWriter(conn)
		for id, err := 0, error(nil); err == nil; id++ {
			_, err = fmt.Fprintf(to, `{"jsonrpc":"2.0","id":%d,"method":"weather/current","params":{"city":"x"}}`+"\n", id)
		}
	}()
	go func() {
		defer func() { done <- struct{}{} }()
		for answers := bufio.NewScanner(conn); answers.Scan(); {
			answered.Add(1)
		}
	}()
	return answered, func() {
		conn.Close()
		<-done
		<-done
	}
}
