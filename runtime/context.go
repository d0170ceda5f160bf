package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// PeerFrom returns the connection that the current call arrived on, so that a handler can call its
// peer. It returns nil if the transport offers no way back.
func PeerFrom(ctx context.Context) Conn {
	peer, _ := ctx.Value(peerKey{}).(Conn)
	return peer
}

// WithPeer returns a context in which [PeerFrom] returns peer. It is for transports that pass
// messages to a [Dispatcher], and for calls whose way back is not the session they arrived on.
func WithPeer(ctx context.Context, peer Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, peer)
}

type peerKey struct{}

// IsPeerKey reports whether key is the context key of [PeerFrom]. It is for implementations of
// [context.Context] that replace the peer without another layer of [context.WithValue].
func IsPeerKey(key any) bool { return key == peerKey{} }

// RequestIDFrom returns the id of the current call. It is zero for notifications, outside of calls,
// and for the ids null and 1.5, which are valid in plain JSON-RPC 2.0 only. With a [Dispatcher] it
// requires [Options.CallContext].
func RequestIDFrom(ctx context.Context) ID {
	if c := callFrom(ctx); c != nil {
		return c.id
	}
	return ID{}
}

// MethodFrom returns the method of the current call. It is empty outside of calls. With a
// [Dispatcher] it requires [Options.CallContext].
func MethodFrom(ctx context.Context) string {
	if c := callFrom(ctx); c != nil {
		return c.method
	}
	return ""
}

func callFrom(ctx context.Context) *callContext {
	c, _ := ctx.Value(callKey{}).(*callContext)
	return c
}

type callKey struct{}

// callContext is the context of one call. Every call can be cancelled on its own, but most handlers
// never wait for that. So the cancellable context is made only when Done is called or the peer
// cancels the call, which saves its allocations for all other calls.
type callContext struct {
	context.Context // of the session or the caller
	peer            Conn
	id              ID
	method          string

	mu       sync.Mutex
	inner    atomic.Pointer[cancellable] // the cancellable context; nil until it is needed
	key      string                      // text of the id in the session's list of calls
	s        *Session
	timeout  time.Duration // as declared; see deadline
	deadline time.Time     // when the declared timeout passes; zero if there is none. Guarded by the lock of the table of calls
	after    uint64        // number of notifications that must be handled before the handler starts, see Hooks.Ordered
	reads    atomic.Bool   // the goroutine that handles the call still owns the turn to read
	closed   atomic.Bool   // the answer was given or claimed
}

type cancellable struct {
	context.Context
	cancel context.CancelCauseFunc
}

// Value returns the call for the key of the call, and its peer for the key of the peer. Both are
// looked up first, without a lock.
func (c *callContext) Value(key any) any {
	switch {
	case key == (callKey{}):
		return c
	case key == (peerKey{}) && c.peer != nil:
		return c.peer
	}
	if in := c.inner.Load(); in != nil {
		return in.Value(key)
	}
	return c.Context.Value(key)
}

// Done returns a channel that is closed when the call is cancelled or has ended.
func (c *callContext) Done() <-chan struct{} { return c.cancellable().Done() }

// Err returns why the call was cancelled. As long as nothing asked for Done and the peer did not
// cancel the call, only the session or the caller can have ended it.
func (c *callContext) Err() error {
	if in := c.inner.Load(); in != nil {
		return in.Err()
	}
	return c.Context.Err()
}

// cancellable returns the cancellable context and makes it if necessary. The lock is only taken to
// make it: two contexts would mean that one of two callers is never woken.
func (c *callContext) cancellable() *cancellable {
	if in := c.inner.Load(); in != nil {
		return in
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if in := c.inner.Load(); in != nil {
		return in
	}
	ctx, cancel := context.WithCancelCause(c.Context)
	in := &cancellable{ctx, cancel}
	c.inner.Store(in)
	return in
}

// end cancels the context when the call has ended, which releases the goroutines that wait for it.
func (c *callContext) end() {
	if in := c.inner.Load(); in != nil {
		in.cancel(context.Canceled)
	}
}

// begin passes the turn to read to another goroutine. The swap makes sure that it is passed once:
// two readers would take frames out of order.
func (c *callContext) begin() {
	if c.reads.Load() && c.reads.CompareAndSwap(true, false) {
		c.s.readOn()
	}
}

// settle waits for the notifications that must be handled before the handler starts.
func (c *callContext) settle() {
	if c.after > 0 {
		c.s.notifications.wait(c, c.after)
	}
}

// idText returns the id as JSON.
func (c *callContext) idText() []byte {
	if c.id.IsZero() {
		return []byte(c.key)
	}
	return wire.AppendID(nil, c.id)
}

// claim reports whether the answer has not been given yet, see [late].
func (c *callContext) claim() bool { return c.closed.CompareAndSwap(false, true) }

// answerLate sends the answer while the handler still runs. The id becomes free, but the call keeps
// its slot: otherwise handlers that ignore their context could exceed [Options.MaxCalls].
func (c *callContext) answerLate(answer []byte) {
	c.s.inbound.remove(c.key)
	c.s.send(answer)
}
