package mcpotel

import (
	"context"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// operation is one request of a client or server.
type operation struct {
	o        *Options
	duration metric.Float64Histogram
	context  context.Context
	span     trace.Span
	start    time.Time
	method   string
	name     string // of the tool or prompt, or the URI of the resource
	// the method, tool or prompt does not exist; its name is not recorded, since clients can invent
	// any number of them
	unknown  bool
	measured []attribute.KeyValue // of the measurement and the span
}

// begin begins the span of a request.
func (op *operation) begin(ctx context.Context, kind trace.SpanKind, revision string, options ...trace.SpanStartOption) {
	op.start = time.Now()
	op.measured = append(op.measured, op.o.Attributes...)
	if revision != "" {
		op.measured = append(op.measured, keyProtocolVersion.String(revision))
	}
	options = append(options, trace.WithSpanKind(kind), trace.WithTimestamp(op.start), trace.WithAttributes(op.identity()...))
	op.context, op.span = op.o.TracerProvider.Tracer(scope).Start(ctx, op.title(), options...)
}

// title returns the name of the span: the method, and the tool or prompt.
func (op *operation) title() string {
	switch op.method {
	case "tools/call", "prompts/get":
		return op.method + " " + op.name
	}
	return op.method
}

// identity returns the attributes that identify the request.
func (op *operation) identity() []attribute.KeyValue {
	all := []attribute.KeyValue{keyMethod.String(op.method)}
	switch op.method {
	case "tools/call":
		return append(all, keyTool.String(op.name), keyOperation.String("execute_tool"))
	case "prompts/get":
		return append(all, keyPrompt.String(op.name))
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
		return append(all, keyResourceURI.String(op.name))
	}
	return all
}

// recordTransport records the transport.
func (op *operation) recordTransport(http bool) {
	if http {
		op.measured = append(op.measured, keyTransport.String("tcp"), keyProtocol.String("http"))
		return
	}
	op.measured = append(op.measured, keyTransport.String(op.o.Transport))
}

// fail records that the request failed. The description is what the peer receives.
func (op *operation) fail(errorType, description string) {
	op.measured = append(op.measured, keyErrorType.String(errorType))
	op.span.SetStatus(codes.Error, description)
}

// failWith records that the request failed with a JSON-RPC error.
func (op *operation) failWith(code int64, description string) {
	text := strconv.FormatInt(code, 10)
	op.measured = append(op.measured, keyStatusCode.String(text))
	op.fail(text, description)
}

// end ends the span and records the duration.
func (op *operation) end() {
	now := time.Now()
	op.span.SetAttributes(op.measured...)
	if op.unknown {
		op.forgetName()
	}
	op.span.End(trace.WithTimestamp(now))
	for _, a := range op.identity() {
		if a.Key != keyResourceURI {
			op.measured = append(op.measured, a)
		}
	}
	op.duration.Record(op.context, now.Sub(op.start).Seconds(), metric.WithAttributes(op.measured...))
}

// forgetName removes an unknown name from the name of the span and from the measurement.
func (op *operation) forgetName() {
	switch op.method {
	case "tools/call", "prompts/get":
		op.span.SetName(op.method)
	case "resources/read", "resources/subscribe", "resources/unsubscribe":
	default:
		op.method = other
		op.span.SetName(other)
	}
	op.name = other
}
