package rpcotel

import (
	"context"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// scope is the name of the instrumentation.
const scope = "github.com/rpcgen-go/rpcgen/runtime/rpcotel"

// instruments measure the calls of one side.
type instruments struct {
	o                           Options
	kind                        trace.SpanKind
	duration, request, response metric.Float64Histogram
	items                       metric.Float64Histogram
}

func newInstruments(o Options, kind trace.SpanKind, side string) *instruments {
	o = o.WithDefaults()
	return &instruments{
		o: o, kind: kind,
		duration: o.Histogram(scope, "rpc."+side+".call.duration", "s", "How long calls take."),
		request:  o.Histogram(scope, "rpc."+side+".request.size", "By", "How large requests are."),
		response: o.Histogram(scope, "rpc."+side+".response.size", "By", "How large responses are."),
		items:    o.Histogram(scope, "rpc."+side+".responses_per_rpc", "{count}", "How many items streams have."),
	}
}

// call is one call that is measured.
type call struct {
	in      *instruments
	context context.Context
	span    trace.Span
	start   time.Time
	method  string
	failed  []attribute.KeyValue // of the error; nil if there is none
	items   *int                 // of a stream; nil if it is none
}

// begin begins the span of a call.
func (in *instruments) begin(ctx context.Context, method, id string) *call {
	c := &call{in: in, start: time.Now(), method: Clip(method)}
	attributes := append([]attribute.KeyValue{KeySystem.String(system), KeyMethod.String(c.method)}, in.o.Attributes...)
	if id != "" {
		attributes = append(attributes, KeyRequestID.String(id))
	}
	c.context, c.span = in.o.TracerProvider.Tracer(scope).Start(ctx, c.method, trace.WithSpanKind(in.kind), trace.WithTimestamp(c.start),
		trace.WithAttributes(attributes...))
	return c
}

// fail records that the call failed.
func (c *call) fail(errorType, description string) {
	c.failed = append(c.failed, KeyErrorType.String(errorType))
	c.span.SetStatus(codes.Error, description)
}

// failWith records that the call failed with a JSON-RPC error.
func (c *call) failWith(code int64) {
	text := strconv.FormatInt(code, 10)
	c.failed = append(c.failed, KeyStatusCode.String(text))
	c.fail(text, "")
}

// recordUnknown records that the method does not exist. Its name is not used any more, since peers can
// invent any number of them.
func (c *call) recordUnknown() {
	c.method = other
	c.span.SetName(other)
}

// end ends the span and records the measurements, but for sizes of 0 bytes.
func (c *call) end(request, response int) {
	now := time.Now()
	c.span.SetAttributes(c.failed...)
	if c.items != nil {
		c.span.SetAttributes(KeyItems.Int(*c.items))
	}
	c.span.End(trace.WithTimestamp(now))
	all := append([]attribute.KeyValue{KeySystem.String(system), KeyMethod.String(c.method)}, c.failed...)
	with := metric.WithAttributes(append(all, c.in.o.Attributes...)...)
	c.in.duration.Record(c.context, now.Sub(c.start).Seconds(), with)
	if request > 0 {
		c.in.request.Record(c.context, float64(request), with)
	}
	if c.items != nil {
		c.in.items.Record(c.context, float64(*c.items), with)
	}
	if response > 0 {
		c.in.response.Record(c.context, float64(response), with)
	}
}
