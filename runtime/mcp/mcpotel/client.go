package mcpotel

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// Client returns a middleware that creates a span for every request of a client, and for each round
// of a request with questions. It writes the trace context to _meta and measures
// mcp.client.operation.duration.
func Client(o Options) mcpclient.Middleware {
	o = o.WithDefaults()
	duration := histogram(&o, "mcp.client.operation.duration", "How long requests take until their response is there.")
	return func(next mcpclient.Handler) mcpclient.Handler {
		return func(ctx context.Context, q *mcpclient.Request) error {
			op := &operation{o: &o, duration: duration, method: q.Method(), name: q.Name()}
			op.begin(ctx, trace.SpanKindClient, q.Revision())
			defer op.end()
			meta := &ownMeta{op.context}
			o.Propagator.Inject(op.context, meta)
			err := next(meta.context, q)
			op.recordOutcome(q, err)
			return err
		}
	}
}

// recordOutcome records the outcome of a request.
func (op *operation) recordOutcome(q *mcpclient.Request, err error) {
	if id := q.ID(); id != 0 {
		op.span.SetAttributes(keyRequestID.String(strconv.FormatInt(id, 10)))
	}
	op.recordTransport(q.HTTP())
	answer, ok := errors.AsType[*runtime.Error](err)
	switch {
	case ok:
		op.failWith(answer.Code, answer.Message)
	case errors.Is(err, context.Canceled):
		op.fail(typeCancelled, "")
	case errors.Is(err, context.DeadlineExceeded):
		op.fail(typeTimeout, "")
	case err != nil:
		op.fail(fmt.Sprintf("%T", err), err.Error())
	case q.ToolFailed():
		op.fail(typeTool, "")
	}
}

// ownMeta writes the _meta of the requests of a context.
type ownMeta struct{ context context.Context }

var _ propagation.TextMapCarrier = (*ownMeta)(nil)

// Get implements [propagation.TextMapCarrier]. It returns "", because nothing is read from outgoing
// messages.
func (*ownMeta) Get(string) string { return "" }

// Set implements [propagation.TextMapCarrier].
func (m *ownMeta) Set(key, value string) {
	m.context = mcpclient.WithMeta(m.context, key, wire.RawOf(wire.AppendString(nil, value)))
}

// Keys implements [propagation.TextMapCarrier].
func (*ownMeta) Keys() []string { return nil }
