package runtime

import (
	"context"
	"sync"
	"sync/atomic"
)

// PeerFrom returns the connection that the current call came over, to call the other side back; nil when there is none.
func PeerFrom(ctx context.Context) Conn {
	peer, _ := ctx.Value(peerKey{}).(Conn)
	return peer
}

// WithPeer returns a context in which [PeerFrom] finds peer: for transports that hand messages to a [Dispatcher], and for calls
// whose way back is another than their session's.
func WithPeer(ctx context.Context, peer Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, peer)
}

type peerKey struct{}

// IsPeerKey reports whether key is the one that [PeerFrom] asks a context for: for contexts that have another peer.
func IsPeerKey(key any) bool { return key == peerKey{} }

// RequestIDFrom returns the id of the current call; none for notifications, and for the ids null and 1.5 that plain JSON-RPC
// allows.
func RequestIDFrom(ctx context.Context) ID {
	if c := callFrom(ctx); c != nil {
		return c.id
	}
	return ID{}
}

// MethodFrom returns the method of the current call, or nothing outside of calls.
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

// callContext is the context of one call. It can be cancelled on its own; what that takes is made when somebody asks for Done.
type callContext struct {
	context.Context // of the session or the caller
	peer            Conn
	id              ID
	method          string

	mu     sync.Mutex
	inner  atomic.Pointer[cancellable] // nil: nobody has asked yet
	key    string                      // the id's text, in the session's list of calls
	s      *Session
	reads  atomic.Bool // the goroutine that handles the call is still the one that reads
	closed atomic.Bool // the answer is given, or claimed
}

type cancellable struct {
	context.Context
	cancel context.CancelCauseFunc
}

// Value returns the call itself for its key, and its peer for that of the peer.
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

// Done returns a channel that is closed when the call is cancelled or over.
func (c *callContext) Done() <-chan struct{} { return c.cancellable().Done() }

// Err says why the call is cancelled.
func (c *callContext) Err() error {
	if in := c.inner.Load(); in != nil {
		return in.Err()
	}
	return c.Context.Err()
}

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

// end cancels what was made of the context, when the call is over.
func (c *callContext) end() {
	if in := c.inner.Load(); in != nil {
		in.cancel(context.Canceled)
	}
}

// begin has another goroutine read, if that has not happened yet.
func (c *callContext) begin() {
	if c.reads.Load() && c.reads.CompareAndSwap(true, false) {
		c.s.readOn()
	}
}

// claim reports whether the answer is still to be given; see [late].
func (c *callContext) claim() bool { return c.closed.CompareAndSwap(false, true) }

// answerLate answers while the handler still runs. The call keeps its slot.
func (c *callContext) answerLate(answer []byte) {
	c.s.inbound.remove(c.key)
	c.s.send(answer)
}
