package backendotel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
)

const scope = "github.com/rpcgen-go/rpcgen/runtime/x/otel/backendotel"

// Options select where telemetry is sent. The zero value uses the global providers of package otel.
type Options struct {
	// TracerProvider creates spans. Nil means [otel.GetTracerProvider].
	TracerProvider trace.TracerProvider

	// MeterProvider creates the histogram of durations, in seconds. Nil means [otel.GetMeterProvider].
	MeterProvider metric.MeterProvider

	// Propagator writes the trace context into the headers of requests. Nil means [propagation.TraceContext]: traceparent and tracestate. The global
	// propagator is not used, because the baggage of a client of the server would reach the API with it.
	Propagator propagation.TextMapPropagator

	// Attributes are added to every span and measurement.
	Attributes []attribute.KeyValue
}

// Transport returns a transport that records what base sends. Nil means the default transport of net/http, with at most 64 KiB of headers in an answer.
func Transport(base http.RoundTripper, o Options) http.RoundTripper {
	if base == nil {
		base = web.NewTransport()
	}
	o.TracerProvider = cmp.Or(o.TracerProvider, otel.GetTracerProvider())
	o.MeterProvider = cmp.Or(o.MeterProvider, otel.GetMeterProvider())
	o.Propagator = cmp.Or[propagation.TextMapPropagator](o.Propagator, propagation.TraceContext{})
	seconds, err := o.MeterProvider.Meter(scope).Float64Histogram("http.client.request.duration", metric.WithUnit("s"),
		metric.WithDescription("Duration of HTTP client requests."),
		metric.WithExplicitBucketBoundaries(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10))
	if err != nil {
		otel.Handle(err)
		seconds = noop.Float64Histogram{}
	}
	return &transport{base, o, o.TracerProvider.Tracer(scope), seconds}
}

type transport struct {
	base    http.RoundTripper
	options Options
	tracer  trace.Tracer
	seconds metric.Float64Histogram
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	start, name := time.Now(), r.Method
	attributes := append([]attribute.KeyValue{attribute.String("http.request.method", r.Method), attribute.String("server.address", r.URL.Hostname()),
		port(r)}, t.options.Attributes...)
	attempt, ok := backend.AttemptFrom(r.Context())
	if ok && r.Response == nil { // a redirect leads to another path
		name += " " + attempt.Path
		attributes = append(attributes, attribute.String("url.template", attempt.Path))
	}
	ctx, span := t.tracer.Start(r.Context(), name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
	if attempt.Try > 1 {
		span.SetAttributes(attribute.Int("http.request.resend_count", attempt.Try-1))
	}
	r = r.Clone(ctx)
	t.options.Propagator.Inject(ctx, propagation.HeaderCarrier(r.Header))
	response, err := t.base.RoundTrip(r)
	var more []attribute.KeyValue
	switch {
	case err != nil:
		kind := attribute.String("error.type", fmt.Sprintf("%T", err))
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			kind = attribute.String("error.type", "timeout")
		case ctx.Err() != nil:
			kind = attribute.String("error.type", "canceled")
		}
		more = append(more, kind)
	case response.StatusCode >= http.StatusBadRequest:
		more = append(more, attribute.String("error.type", strconv.Itoa(response.StatusCode)))
	}
	if len(more) > 0 {
		span.SetStatus(codes.Error, "")
	}
	if response != nil {
		more = append(more, attribute.Int("http.response.status_code", response.StatusCode))
	}
	span.SetAttributes(more...)
	end := func() {
		t.seconds.Record(ctx, time.Since(start).Seconds(), metric.WithAttributes(append(attributes, more...)...))
		span.End()
	}
	if err != nil {
		end()
		return response, err
	}
	response.Body = &body{ReadCloser: response.Body, end: end}
	return response, nil
}

// port is the port that a request is sent to.
func port(r *http.Request) attribute.KeyValue {
	n, err := strconv.Atoi(r.URL.Port())
	if err != nil {
		n = map[string]int{"http": 80, "https": 443}[r.URL.Scheme]
	}
	return attribute.Int("server.port", n)
}

// body ends the span of an attempt when it is closed.
type body struct {
	io.ReadCloser
	once sync.Once
	end  func()
}

func (b *body) Close() error {
	defer b.once.Do(b.end)
	return b.ReadCloser.Close()
}

// Deviation adds the place at which an answer differs from the schema to the span of the call as the event backend.deviation, without what was found. It is
// an OnDeviation of [backend.Options].
func Deviation(ctx context.Context, d backend.Deviation) {
	trace.SpanFromContext(ctx).AddEvent("backend.deviation", trace.WithAttributes(
		attribute.String("backend.name", d.Backend), attribute.String("backend.tool", d.Tool), attribute.Int("http.response.status_code", d.Status),
		attribute.String("backend.pointer", d.Pointer), attribute.String("backend.rule", d.Rule), attribute.String("backend.expected", d.Expected),
	))
}
