package rpcotel_test

import (
	"bytes"
	"testing"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/rpcotel"
)

// BenchmarkServed measures what histograms and spans add to a good call. The spans are recorded, and exported nowhere.
func BenchmarkServed(b *testing.B) {
	meters := metric.NewMeterProvider(metric.WithReader(metric.NewManualReader()))
	for _, one := range []struct {
		name       string
		middleware []runtime.Middleware
	}{
		{"none", nil},
		{"metrics", []runtime.Middleware{rpcotel.Server(rpcotel.Options{MeterProvider: meters})}},
		{"metrics and spans", []runtime.Middleware{rpcotel.Server(rpcotel.Options{MeterProvider: meters, TracerProvider: trace.NewTracerProvider()})}},
	} {
		b.Run(one.name, func(b *testing.B) {
			b.ReportAllocs()
			d := runtime.NewDispatcher(weather.NewHandler(office{}), runtime.Options{Middleware: one.middleware, Logger: quiet})
			dst, msg := make([]byte, 0, 4096), []byte(`{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"Paris","unit":"celsius"}}`)
			for b.Loop() {
				if answer := d.Dispatch(b.Context(), dst[:0], msg); !bytes.Contains(answer, []byte(`"result"`)) {
					b.Fatal(string(answer))
				}
			}
		})
	}
}
