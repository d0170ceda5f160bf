package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// timeoutContext is the context of a method with a declared timeout. A timer costs several times as much as a small call, and most handlers return without
// ever waiting for the end of their context: so the timer is made when Done is called, and until then Err looks at the clock.
type timeoutContext struct {
	context.Context // of the call
	deadline        time.Time
	outer           *timeoutContext // of the same call; nil if there is none
	answer          *time.Timer     // answers at the deadline; nil if something else does

	ended atomic.Bool // the handler has returned
	mu    sync.Mutex
	timer atomic.Pointer[timerContext] // nil until it is needed
}

type timerContext struct {
	context.Context
	cancel context.CancelFunc
}

// Deadline returns the earlier of the deadlines of the timeout and of the call.
func (t *timeoutContext) Deadline() (time.Time, bool) {
	if at, ok := t.Context.Deadline(); ok && at.Before(t.deadline) {
		return at, true
	}
	return t.deadline, true
}

// Done returns a channel that is closed when the timeout passes, the call is cancelled, or the handler has returned.
func (t *timeoutContext) Done() <-chan struct{} { return t.withTimer().Done() }

// Err returns why the context has ended, or nil. A later Done returns a closed channel then.
func (t *timeoutContext) Err() error {
	if in := t.timer.Load(); in != nil {
		return in.Err()
	}
	switch err := t.Context.Err(); {
	case err != nil:
		return err
	case t.ended.Load():
		return context.Canceled
	case !time.Now().Before(t.deadline):
		return context.DeadlineExceeded
	}
	return nil
}

// Value asks the context with the timer if there is one: package context finds by it what cancels its children.
func (t *timeoutContext) Value(key any) any {
	if in := t.timer.Load(); in != nil {
		return in.Value(key)
	}
	return t.Context.Value(key)
}

// withTimer returns the context with the timer.
func (t *timeoutContext) withTimer() *timerContext {
	if in := t.timer.Load(); in != nil {
		return in
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	in := t.timer.Load()
	if in == nil {
		ctx, cancel := context.WithDeadline(t.Context, t.deadline)
		in = &timerContext{ctx, cancel}
		t.timer.Store(in)
	}
	if t.ended.Load() {
		in.cancel()
	}
	return in
}

// end cancels the context, because the handler has returned.
func (t *timeoutContext) end() {
	if t.answer != nil {
		t.answer.Stop()
	}
	t.ended.Store(true)
	t.mu.Lock()
	in := t.timer.Load()
	t.mu.Unlock()
	if in != nil {
		in.cancel()
	}
}

// expireAt answers c with the condition Timeout if it is in flight at its deadline. All calls of a session share one timer, which is set to the earliest
// deadline. The end of a call does not touch it: when it fires, it is set to the earliest deadline of the calls that are in flight then.
//
// It reports whether c itself ends at the deadline, see limit.
func (s *Session) expireAt(c *callContext, deadline time.Time, timeout time.Duration) bool {
	in := &s.inbound
	in.mu.Lock()
	defer in.mu.Unlock()
	limited := c.limit(deadline, timeout)
	switch {
	case in.timer == nil:
		in.timer = time.AfterFunc(timeout, s.expire)
	case in.armed.IsZero() || deadline.Before(in.armed):
		in.timer.Reset(timeout)
	default:
		return limited
	}
	in.armed = deadline
	return limited
}

// expire answers the calls whose deadline has passed.
func (s *Session) expire() {
	for _, c := range s.inbound.takeExpired(time.Now()) {
		if !c.claim() {
			continue
		}
		_, timeout := c.due()
		s.d.peerLog.Warn("the handler exceeded its timeout", "method", c.method, "timeout", timeout)
		cond := Condition{Kind: when.Timeout, Method: c.method, Timeout: timeout}
		o := s.d.condition(cond)
		c.answerLate(s.d.appendError(nil, c.idText(), o), o)
	}
}

// takeExpired returns the calls whose deadline has passed, and sets the timer to the next one.
func (in *inbound) takeExpired(now time.Time) (all []*callContext) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.armed = time.Time{}
	for _, c := range in.calls {
		switch deadline, _ := c.due(); {
		case deadline.IsZero() || c.closed.Load():
		case !deadline.After(now):
			all = append(all, c)
		case in.armed.IsZero() || deadline.Before(in.armed):
			in.armed = deadline
		}
	}
	if !in.armed.IsZero() {
		in.timer.Reset(in.armed.Sub(now))
	}
	return all
}

// stop stops the timer at the end of the session.
func (in *inbound) stop() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.timer != nil {
		in.timer.Stop()
	}
}
