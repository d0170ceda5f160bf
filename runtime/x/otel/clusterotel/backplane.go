// Package clusterotel measures the backplane of replicas with OpenTelemetry.
package clusterotel

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/rpcgen-go/rpcgen/runtime/rpcotel"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
)

// Options select where telemetry is sent. The zero value uses the global providers of package otel.
type Options = rpcotel.Options

const scope = "github.com/rpcgen-go/rpcgen/runtime/x/otel/clusterotel"

// Backplane returns a backplane that does what b does, and measures it:
//
//   - mcp.server.backplane.duration, a histogram in seconds: how long Load, Save, Delete and Ask take, by backplane.operation (load, save,
//     delete, ask) and error.type (no_record, conflict, no_replica, lost, cancelled, timeout, _OTHER), which is absent without an error.
//     Ask lasts as long as the request that is passed on.
//   - mcp.server.backplane.messages, a counter: messages to all replicas, by backplane.direction (sent, received), and how often messages
//     may have been missed (missed).
//   - mcp.server.backplane.ready, a gauge: 1 if the backplane can be used, and 0 otherwise.
//   - mcp.server.backplane.answers, an up-down counter: requests of other replicas that are being served.
//
// Sessions are never named.
func Backplane(b mcpcluster.Backplane, o Options) mcpcluster.Backplane {
	o = o.WithDefaults()
	m := &meteredBackplane{Backplane: b, attributes: o.Attributes}
	m.duration = o.Histogram(scope, "mcp.server.backplane.duration", "s", "How long operations of the backplane take.")
	meter := o.MeterProvider.Meter(scope)
	m.messages, _ = meter.Int64Counter("mcp.server.backplane.messages", metric.WithUnit("{message}"), metric.WithDescription("Messages to all replicas."))
	m.answers, _ = meter.Int64UpDownCounter("mcp.server.backplane.answers", metric.WithUnit("{request}"),
		metric.WithDescription("Requests of other replicas that are being served."))
	meter.Int64ObservableGauge("mcp.server.backplane.ready", metric.WithDescription("Whether the backplane can be used."),
		metric.WithInt64Callback(func(_ context.Context, observer metric.Int64Observer) error {
			var ready int64
			if b.Ready() == nil {
				ready = 1
			}
			observer.Observe(ready, metric.WithAttributes(o.Attributes...))
			return nil
		}))
	return m
}

// meteredBackplane is a backplane that is measured.
type meteredBackplane struct {
	mcpcluster.Backplane
	attributes []attribute.KeyValue
	duration   metric.Float64Histogram
	messages   metric.Int64Counter
	answers    metric.Int64UpDownCounter
}

const (
	keyBackplaneOperation = attribute.Key("backplane.operation")
	keyDirection          = attribute.Key("backplane.direction")
)

// record records an operation that has ended.
func (m *meteredBackplane) record(ctx context.Context, operation string, start time.Time, err *error) {
	all := append([]attribute.KeyValue{keyBackplaneOperation.String(operation)}, m.attributes...)
	if kind := backplaneError(*err); kind != "" {
		all = append(all, rpcotel.KeyErrorType.String(kind))
	}
	m.duration.Record(context.WithoutCancel(ctx), time.Since(start).Seconds(), metric.WithAttributes(all...))
}

// backplaneError returns the type of an error; empty for none.
func backplaneError(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, mcpcluster.ErrNoRecord):
		return "no_record"
	case errors.Is(err, mcpcluster.ErrConflict):
		return "conflict"
	case errors.Is(err, mcpcluster.ErrNoReplica):
		return "no_replica"
	case errors.Is(err, mcpcluster.ErrLost):
		return "lost"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return "_OTHER"
}

// count counts messages.
func (m *meteredBackplane) count(direction string) {
	m.messages.Add(context.Background(), 1, metric.WithAttributes(append([]attribute.KeyValue{keyDirection.String(direction)}, m.attributes...)...))
}

// Load implements [mcpcluster.Backplane].
func (m *meteredBackplane) Load(ctx context.Context, session string) (record []byte, revision uint64, err error) {
	defer m.record(ctx, "load", time.Now(), &err)
	return m.Backplane.Load(ctx, session)
}

// Save implements [mcpcluster.Backplane].
func (m *meteredBackplane) Save(ctx context.Context, session string, record []byte, revision uint64, expires time.Duration) (next uint64, err error) {
	defer m.record(ctx, "save", time.Now(), &err)
	return m.Backplane.Save(ctx, session, record, revision, expires)
}

// Delete implements [mcpcluster.Backplane].
func (m *meteredBackplane) Delete(ctx context.Context, session string, revision uint64) (err error) {
	defer m.record(ctx, "delete", time.Now(), &err)
	return m.Backplane.Delete(ctx, session, revision)
}

// Ask implements [mcpcluster.Backplane].
func (m *meteredBackplane) Ask(ctx context.Context, replica string, request []byte, part func(part []byte) error) (err error) {
	defer m.record(ctx, "ask", time.Now(), &err)
	return m.Backplane.Ask(ctx, replica, request, part)
}

// Tell implements [mcpcluster.Backplane].
func (m *meteredBackplane) Tell(message []byte) error {
	err := m.Backplane.Tell(message)
	if err == nil {
		m.count("sent")
	}
	return err
}

// Join implements [mcpcluster.Backplane].
func (m *meteredBackplane) Join(r mcpcluster.Replica) (leave func(), err error) {
	answer, heard, missed := r.Answer, r.Heard, r.Missed
	r.Answer = func(ctx context.Context, request []byte, send func(part []byte, last bool) error) {
		served := metric.WithAttributes(m.attributes...)
		m.answers.Add(context.WithoutCancel(ctx), 1, served)
		defer m.answers.Add(context.WithoutCancel(ctx), -1, served)
		answer(ctx, request, send)
	}
	r.Heard = func(message []byte) {
		m.count("received")
		heard(message)
	}
	r.Missed = func() {
		m.count("missed")
		missed()
	}
	return m.Backplane.Join(r)
}
