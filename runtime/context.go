package runtime

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
)

// PeerFrom returns the connection that the current call arrived on, so that a handler can call its peer. It returns nil if the transport offers no way
// back.
func PeerFrom(ctx context.Context) Conn {
	peer, _ := ctx.Value(contextkey.Peer{}).(Conn)
	return peer
}

// RequestIDFrom returns the id of the current call. It is zero for notifications, outside of calls, and for the ids null and 1.5, which are valid in plain
// JSON-RPC 2.0 only. With a [Dispatcher] it requires [Options.CallContext].
func RequestIDFrom(ctx context.Context) ID {
	if c := callFrom(ctx); c != nil {
		return c.id
	}
	return ID{}
}

// MethodFrom returns the method of the current call. It is empty outside of calls. With a [Dispatcher] it requires [Options.CallContext].
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

// callContext is the context of one call. Every call can be cancelled on its own, but most handlers never wait for that. So the cancellable context is made
// only when Done is called or the peer cancels the call, which saves its allocations for all other calls.
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
	read     uint64        // number of notifications that were read before the call, see Session.Cancel
	reads    atomic.Bool   // the goroutine that handles the call still owns the turn to read
	closed   atomic.Bool   // the answer was given or claimed
	limited  atomic.Bool   // the context ends at the deadline, see limit
	ended    atomic.Bool   // a limited call has ended
	detached bool          // see [Tap]
}

// methodOf returns the method of a message for the context of its handler, which may be kept when the call has ended, for instance by a task. It does not
// share the bytes of a large message.
func methodOf(e *envelope.Envelope, msg []byte) string {
	const large = 4 << 10 // bytes
	if cap(msg) > large {
		return strings.Clone(e.Method)
	}
	return e.Method
}

type cancellable struct {
	context.Context
	cancel context.CancelCauseFunc
}

// Value returns the call for the key of the call, and its peer for the key of the peer. Both are looked up first, without a lock.
func (c *callContext) Value(key any) any {
	switch {
	case key == (callKey{}):
		return c
	case key == (contextkey.Peer{}) && c.peer != nil:
		return c.peer
	}
	if in := c.inner.Load(); in != nil {
		return in.Value(key)
	}
	return c.Context.Value(key)
}

// Done returns a channel that is closed when the call is cancelled or has ended.
func (c *callContext) Done() <-chan struct{} { return c.cancellable().Done() }

// Deadline returns the earlier of the deadlines of the declared timeout and of the session.
func (c *callContext) Deadline() (time.Time, bool) {
	at, ok := c.Context.Deadline()
	if c.limited.Load() {
		if own, _ := c.due(); !ok || own.Before(at) {
			return own, true
		}
	}
	return at, ok
}

// Err returns why the call was cancelled. As long as nothing asked for Done and the peer did not cancel the call, only the session, the caller or the clock
// can have ended it.
func (c *callContext) Err() error {
	if in := c.inner.Load(); in != nil {
		return in.Err()
	}
	err := c.Context.Err()
	if err != nil || !c.limited.Load() {
		return err
	}
	if c.ended.Load() {
		return context.Canceled
	}
	if at, _ := c.due(); !time.Now().Before(at) {
		return context.DeadlineExceeded
	}
	return nil
}

// limit notes the deadline of the declared timeout, and makes it the end of the context. It reports false if the context cannot end then, because something
// waits for its end already.
func (c *callContext) limit(deadline time.Time, timeout time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline, c.timeout = deadline, timeout
	if c.inner.Load() != nil {
		return false
	}
	c.limited.Store(true)
	return true
}

// due returns the deadline of the declared timeout, and the timeout. They are zero if there is none.
func (c *callContext) due() (deadline time.Time, timeout time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deadline, c.timeout
}

// cancellable returns the cancellable context and makes it if necessary. The lock is only taken to make it: two contexts would mean that one of two callers
// is never woken.
func (c *callContext) cancellable() *cancellable {
	if in := c.inner.Load(); in != nil {
		return in
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if in := c.inner.Load(); in != nil {
		return in
	}
	in := new(cancellable)
	in.Context, in.cancel = context.WithCancelCause(c.Context)
	if c.limited.Load() {
		in.until(c.deadline)
	}
	c.inner.Store(in)
	if c.ended.Load() {
		in.cancel(context.Canceled)
	}
	return in
}

// until adds a deadline. Cancelling releases its timer.
func (in *cancellable) until(deadline time.Time) {
	cancel := in.cancel
	ctx, stop := context.WithDeadline(in.Context, deadline)
	in.Context, in.cancel = ctx, func(cause error) {
		cancel(cause)
		stop()
	}
}

// end cancels the context when the call has ended, which releases the goroutines that wait for it.
func (c *callContext) end() {
	if c.limited.Load() {
		c.ended.Store(true)
	}
	if in := c.inner.Load(); in != nil {
		in.cancel(context.Canceled)
	}
}

// begin passes the turn to read to another goroutine. The swap makes sure that it is passed once: two readers would take frames out of order.
func (c *callContext) begin() {
	if c.reads.Load() && c.reads.CompareAndSwap(true, false) {
		c.s.readOn()
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

// expireAt has the session answer, see [late]: of a context that middleware has made around c, it does not know the end.
func (c *callContext) expireAt(ctx context.Context, deadline time.Time, d time.Duration) (own context.Context, answered bool) {
	if c.s.expireAt(c, deadline, d) && ctx == context.Context(c) {
		return c, true
	}
	return nil, true
}

// answerLate sends the answer while the handler still runs. The id becomes free, but the call keeps its slot: otherwise handlers that ignore their context
// could exceed [Options.MaxCalls].
func (c *callContext) answerLate(answer []byte, _ ErrorObject) {
	c.s.inbound.remove(c.key)
	c.s.send(answer)
}
