package runtime

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
)

// late gives the answer of a call whose handler is still running.
type late interface {
	// claim reports whether the answer has not been given yet. It reports true once, to the caller that has to give it.
	claim() bool
	// answerLate gives the answer, which is that of the error o. It must follow a successful claim.
	answerLate(answer []byte, o ErrorObject)
	// expireAt has the call answered with the condition Timeout at the deadline, which is d from now. It reports false if the caller has to do that. If ctx is
	// that of the call and ends at the deadline itself, it is returned; otherwise own is nil.
	expireAt(ctx context.Context, deadline time.Time, d time.Duration) (own context.Context, answered bool)
}

// lateFunc passes the answer of a message to its transport, see WithLate of package transport.
type lateFunc = func(answer []byte, o contextkey.Outcome)

// lateOf returns the function for the answer of a message, or nil if its transport has none.
func lateOf(ctx context.Context) lateFunc {
	if ctx == nil {
		return nil
	}
	f, _ := ctx.Value(contextkey.Late{}).(lateFunc)
	return f
}

// lateBase is the part of a [late] without a timer.
type lateBase struct {
	closed atomic.Bool // the answer was given or claimed
}

func (l *lateBase) claim() bool { return l.closed.CompareAndSwap(false, true) }

func (*lateBase) expireAt(context.Context, time.Time, time.Duration) (own context.Context, answered bool) {
	return nil, false
}

// lateCall is the answer of a single message outside of sessions.
type lateCall struct {
	lateBase
	give  lateFunc
	given chan struct{} // closed when the transport has it
}

func (l *lateCall) answerLate(answer []byte, o ErrorObject) {
	defer close(l.given)
	l.give(answer, contextkey.Outcome{Failed: true, Code: o.Code, HTTPStatus: o.HTTPStatus})
}

// mayBeLate prepares an answer at the timeout, if the transport takes one.
func (c *Call) mayBeLate() {
	if c.late != nil || c.IsNotification() {
		return
	}
	if give := lateOf(c.dispatched); give != nil {
		c.late = &lateCall{give: give, given: make(chan struct{})}
	}
}

// finishLate drops the answer of c if the timeout was answered, and waits until the transport has that answer.
func (c *Call) finishLate() {
	l, ok := c.late.(*lateCall)
	if !ok || l.claim() {
		return
	}
	c.d.peerLog.Warn("a late result was dropped", "method", c.env.Method)
	c.dst = c.dst[:c.start]
	<-l.given
}

// Deadlines reports whether calls may have timeouts: those of the schema, see [Hooks.Deadlines], or [Options.CallTimeout].
func (d *Dispatcher) Deadlines() bool { return d.hooks.Deadlines || d.opts.CallTimeout > 0 }
