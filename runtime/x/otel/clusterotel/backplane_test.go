package clusterotel_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster/backplanetest"
	"github.com/rpcgen-go/rpcgen/runtime/x/otel/clusterotel"
)

// TestBackplaneContract: a backplane that is measured is one.
func TestBackplaneContract(t *testing.T) {
	backplanetest.Run(t, func(_ testing.TB, replicas int) (all []mcpcluster.Backplane) {
		reader := metric.NewManualReader()
		b := clusterotel.Backplane(mcpcluster.NewMemory(), clusterotel.Options{MeterProvider: metric.NewMeterProvider(metric.WithReader(reader))})
		for range replicas {
			all = append(all, b)
		}
		return all
	})
}

// TestBackplane does each operation, and looks at what was measured.
func TestBackplane(t *testing.T) { synctest.Test(t, testBackplane) }

func testBackplane(t *testing.T) {
	reader := metric.NewManualReader()
	b := clusterotel.Backplane(mcpcluster.NewMemory(), clusterotel.Options{MeterProvider: metric.NewMeterProvider(metric.WithReader(reader))})
	heard := make(chan struct{}, 1)
	leave, err := b.Join(mcpcluster.Replica{
		Name: "home", Heard: func([]byte) { heard <- struct{}{} }, Missed: func() {},
		Answer: func(_ context.Context, _ []byte, send func([]byte, bool) error) { send([]byte("yes"), true) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if _, err := b.Save(ctx, "secret", []byte("record"), 0, time.Minute); err != nil {
		t.Fatal(err)
	}
	b.Save(ctx, "secret", []byte("record"), 99, time.Minute)
	b.Load(ctx, "secret")
	b.Load(ctx, "unknown")
	b.Ask(ctx, "home", nil, func([]byte) error { return nil })
	b.Ask(ctx, "nobody", nil, func([]byte) error { return nil })
	b.Delete(ctx, "secret", 1)
	b.Tell([]byte("message"))
	<-heard
	synctest.Wait() // an answer has arrived before the function that sent it returns, and is counted as long
	var got metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &got); err != nil {
		t.Fatal(err)
	}
	leave()
	counts := map[string]float64{}
	for _, m := range got.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Histogram[float64]:
			for _, p := range data.DataPoints {
				counts[m.Name+" "+p.Attributes.Encoded(attribute.DefaultEncoder())] += float64(p.Count)
			}
		case metricdata.Sum[int64]:
			for _, p := range data.DataPoints {
				counts[m.Name+" "+p.Attributes.Encoded(attribute.DefaultEncoder())] += float64(p.Value)
			}
		case metricdata.Gauge[int64]:
			for _, p := range data.DataPoints {
				counts[m.Name+" "+p.Attributes.Encoded(attribute.DefaultEncoder())] += float64(p.Value)
			}
		}
	}
	const duration = "mcp.server.backplane.duration backplane.operation="
	want := map[string]float64{
		duration + "save": 1, duration + "save,error.type=conflict": 1, duration + "load": 1, duration + "load,error.type=no_record": 1,
		duration + "ask": 1, duration + "ask,error.type=no_replica": 1, duration + "delete": 1,
		"mcp.server.backplane.messages backplane.direction=sent": 1, "mcp.server.backplane.messages backplane.direction=received": 1,
		"mcp.server.backplane.ready ": 1, "mcp.server.backplane.answers ": 0,
	}
	for name, n := range want {
		if got, there := counts[name]; !there || got != n {
			t.Errorf("%s: got %v, want %v; all: %v", name, got, n, counts)
		}
	}
	for name := range counts {
		if strings.Contains(name, "secret") {
			t.Error("a session is named:", name)
		}
	}
}
