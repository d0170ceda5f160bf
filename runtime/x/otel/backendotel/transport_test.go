package backendotel_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/otel/backendotel"
)

// TestAttempts calls an API that answers late, and with an answer that differs from the schema: each attempt is a span, with its parent in the
// request, and the deviation is an event of the call.
func TestAttempts(t *testing.T) {
	var parents, baggages []string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parents, baggages = append(parents, r.Header.Get("traceparent")), append(baggages, r.Header.Get("baggage"))
		w.Header().Set("Content-Type", "application/json")
		if len(parents) == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = io.WriteString(w, `{"n":"secret answer"}`)
	}))
	defer site.Close()
	spans, reader := tracetest.NewSpanRecorder(), metric.NewManualReader()
	provider := trace.NewTracerProvider(trace.WithSpanProcessor(spans))
	o := backendotel.Options{TracerProvider: provider, MeterProvider: metric.NewMeterProvider(metric.WithReader(reader)), Attributes: []attribute.KeyValue{attribute.String("team", "a")}}
	c, err := backend.New(&backend.API{Name: "api", Server: site.URL}, backend.Options{
		Transport: backendotel.Transport(nil, o), OnDeviation: backendotel.Deviation, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	member, err := baggage.NewMember("user", "of-the-client")
	if err != nil {
		t.Fatal(err)
	}
	bag, err := baggage.New(member)
	if err != nil {
		t.Fatal(err)
	}
	ctx, call := provider.Tracer("test").Start(baggage.ContextWithBaggage(t.Context(), bag), "call")
	tool := &backend.Call{Tool: "t", Method: "GET", Path: "/things/{id}", Input: []backend.Place{{Field: "id", In: "path"}}}
	input := func(b []byte) []byte { return append(b, `{"id":"secret-id"}`...) }
	decode := func(r *wire.Reader) { r.Skip() }
	check := func(l *violation.List) {
		l.Add(violation.Violation{Pointer: "/n", Rule: "type", Expected: "integer", Got: "secret answer"})
	}
	_ = c.Do(ctx, tool, input, decode, check)
	call.End()

	var names []string
	for i, s := range spans.Ended() {
		names = append(names, s.Name())
		for _, a := range s.Attributes() {
			if strings.Contains(a.Value.String(), "secret") {
				t.Errorf("%s has the value of a caller: %v", s.Name(), a)
			}
		}
		if s.Name() == "call" {
			continue
		}
		if s.Parent().SpanID() != call.SpanContext().SpanID() || !strings.Contains(parents[i], s.SpanContext().SpanID().String()) || baggages[i] != "" {
			t.Errorf("attempt %d: parent %v, sent %q with baggage %q", i, s.Parent().SpanID(), parents[i], baggages[i])
		}
		for _, want := range []attribute.KeyValue{attribute.String("url.template", "/things/{id}"), attribute.String("team", "a"), attribute.Int("http.response.status_code", []int{503, 200}[i])} {
			if !slices.Contains(s.Attributes(), want) {
				t.Errorf("attempt %d has no %v: %v", i, want, s.Attributes())
			}
		}
		if failed := s.Status().Code == codes.Error; failed != (i == 0) || slices.Contains(s.Attributes(), attribute.Int("http.request.resend_count", 1)) != (i == 1) {
			t.Errorf("attempt %d: %v, %v", i, s.Status(), s.Attributes())
		}
	}
	if want := []string{"GET /things/{id}", "GET /things/{id}", "call"}; !slices.Equal(names, want) {
		t.Fatalf("spans %q, want %q", names, want)
	}
	events := spans.Ended()[2].Events()
	if len(events) != 1 || events[0].Name != "backend.deviation" || !slices.Contains(events[0].Attributes, attribute.String("backend.pointer", "/n")) {
		t.Errorf("events of the call: %v", events)
	}
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	h, ok := all.ScopeMetrics[0].Metrics[0].Data.(metricdata.Histogram[float64])
	if !ok || len(h.DataPoints) != 2 {
		t.Errorf("measured %+v, want a point for each status", all.ScopeMetrics)
	}
}

// TestUnreachable records an attempt that gets no answer.
func TestUnreachable(t *testing.T) {
	spans := tracetest.NewSpanRecorder()
	o := backendotel.Options{TracerProvider: trace.NewTracerProvider(trace.WithSpanProcessor(spans))}
	base := roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("no route") })
	c, err := backend.New(&backend.API{Name: "api", Server: "https://api.example.com"}, backend.Options{Transport: backendotel.Transport(base, o), Tries: 1, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	err = c.Do(t.Context(), &backend.Call{Tool: "t", Method: "GET", Path: "/a"}, nil, nil, nil)
	if err == nil || len(spans.Ended()) != 1 || spans.Ended()[0].Status().Code != codes.Error {
		t.Errorf("%v, spans %v", err, spans.Ended())
	}
}

// TestTimeLimit: a call whose time is over is a timeout, and one that its caller ends is cancelled.
func TestTimeLimit(t *testing.T) {
	for limit, want := range map[time.Duration]string{time.Millisecond: "timeout", time.Hour: "canceled"} {
		spans := tracetest.NewSpanRecorder()
		o := backendotel.Options{TracerProvider: trace.NewTracerProvider(trace.WithSpanProcessor(spans))}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		waits := roundTripper(func(r *http.Request) (*http.Response, error) {
			if want == "canceled" {
				cancel()
			}
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		r, _ := http.NewRequestWithContext(ctx, "GET", "https://api.example.com/a", nil)
		if _, err := backendotel.Transport(waits, o).RoundTrip(r); err == nil || len(spans.Ended()) != 1 || !slices.Contains(spans.Ended()[0].Attributes(), attribute.String("error.type", want)) {
			t.Errorf("%v: %v, spans %v", limit, err, spans.Ended())
		}
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
