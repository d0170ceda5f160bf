package mcpclient

import (
	"context"
	"time"
)

// ProgressReport says how far a call is (basic/patterns/progress).
type ProgressReport struct {
	Done, Total float64 // in a unit of the server's own; a total of zero is unknown
	Message     string  // for people; may be empty
}

// WithProgress returns a context whose calls report to f how far they are, in the place of [Options.OnProgress]. F is called by
// another goroutine; a call that returns waits for it, a second at most.
func WithProgress(ctx context.Context, f func(ProgressReport)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

type progressKey struct{}

// reports returns who wants to know how far a call is, or nil.
func (c *Client) reports(ctx context.Context) func(context.Context, ProgressReport) {
	if f, ok := ctx.Value(progressKey{}).(func(ProgressReport)); ok {
		return func(_ context.Context, p ProgressReport) { f(p) }
	}
	return c.opts.OnProgress
}

// expectProgress lists who wants to know of a call, until forget is called: then what has come already is told first.
func (c *Client) expectProgress(ctx context.Context, id int64, report func(context.Context, ProgressReport)) (forget func()) {
	c.mu.Lock()
	c.progress[id] = report
	c.mu.Unlock()
	return func() {
		c.settle(ctx)
		c.mu.Lock()
		delete(c.progress, id)
		c.mu.Unlock()
	}
}

// settler is a connection that hands over notifications beside responses, and can wait for those that came first. [runtime.Session] is one.
type settler interface{ Settle(ctx context.Context) }

// settle waits for the notifications that came before the response to a call; but not for ever, as the call may be made by the very callback
// that they wait for.
func (c *Client) settle(ctx context.Context) {
	if conn, ok := c.conn.(settler); ok {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		conn.Settle(ctx)
	}
}
