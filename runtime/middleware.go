package runtime

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// HandlerFunc handles one call, as [Handler.Handle] does.
type HandlerFunc func(ctx context.Context, c *Call)

// Middleware wraps the handling of calls. It is called once for each [Dispatcher] and each [Session]; the function that it returns is called for every
// request and notification that is served, also within batches, before the params are decoded. It may change the context, and answer without calling next.
// When next has returned, [Call.Failure], [Call.AnswerSize] and [Call.Items] describe the answer. Requests that are refused before, as they are invalid or
// too many, do not pass through it. A call that lacks scopes does, with its answer, which stays: next calls no handler.
type Middleware func(next HandlerFunc) HandlerFunc

// wrapHandler returns the handler with its limiter and the middleware of the options around it. It is nil if there are none.
func (d *Dispatcher) wrapHandler() HandlerFunc {
	limiter := d.opts.Limiter
	if limiter == nil {
		limiter = d.hooks.Limiter
	}
	if limiter == nil && len(d.opts.Middleware) == 0 && d.opts.CallTimeout == 0 && d.hooks.Permit == nil {
		return nil
	}
	handle := HandlerFunc(d.handler.Handle)
	if d.opts.CallTimeout > 0 {
		handle = func(ctx context.Context, c *Call) { d.handler.Handle(c.WithTimeout(ctx, d.opts.CallTimeout), c) }
	}
	if d.hooks.Permit != nil {
		served := handle
		handle = func(ctx context.Context, c *Call) {
			if !c.Answered() {
				served(ctx, c)
			}
		}
	}
	if limiter != nil {
		served, limited := handle, limiter(handle)
		handle = func(ctx context.Context, c *Call) {
			if l, ok := c.late.(*callContext); ok && l.s.watches.ends(c.Method()) { // or the stream would go on for nobody
				served(ctx, c)
			} else {
				limited(ctx, c)
			}
		}
	}
	for i := len(d.opts.Middleware) - 1; i >= 0; i-- {
		handle = d.opts.Middleware[i](handle)
	}
	if d.hooks.Permit != nil {
		handle = d.hooks.Permit(handle)
	}
	return handle
}

// Limited reports whether calls pass a limiter, see [Options.Limiter].
func (d *Dispatcher) Limited() bool { return d.opts.Limiter != nil || d.hooks.Limiter != nil }

// RequestSize returns the size of the message in bytes, without its framing.
func (c *Call) RequestSize() int { return len(c.msg) }

// AnswerSize returns the size of the answer in bytes, without its framing. It is 0 if there is none yet, or if the call gets none.
func (c *Call) AnswerSize() int {
	if c.state == unanswered {
		return 0
	}
	return len(c.dst) - c.start
}

// Items returns how many items the call has sent, if it is a stream whose handler has returned.
func (c *Call) Items() (n int, ok bool) {
	return c.items, c.stream
}

// Unknown reports whether the method does not exist. Its name should not be used for metrics then, because peers can invent any number of names.
func (c *Call) Unknown() bool { return c.stray }

// ResultJSON returns the result that the call was answered with. It is nil if there is no answer, and for notifications and errors. It shares the
// memory of the answer, and is valid until the handler of the call has returned.
func (c *Call) ResultJSON() []byte {
	at := c.afterID()
	if c.state != answered || c.IsNotification() || !wire.Has(c.dst, at, resultMember) {
		return nil
	}
	return c.dst[at+len(resultMember) : len(c.dst)-1]
}
