package mcpotel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// ServerSession returns the OnSession of a server; it measures mcp.server.session.duration.
func ServerSession(o Options) func(client mcp.Caller) (ended func()) {
	measure := sessions(o, "mcp.server.session.duration", "How long sessions last, as the server sees it.")
	return func(client mcp.Caller) func() { return measure(client.Revision) }
}

// ClientSession returns the OnSession of a client; it measures mcp.client.session.duration.
func ClientSession(o Options) func(revision string) (ended func()) {
	return sessions(o, "mcp.client.session.duration", "How long sessions last, as the client sees it.")
}

// sessions returns the function that measures sessions.
func sessions(o Options, name, description string) func(revision string) (ended func()) {
	o = o.WithDefaults()
	duration := histogram(&o, name, description)
	return func(revision string) func() {
		start := time.Now()
		attributes := append([]attribute.KeyValue{keyProtocolVersion.String(revision)}, o.Attributes...)
		return func() {
			duration.Record(context.Background(), time.Since(start).Seconds(), metric.WithAttributes(attributes...))
		}
	}
}
