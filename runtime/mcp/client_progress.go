package mcp

import "context"

// ProgressReport says how far a call is (basic/patterns/progress).
type ProgressReport struct {
	Done, Total float64 // in a unit of the server's own; a total of zero is unknown
	Message     string  // for people; may be empty
}

// WithProgress returns a context whose calls report to f how far they are, in the place of [ClientOptions.OnProgress]. F is called by
// another goroutine, and not after the call has returned.
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

// expectProgress lists who wants to know of a call, until forget is called.
func (c *Client) expectProgress(id int64, report func(context.Context, ProgressReport)) (forget func()) {
	c.mu.Lock()
	c.progress[id] = report
	c.mu.Unlock()
	return func() {
		c.mu.Lock()
		delete(c.progress, id)
		c.mu.Unlock()
	}
}
