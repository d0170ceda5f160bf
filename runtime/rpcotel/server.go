package rpcotel

import (
	"context"

	"go.opentelemetry.io/otel/trace"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// Server returns a middleware that creates a span for every call that is served, notifications
// included, and measures rpc.server.call.duration, rpc.server.request.size and
// rpc.server.response.size, and of streams how many items they have by rpc.server.responses_per_rpc. A method that does not exist counts as _OTHER.
func Server(o Options) runtime.Middleware {
	in := newInstruments(o, trace.SpanKindServer, "server")
	return func(next runtime.HandlerFunc) runtime.HandlerFunc {
		return func(ctx context.Context, c *runtime.Call) {
			m := in.begin(ctx, c.Method(), IDText(c.ID()))
			returned := false
			defer func() {
				code, failed := c.Failure()
				if !returned { // it panicked, and is answered afterwards
					code, failed = runtime.CodeInternalError, true
				}
				if failed {
					m.failWith(code)
				}
				if c.Unknown() {
					m.recordUnknown()
				}
				if n, ok := c.Items(); ok {
					m.items = &n
				}
				m.end(c.RequestSize(), c.AnswerSize())
			}()
			next(m.context, c)
			returned = true
		}
	}
}

// ServerRefusals returns the OnRefusal of an HTTP handler. It counts rpc.server.refusals: requests
// that were rejected before they were served, for instance because of a limit.
func ServerRefusals(o Options) func(status int, code int64) {
	return o.Refusals(scope, "rpc.server.refusals")
}
