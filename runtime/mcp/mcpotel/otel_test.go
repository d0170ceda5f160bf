package mcpotel_test

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

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpotel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// box is a server that does a little of everything.
type box struct{ toolbox.UnimplementedServer }

func (box) SearchItems(ctx context.Context, in toolbox.SearchItemsInput) (toolbox.SearchItemsOutput, error) {
	if in.Query == "panic" {
		panic("as asked")
	}
	found := toolbox.SearchItemsOutput{Items: []toolbox.Item{}}
	found.More = baggage.FromContext(ctx).Member("user").Value() == "ann"
	return found, nil
}

func (box) Reserve(context.Context, toolbox.ReserveInput) error {
	return errors.New("the secret is 1234")
}

func (box) ReadCatalogue(context.Context) ([]toolbox.Item, error) { return nil, nil }

// watcher is where telemetry goes.
type watcher struct {
	spans   *tracetest.SpanRecorder
	tracers *trace.TracerProvider
	meters  *metric.MeterProvider
	reader  *metric.ManualReader
}

func newWatcher() *watcher {
	w := &watcher{spans: tracetest.NewSpanRecorder(), reader: metric.NewManualReader()}
	w.tracers = trace.NewTracerProvider(trace.WithSpanProcessor(w.spans))
	w.meters = metric.NewMeterProvider(metric.WithReader(w.reader))
	return w
}

func (w *watcher) options() mcpotel.Options {
	return mcpotel.Options{
		TracerProvider: w.tracers, MeterProvider: w.meters,
		Propagator: propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{}),
	}
}

func (w *watcher) server() *mcp.Server {
	return toolbox.NewServer(box{}, mcp.Options{
		Logger: quiet, Middleware: []mcp.Middleware{mcpotel.Server(w.options())}, OnSession: mcpotel.ServerSession(w.options()),
	})
}

