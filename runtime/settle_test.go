package runtime_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// slowNotes takes a second for every notification, and settles within.
type slowNotes struct {
	session *runtime.Session
	done    atomic.Int32
}

// Handle takes a second of a bubble.
func (n *slowNotes) Handle(ctx context.Context, c *runtime.Call) {
	time.Sleep(time.Second)
	n.session.Settle(ctx)
	n.done.Add(1)
	c.ReturnEmpty()
}
func (*slowNotes) Protocol() runtime.Protocol        { return runtime.Protocol{} }
func (*slowNotes) Condition(runtime.Condition) error { return nil }
func (*slowNotes) Hooks() runtime.Hooks              { return runtime.Hooks{} }

// TestSettle: it waits for the notifications that have come, not for its own, and not beyond its context.
func TestSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pipe.New(0)
		n := &slowNotes{}
		n.session = runtime.NewSession(t.Context(), a, n, runtime.Options{})
		defer n.session.Wait()
		defer n.session.Close()
		n.session.Settle(t.Context())
		for range 2 {
			b.WriteFrame([]byte(`{"jsonrpc":"2.0","method":"x"}`))
		}
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if n.session.Settle(short) || n.done.Load() != 0 {
			t.Error("it waits beyond its context")
		}
		if !n.session.Settle(t.Context()) || n.done.Load() != 2 {
			t.Errorf("%d of 2 notifications are handled", n.done.Load())
		}
	})
}

// stuckNotes blocks in the first notification.
type stuckNotes struct {
	slowNotes
	release chan struct{}
	handled atomic.Int32
}

// Handle blocks until the test releases it.
func (n *stuckNotes) Handle(_ context.Context, c *runtime.Call) {
	n.handled.Add(1)
	<-n.release
	c.ReturnEmpty()
}

// Hooks says that the notification list/changed is superfluous while another one waits.
func (*stuckNotes) Hooks() runtime.Hooks {
	return runtime.Hooks{Latest: func(method string) bool { return method == "list/changed" }}
}

// TestBlockedHandler: while a handler blocks, a thousand notifications make a response wait for Options.StallTimeout once, and not at all if
// they say the same.
func TestBlockedHandler(t *testing.T) {
	for method, most := range map[string]time.Duration{"item": 10 * time.Second, "list/changed": 0} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := pipe.New(0)
				n := &stuckNotes{release: make(chan struct{})}
				s := runtime.NewSession(t.Context(), a, n, runtime.Options{MaxNotifications: 8, Logger: quiet})
				defer s.Wait()
				defer s.Close()
				defer close(n.release)
				go func() {
					request, _ := b.ReadFrame()
					for range 1000 {
						b.WriteFrame([]byte(`{"jsonrpc":"2.0","method":"` + method + `"}`))
					}
					b.WriteFrame([]byte(`{"jsonrpc":"2.0","result":1,` + string(request[len(`{"jsonrpc":"2.0",`):])[:6] + `}`))
				}()
				id, _ := s.NextID(1)
				begin := time.Now()
				_, err := s.Call(t.Context(), id, []byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`))
				synctest.Wait()
				if waited := time.Since(begin); err != nil || waited != most || n.handled.Load() != 1 {
					t.Errorf("%v after %v, with %d handlers", err, waited, n.handled.Load())
				}
			})
		})
	}
}
