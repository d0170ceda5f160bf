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
