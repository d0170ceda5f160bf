package rpcotel

import (
	"cmp"
	"context"
	"strconv"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Options select where telemetry is sent. The zero value uses the global providers of package otel.
type Options struct {
	// TracerProvider creates spans. Nil means [otel.GetTracerProvider].
	TracerProvider trace.TracerProvider

	// MeterProvider creates the histograms of durations, in seconds. Nil means
	// [otel.GetMeterProvider].
	MeterProvider metric.MeterProvider

	// Propagator reads and writes the trace context in _meta of MCP. Plain JSON-RPC has no place for
	// it: there the span of the context, such as that of an HTTP request, is the parent. Nil means
	// [otel.GetTextMapPropagator], which does nothing until the program sets one.
	Propagator propagation.TextMapPropagator

	// Transport is the network.transport of messages that are not sent over HTTP, such as tcp or
	// unix. Empty means pipe, which stands for standard input and output.
	Transport string

	// Attributes are added to every span and measurement, such as server.address and server.port of
	// a client.
	Attributes []attribute.KeyValue
}

// WithDefaults returns o with every zero value replaced by its default.
func (o Options) WithDefaults() Options {
	o.TracerProvider = cmp.Or(o.TracerProvider, otel.GetTracerProvider())
	o.MeterProvider = cmp.Or(o.MeterProvider, otel.GetMeterProvider())
	o.Propagator = cmp.Or(o.Propagator, otel.GetTextMapPropagator())
	o.Transport = cmp.Or(o.Transport, "pipe")
	return o
}

// Histogram returns a histogram of durations in seconds, or of sizes in bytes, for the
// instrumentation scope, with the buckets of the conventions. If it cannot be created, it drops its
// measurements.
func (o *Options) Histogram(scope, name, unit, description string) metric.Float64Histogram {
	options := []metric.Float64HistogramOption{metric.WithUnit(unit), metric.WithDescription(description)}
	if unit == "s" {
		options = append(options, metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300))
	}
	h, err := o.MeterProvider.Meter(scope).Float64Histogram(name, options...)
	if err != nil {
		otel.Handle(err)
	}
	return h
}

// Refusals returns the OnRefusal of an HTTP handler for the instrumentation scope. It counts
// requests that were rejected before they were served, for instance because of a limit, under the
// name.
func (o Options) Refusals(scope, name string) func(status int, code int64) {
	o = o.WithDefaults()
	count, err := o.MeterProvider.Meter(scope).Int64Counter(name, metric.WithUnit("{request}"),
		metric.WithDescription("How many requests are refused before they are served."))
	if err != nil {
		otel.Handle(err)
	}
	return func(status int, code int64) {
		all := append([]attribute.KeyValue{KeyHTTPStatus.Int(status), KeyStatusCode.String(strconv.FormatInt(code, 10))}, o.Attributes...)
		count.Add(context.Background(), 1, metric.WithAttributes(all...))
	}
}
