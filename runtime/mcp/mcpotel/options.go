package mcpotel

import (
	"go.opentelemetry.io/otel/metric"

	"github.com/rpcgen-go/rpcgen/runtime/rpcotel"
)

// Options select where telemetry is sent. The zero value uses the global providers of package otel.
type Options = rpcotel.Options

// scope is the name of the instrumentation.
const scope = "github.com/rpcgen-go/rpcgen/runtime/mcp/mcpotel"

// histogram returns a histogram of durations.
func histogram(o *Options, name, description string) metric.Float64Histogram {
	return o.Histogram(scope, name, "s", description)
}
