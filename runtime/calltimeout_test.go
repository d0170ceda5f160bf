package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// TestCallTimeout: an option limits calls without a timeout, and those with a longer one.
func TestCallTimeout(t *testing.T) {
	for name, test := range map[string]struct {
		declared time.Duration // 0 if it has none
		want     time.Duration
	}{"none": {0, time.Second}, "longer": {time.Minute, time.Second}, "shorter": {time.Millisecond, time.Millisecond}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ended time.Duration
				h := slowHandler(func(ctx context.Context, c *runtime.Call) {
					if test.declared > 0 {
						ctx = c.WithTimeout(ctx, test.declared)
					}
					start := time.Now()
					<-ctx.Done()
					ended = time.Since(start)
					c.Fail(ctx.Err())
				})
				options := runtime.Options{CallTimeout: time.Second, Logger: quiet}
				d := runtime.NewDispatcher(h, options)
				answer := string(d.Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"a"}`)))
				if !strings.Contains(answer, `"code":-32001`) || ended != test.want {
					t.Errorf("outside of sessions: %s after %v", answer, ended)
				}
				a, b := pipe.New(0)
				server := runtime.NewSession(t.Context(), a, h, options)
				start := time.Now()
				if err := b.WriteFrame([]byte(`{"jsonrpc":"2.0","id":1,"method":"a"}`)); err != nil {
					t.Fatal(err)
				}
				frame, err := b.ReadFrame()
				if took := time.Since(start); err != nil || !strings.Contains(string(frame), `"code":-32001`) || took != test.want {
					t.Errorf("in a session: %s after %v, %v", frame, took, err)
				}
				b.Close()
				server.Wait()
			})
		})
	}
}

// TestLateResult: a result that comes after the timeout is not sent, over transports without late answers and in batches neither. The
// timer of a session may be later than the handler.
func TestLateResult(t *testing.T) {
	for name, late := range map[string]bool{"in time": false, "late": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := slowHandler(func(ctx context.Context, c *runtime.Call) {
					ctx = c.WithTimeout(ctx, time.Second)
					if late {
						<-ctx.Done()
					}
					c.Return(append(c.Result(), `"done"`...))
				})
				want := map[bool]string{true: `"code":-32001`, false: `"result":"done"`}[late]
				d := runtime.NewDispatcher(h, runtime.Options{Logger: quiet})
				for _, message := range []string{`{"jsonrpc":"2.0","id":1,"method":"a"}`, `[{"jsonrpc":"2.0","id":1,"method":"a"}]`} {
					if answer := string(d.Dispatch(t.Context(), nil, []byte(message))); !strings.Contains(answer, want) {
						t.Errorf("outside of sessions: %s", answer)
					}
				}
			})
		})
	}
}

// slowHandler is a handler of one function.
type slowHandler func(ctx context.Context, c *runtime.Call)

func (h slowHandler) Handle(ctx context.Context, c *runtime.Call) {
	if c.NoParams() {
		h(ctx, c)
	}
}
func (slowHandler) Protocol() runtime.Protocol        { return runtime.Plain }
func (slowHandler) Condition(runtime.Condition) error { return nil }
func (slowHandler) Hooks() runtime.Hooks              { return runtime.Hooks{} }

// TestCallTimeoutOfClients: the option limits the calls that a session makes.
func TestCallTimeoutOfClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe.New(0)
		client := runtime.NewSession(t.Context(), a, nil, runtime.Options{CallTimeout: time.Second, Logger: quiet})
		for name, test := range map[string]struct{ deadline, want time.Duration }{"option": {time.Hour, time.Second}, "context": {time.Millisecond, time.Millisecond}} {
			ctx, cancel := context.WithTimeout(t.Context(), test.deadline)
			start := time.Now()
			_, err := client.Call(ctx, 1, []byte(`{"jsonrpc":"2.0","id":1,"method":"a"}`))
			if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != test.want {
				t.Errorf("%s: %v after %v", name, err, took)
			}
			cancel()
		}
		b.Close()
		client.Wait()
	})
}
