package backendotel_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/otel/backendotel"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
	"github.com/rpcgen-go/rpcgen/test/parrot"
)

// TestRepeatedCredentials: an API that repeats credentials in each part of its answers does not get them into spans, their states and events.
func TestRepeatedCredentials(t *testing.T) {
	for way := range parrot.Ways {
		for spelling := range parrot.Spellings {
			p := &parrot.API{Way: way, Spelling: spelling}
			site := httptest.NewUnstartedServer(p)
			site.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
			site.Start()
			spans := tracetest.NewSpanRecorder()
			provider := trace.NewTracerProvider(trace.WithSpanProcessor(spans))
			o := backend.Options{
				Server: site.URL, Tries: 1, Logger: slog.New(slog.DiscardHandler), OnDeviation: backendotel.Deviation,
				Transport: backendotel.Transport(&http.Transport{DisableKeepAlives: true}, backendotel.Options{TracerProvider: provider}),
				Credentials: backend.Func(func(_ context.Context, q backend.Ask) (backend.Credential, error) {
					return backend.Basic("me", fmt.Sprintf("%t/se+cret-of-the-service-9876543210", q.Refused)), nil
				}),
			}
			api, err := rpc.NewBackend(rpc.BackendOptions{Tracker: o, Pay: o})
			if err != nil {
				t.Fatal(err)
			}
			ctx, call := provider.Tracer("test").Start(t.Context(), "call")
			_, _ = api.ChargeCreate(ctx, rpc.ChargeCreateInput{Amount: 1, Currency: "eur"})
			call.End()
			site.Close()
			for _, s := range spans.Ended() {
				if text := fmt.Sprintf("%s %+v %+v %+v", s.Name(), s.Attributes(), s.Status(), s.Events()); p.Leak(text) != "" {
					t.Errorf("%s, %s: %s", way, spelling, text)
				}
			}
			if len(spans.Ended()) < 3 || p.Calls() < 2 {
				t.Errorf("%s, %s: %d spans, %d requests", way, spelling, len(spans.Ended()), p.Calls())
			}
		}
	}
}
