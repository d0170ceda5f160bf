package mcpclient

import (
	"context"
	"time"
)

// ProgressReport is the progress of a call (basic/patterns/progress).
type ProgressReport struct {
	Done, Total float64 // in a unit that the server chooses; a Total of 0 means unknown
	Message     string  // for people; may be empty
}

// WithProgress returns a context for calls whose progress is passed to f instead of
// [Options.OnProgress]. Another goroutine calls f; a call waits up to one second for it before it
// returns.
func WithProgress(ctx context.Context, f func(ProgressReport)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

type progressKey struct{}

// reports returns the function that gets the progress of a call, or nil.
func (c *Client) reports(ctx context.Context) func(context.Context, ProgressReport) {
	if f, ok := ctx.Value(progressKey{}).(func(ProgressReport)); ok {
		return func(_ context.Context, p ProgressReport) { f(p) }
	}
	return c.opts.OnProgress
}

// expectProgress registers the function that gets the progress of a call, until forget is called.
// The function forget first waits for reports that have arrived already.
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

// settler is a connection that can wait for the notifications that arrived before a response.
// [runtime.Session] implements it.
type settler interface{ Settle(ctx context.Context) }

// settle waits for the notifications that arrived before the response to a call. The wait is
// limited, because the call may have been made by the callback that it waits for.
func (c *Client) settle(ctx context.Context) {
	if conn, ok := c.conn.(settler); ok {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		conn.Settle(ctx)
	}
}
