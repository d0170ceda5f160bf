package mcpotel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/rpcotel"
)

// Server returns a middleware that creates a span for every request that a server serves, and
// measures mcp.server.operation.duration. The parent of the span is the trace context in _meta, and
// the span links to the current one, such as that of the HTTP request; without a trace context in
// _meta, the current span is the parent. A tool, prompt or method that does not exist counts as
// _OTHER.
func Server(o Options) mcp.Middleware {
	o = o.WithDefaults()
	duration := histogram(&o, "mcp.server.operation.duration", "How long requests take from their arrival to their answer.")
	return func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			op := &operation{o: &o, duration: duration, method: rpcotel.Clip(q.Method()), name: rpcotel.Clip(q.Name())}
			op.serve(ctx, q)
			answered := false
			defer func() {
				if !answered { // it panicked
					op.failWith(runtime.CodeInternalError, "")
				}
				op.end()
			}()
			err := next(op.context, q)
			answered = true
			op.recordAnswer(q, err)
			return err
		}
	}
}

// serve begins the span of a request that was received.
func (op *operation) serve(ctx context.Context, q *mcp.Request) {
	var links []trace.SpanStartOption
	around := trace.SpanContextFromContext(ctx)
	ctx = op.o.Propagator.Extract(ctx, requestMeta{q})
	if around.IsValid() && !trace.SpanContextFromContext(ctx).Equal(around) {
		links = append(links, trace.WithLinks(trace.Link{SpanContext: around}))
	}
	op.begin(ctx, trace.SpanKindServer, rpcotel.Clip(q.Revision()), links...)
	op.span.SetAttributes(keyRequestID.String(rpcotel.IDText(q.ID())))
	headers := q.HTTP()
	op.recordTransport(headers != nil)
	if headers != nil && q.Era() == mcp.Handshake {
		if id := headers.Get("Mcp-Session-Id"); id != "" {
			op.span.SetAttributes(keySessionID.String(id))
		}
	}
}

// recordAnswer records how the request is answered.
func (op *operation) recordAnswer(q *mcp.Request, err error) {
	f := q.Failure(err)
	if f == nil {
		return
	}
	op.unknown = f.NotFound
	switch {
	case f.Cancelled:
		op.fail(typeCancelled, "")
	case f.Tool:
		op.fail(typeTool, "")
	default:
		description := ""
		if coder, ok := errors.AsType[runtime.Coder](err); ok {
			description = coder.RPCError().Message
		}
		op.failWith(f.Code, description)
	}
}

// requestMeta reads the _meta of a request that was received.
type requestMeta struct{ q *mcp.Request }

var _ propagation.TextMapCarrier = requestMeta{}

// Get implements [propagation.TextMapCarrier].
func (m requestMeta) Get(key string) string {
	value, _ := m.q.Meta(key)
	return value
}

// Set implements [propagation.TextMapCarrier]. It does nothing, because received messages are not
// changed.
func (requestMeta) Set(string, string) {}

// Keys implements [propagation.TextMapCarrier]. It returns the keys that the protocol reserves
// (basic, Reserved keys).
func (m requestMeta) Keys() []string {
	var all []string
	for _, key := range [...]string{"traceparent", "tracestate", "baggage"} {
		if _, ok := m.q.Meta(key); ok {
			all = append(all, key)
		}
	}
	return all
}
