package mcpotel_test

import (
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpotel"
)

// TestRefusals counts what is refused, by status and code.
func TestRefusals(t *testing.T) {
	reader := metric.NewManualReader()
	refused := mcpotel.ServerRefusals(mcpotel.Options{MeterProvider: metric.NewMeterProvider(metric.WithReader(reader))})
	for range 3 {
		refused(429, 429)
	}
	refused(413, -32600)
	var got metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int64{}
	for _, p := range got.ScopeMetrics[0].Metrics[0].Data.(metricdata.Sum[int64]).DataPoints {
		code, _ := p.Attributes.Value(attribute.Key("rpc.response.status_code"))
		counts[code.AsString()] = p.Value
	}
	if counts["429"] != 3 || counts["-32600"] != 1 {
		t.Error(counts)
	}
}