func (w *watcher) connect(t *testing.T, dial mcpclient.Dialer, era mcp.Era) *mcpclient.Client {
	t.Helper()
	c, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{
		Era: era, Logger: quiet, Middleware: []mcpclient.Middleware{mcpotel.Client(w.options())}, OnSession: mcpotel.ClientSession(w.options()),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// work makes calls of every kind of end.
func work(t *testing.T, c *mcpclient.Client) {
	t.Helper()
	member, _ := baggage.NewMember("user", "ann")
	bag, _ := baggage.New(member)
	typed, ctx := toolbox.NewClient(c), baggage.ContextWithBaggage(t.Context(), bag)
	out, err := typed.SearchItems(ctx, toolbox.SearchItemsInput{Query: "tea", Limit: 5})
	if err != nil || !out.More {
		t.Error("the baggage did not arrive", out, err)
	}
	if _, err := typed.SearchItems(ctx, toolbox.SearchItemsInput{Query: "panic", Limit: 5}); err == nil {
		t.Error("it panics")
	}
	if err := typed.Reserve(ctx, toolbox.ReserveInput{Sku: "ABC-0001"}); err == nil {
		t.Error("it fails")
	}
	if _, err := typed.ReadCatalogue(ctx); err != nil {
		t.Error(err)
	}
	if _, err := c.CallTool(ctx, strings.Repeat("invented", 100), runtime.Raw{}); err == nil {
		t.Error("there is no such tool")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// find returns the spans with a name of a kind.
func (w *watcher) find(name string, kind oteltrace.SpanKind) (found []trace.ReadOnlySpan) {
	for _, s := range w.spans.Ended() {
		if s.Name() == name && s.SpanKind() == kind {
			found = append(found, s)
		}
	}
	return found
}

// attributes returns some attributes of a span, as text.
func attributes(all []attribute.KeyValue, keys ...string) string {
	var parts []string
	for _, key := range keys {
		at := slices.IndexFunc(all, func(a attribute.KeyValue) bool { return string(a.Key) == key })
		if at < 0 {
			parts = append(parts, "-")
		} else {
			parts = append(parts, all[at].Value.Emit())
		}
	}
	return strings.Join(parts, " ")
}

// each runs a test in both eras, in memory and over HTTP.
func each(t *testing.T, test func(t *testing.T, w *watcher, era mcp.Era, http bool)) {
	for _, era := range []mcp.Era{mcp.Stateless, mcp.Handshake} {
		t.Run(era.String()+" in memory", func(t *testing.T) {
			w := newWatcher()
			srv := w.server()
			work(t, w.connect(t, mcpclient.InMemory(srv), era))
			test(t, w, era, false)
		})
		t.Run(era.String()+" over HTTP", func(t *testing.T) {
			w := newWatcher()
			h := mcphttp.NewHandler(w.server(), mcphttp.Options{})
			site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				ctx, span := w.tracers.Tracer("http").Start(r.Context(), "HTTP")
				defer span.End()
				h.ServeHTTP(rw, r.WithContext(ctx))
			}))
			defer site.Close()
			work(t, w.connect(t, mcphttp.Dial(site.URL, mcphttp.ClientOptions{}), era))
			h.Close()
			test(t, w, era, true)
		})
	}
}

// TestSpans: every call has a span on both sides of one trace, with the names and attributes of the conventions.
func TestSpans(t *testing.T) {
	each(t, func(t *testing.T, w *watcher, era mcp.Era, http bool) {
		revision, carries := map[mcp.Era]string{mcp.Stateless: "2026-07-28", mcp.Handshake: "2025-11-25"}[era], "pipe -"
		if http {
			carries = "tcp http"
		}
		invented := strings.Repeat("invented", 100)
		for _, c := range []struct{ server, client, about, end string }{
			{"tools/call search_items", "tools/call search_items", "tools/call search_items execute_tool -", "- -"},
			{"tools/call search_items", "tools/call search_items", "tools/call search_items execute_tool -", "-32603 -32603"},
			{"tools/call reserve", "tools/call reserve", "tools/call reserve execute_tool -", "tool_error -"},
			{"resources/read", "resources/read", "resources/read - - shop://catalogue", "- -"},
			{"tools/call", "tools/call " + invented, "tools/call " + invented + " execute_tool -", "-32602 -32602"},
		} {
			at := 0
			if c.end == "-32603 -32603" {
				at = 1
			}
			server, client := w.find(c.server, oteltrace.SpanKindServer), w.find(c.client, oteltrace.SpanKindClient)
			if len(server) <= at || len(client) <= at {
				t.Errorf("%s: %d and %d spans", c.client, len(server), len(client))
				continue
			}
			for _, s := range []trace.ReadOnlySpan{server[at], client[at]} {
				about := attributes(s.Attributes(), "mcp.method.name", "gen_ai.tool.name", "gen_ai.operation.name", "mcp.resource.uri")
				if s.SpanKind() == oteltrace.SpanKindServer && len(about) > 300 || !strings.HasPrefix(c.about, strings.TrimSuffix(about, "... execute_tool -")) {
					t.Errorf("got %s", about)
				}
				if end := attributes(s.Attributes(), "error.type", "rpc.response.status_code"); end != c.end {
					t.Errorf("%s ends with %s, want %s", s.Name(), end, c.end)
				}
				if (s.Status().Code == codes.Error) != (c.end != "- -") || strings.Contains(s.Status().Description, "1234") {
					t.Errorf("%s has the status %v", s.Name(), s.Status())
				}
				if got := attributes(s.Attributes(), "mcp.protocol.version", "network.transport", "network.protocol.name"); got != revision+" "+carries {
					t.Errorf("%s: %s", s.Name(), got)
				}
			}
			if s := server[at]; s.Parent().SpanID() != client[at].SpanContext().SpanID() || s.SpanContext().TraceID() != client[at].SpanContext().TraceID() {
				t.Errorf("%s: the server's span is not a child of the client's", c.client)
			}
			if s, c := attributes(server[at].Attributes(), "jsonrpc.request.id"), attributes(client[at].Attributes(), "jsonrpc.request.id"); s != c || s == "-" {
				t.Errorf("the ids are %s and %s", s, c)
			}
			if links := server[at].Links(); len(links) != 0 != http {
				t.Errorf("%s: %d links", c.server, len(links))
			}
			if id := attributes(server[at].Attributes(), "mcp.session.id"); (id != "-") != (http && era == mcp.Handshake) {
				t.Errorf("%s: the session is %s", c.server, id)
			}
		}
	})
}

// TestMetrics: durations are measured for requests and sessions, and names that clients invent are not counted by.
func TestMetrics(t *testing.T) {
	each(t, func(t *testing.T, w *watcher, era mcp.Era, _ bool) {
		var got metricdata.ResourceMetrics
		if err := w.reader.Collect(t.Context(), &got); err != nil {
			t.Fatal(err)
		}
		counts := map[string]uint64{}
		for _, m := range got.ScopeMetrics[0].Metrics {
			if m.Unit != "s" {
				t.Errorf("%s has the unit %s", m.Name, m.Unit)
			}
			for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
				if len(p.Bounds) != 14 || p.Bounds[0] != 0.01 || p.Sum <= 0 {
					t.Errorf("%s: %v", m.Name, p)
				}
				what := attributes(p.Attributes.ToSlice(), "mcp.method.name", "gen_ai.tool.name", "error.type")
				if strings.Contains(what, "invented") {
					what = "invented"
				}
				counts[m.Name+" "+what] += p.Count
			}
		}
		want := map[string]uint64{
			"mcp.server.operation.duration tools/call search_items -":      1,
			"mcp.server.operation.duration tools/call search_items -32603": 1,
			"mcp.server.operation.duration tools/call reserve tool_error":  1,
			"mcp.server.operation.duration tools/call _OTHER -32602":       1,
			"mcp.server.operation.duration resources/read - -":             1,
			"mcp.client.operation.duration invented":                       1,
			"mcp.client.operation.duration tools/call reserve tool_error":  1,
			"mcp.server.session.duration - - -":                            0,
			"mcp.client.session.duration - - -":                            0,
		}
		if era == mcp.Handshake {
			want["mcp.server.session.duration - - -"] = 1
			want["mcp.client.session.duration - - -"] = 1
		}
		for key, n := range want {
			if counts[key] != n {
				t.Errorf("%s: %d, want %d; all are %v", key, counts[key], n, counts)
			}
		}
	})
}

// TestNothingSet: without providers and propagators nothing happens, and nothing breaks.
func TestNothingSet(t *testing.T) {
	srv := toolbox.NewServer(box{}, mcp.Options{Logger: quiet, Middleware: []mcp.Middleware{mcpotel.Server(mcpotel.Options{})}})
	c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), mcpclient.Options{Logger: quiet, Middleware: []mcpclient.Middleware{mcpotel.Client(mcpotel.Options{})}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := toolbox.NewClient(c).SearchItems(t.Context(), toolbox.SearchItemsInput{Query: "tea", Limit: 5}); err != nil {
		t.Error(err)
	}
}

// TestCancelled: what is given up is an error of its own kind on the client's side.
func TestCancelled(t *testing.T) {
	w := newWatcher()
	c := w.connect(t, mcpclient.InMemory(w.server()), mcp.Stateless)
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.CallTool(ctx, "search_items", runtime.Raw{}); err == nil {
		t.Error("it was cancelled")
	}
	spans := w.find("tools/call search_items", oteltrace.SpanKindClient)
	if len(spans) != 1 || attributes(spans[0].Attributes(), "error.type") != "cancelled" {
		t.Error(spans)
	}
}
