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

// operation is one request while it is made or served.
type operation struct {
	o        *Options
	duration metric.Float64Histogram
	context  context.Context
	span     trace.Span
	start    time.Time
	method   string
	name     string               // of the tool or prompt, or the URI of the resource
	unknown  bool                 // the server has no such method, tool or prompt: names are as many as clients invent
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

// title is the name of the span: the method, and the tool or prompt.
func (op *operation) title() string {
	switch op.method {
	case "tools/call", "prompts/get":
		return op.method + " " + op.name
	}
	return op.method
}

// identity says what the request is about.
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

// carried notes what carries the message.
func (op *operation) carried(http bool) {
	if http {
		op.measured = append(op.measured, keyTransport.String("tcp"), keyProtocol.String("http"))
		return
	}
	op.measured = append(op.measured, keyTransport.String(op.o.Transport))
}

// fail notes that the request failed. A description is what the peer is told.
func (op *operation) fail(errorType, description string) {
	op.measured = append(op.measured, keyErrorType.String(errorType))
	op.span.SetStatus(codes.Error, description)
}

// failWith notes that it failed with an error of JSON-RPC.
func (op *operation) failWith(code int64, description string) {
	text := strconv.FormatInt(code, 10)
	op.measured = append(op.measured, keyStatusCode.String(text))
	op.fail(text, description)
}

// end ends the span, and measures the duration.
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

// forgetName takes a name that nobody has out of what is counted by it: the name of the span, and the measurement.
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
