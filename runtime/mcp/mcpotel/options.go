package mcpotel

import (
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

	// Propagator reads and writes the trace context in _meta. Nil means
	// [otel.GetTextMapPropagator], which does nothing until the program sets one.
	Propagator propagation.TextMapPropagator

	// Transport is the network.transport of messages that are not sent over HTTP, such as tcp or
	// unix. Empty means pipe, which stands for standard input and output.
	Transport string

	// Attributes are added to every span and measurement, such as server.address and server.port of
	// a client.
	Attributes []attribute.KeyValue
}

// scope is the name of the instrumentation.
const scope = "github.com/rpcgen-go/rpcgen/runtime/mcp/mcpotel"

// withDefaults returns o with every zero value replaced by its default.
func (o Options) withDefaults() Options {
	if o.TracerProvider == nil {
		o.TracerProvider = otel.GetTracerProvider()
	}
	if o.MeterProvider == nil {
		o.MeterProvider = otel.GetMeterProvider()
	}
	if o.Propagator == nil {
		o.Propagator = otel.GetTextMapPropagator()
	}
	if o.Transport == "" {
		o.Transport = "pipe"
	}
	return o
}

// histogram returns a histogram of durations in seconds with the buckets of the conventions. If it
// cannot be created, it drops its measurements.
func (o *Options) histogram(name, description string) metric.Float64Histogram {
	h, err := o.MeterProvider.Meter(scope).Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description),
		metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300))
	if err != nil {
		otel.Handle(err)
	}
	return h
}
