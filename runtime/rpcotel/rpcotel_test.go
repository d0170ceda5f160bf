package rpcotel_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/rpcgen-go/rpcgen/generated/weather"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/rpcotel"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit"
	"github.com/rpcgen-go/rpcgen/test/streams/rpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// watcher is where telemetry goes.
type watcher struct {
	spans  *tracetest.SpanRecorder
	reader *metric.ManualReader
}

func (w *watcher) options() rpcotel.Options {
	w.spans, w.reader = tracetest.NewSpanRecorder(), metric.NewManualReader()
	return rpcotel.Options{
		TracerProvider: trace.NewTracerProvider(trace.WithSpanProcessor(w.spans)), MeterProvider: metric.NewMeterProvider(metric.WithReader(w.reader)),
		Attributes: []attribute.KeyValue{attribute.String("server.address", "here")},
	}
}

// measured returns the number of measurements and their sum, by metric, method and error.
func (w *watcher) measured(t *testing.T) (counts map[string]uint64, sums map[string]float64) {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := w.reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	counts, sums = map[string]uint64{}, map[string]float64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
				name := m.Name
				for _, key := range []attribute.Key{rpcotel.KeyMethod, rpcotel.KeyStatusCode, rpcotel.KeyErrorType} {
					if v, ok := p.Attributes.Value(key); ok {
						name += " " + v.String()
					}
				}
				if v, _ := p.Attributes.Value("server.address"); v.AsString() != "here" {
					t.Errorf("%s lacks the attributes of the options", name)
				}
				counts[name], sums[name] = p.Count, p.Sum
			}
		}
	}
	return counts, sums
}

// office answers for Paris, panics for Troy and fails for others.
type office struct{ weather.UnimplementedServer }

func (office) WeatherCurrent(ctx context.Context, p weather.WeatherCurrentParams) (weather.Report, error) {
	switch p.City {
	case "Paris":
		return weather.Report{City: p.City, Unit: p.Unit, ObservedAt: time.Unix(0, 0).UTC()}, nil
	case "Troy":
		panic("as asked")
	case "Ys":
		<-ctx.Done()
		return weather.Report{}, ctx.Err()
	}
	return weather.Report{}, &weather.CityNotFoundError{City: p.City}
}

// TestBothSides makes calls of every kind of end, and compares what both sides record.
func TestBothSides(t *testing.T) {
	var server, client watcher
	limiter := ratelimit.New(ratelimit.Limits{Methods: map[string]ratelimit.Rate{weather.MethodWeatherWatch: {Calls: 1, Per: time.Hour, Burst: 2}}})
	a, b := pipe.New(0)
	options := runtime.Options{Middleware: []runtime.Middleware{rpcotel.Server(server.options())}, Limiter: limiter.Middleware, Logger: quiet}
	s := runtime.NewSession(t.Context(), a, weather.NewHandler(office{}), options)
	session := runtime.NewSession(t.Context(), b, nil, runtime.Options{Logger: quiet})
	conn := rpcotel.Client(session, client.options())
	c := weather.NewClient(conn)
	for _, city := range []string{"Paris", "Paris", "Troy", "Nowhere"} {
		if _, err := c.WeatherCurrent(t.Context(), weather.WeatherCurrentParams{City: city}); (err == nil) != (city == "Paris") {
			t.Error(city, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	if _, err := c.WeatherCurrent(ctx, weather.WeatherCurrentParams{City: "Ys"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	cancel()
	for range 3 {
		c.WeatherWatch(t.Context(), weather.WeatherWatchParams{City: "Paris"})
	}
	if err := weather.NewCallbackClient(conn).WeatherAlert(t.Context(), weather.WeatherAlertParams{City: "Paris", Severity: 1}); err != nil {
		t.Error(err)
	}
	batch := c.Batch()
	batch.WeatherWatch(weather.WeatherWatchParams{City: "Paris"})
	if err := batch.Send(t.Context()); err != nil {
		t.Error(err)
	}
	invented := []byte(`{"jsonrpc":"2.0","id":1000,"method":"` + strings.Repeat("x", 1000) + `"}`)
	if _, err := conn.Call(t.Context(), 1000, invented); err != nil {
		t.Error(err)
	}
	session.Close()
	session.Wait()
	s.Wait()
	if _, err := c.WeatherCurrent(t.Context(), weather.WeatherCurrentParams{City: "Paris"}); !errors.Is(err, runtime.ErrClosed) {
		t.Error(err)
	}

	counts, sums := server.measured(t)
	for name, want := range map[string]uint64{
		"rpc.server.call.duration weather/current": 2, "rpc.server.request.size weather/current": 2, "rpc.server.response.size weather/current": 2,
		"rpc.server.call.duration weather/current -32603 -32603": 1, "rpc.server.call.duration weather/current 1001 1001": 1,
		"rpc.server.call.duration weather/watch -32601 -32601": 2, "rpc.server.call.duration weather/watch -32000 -32000": 2,
		"rpc.server.call.duration _OTHER": 1, "rpc.server.call.duration _OTHER -32601 -32601": 1, "rpc.server.response.size _OTHER": 0,
	} {
		if counts[name] != want {
			t.Errorf("server: %d of %s, not %d", counts[name], name, want)
		}
	}
	request := len(`{"jsonrpc":"2.0","id":1,"method":"weather/current","params":{"city":"Paris","unit":"celsius"}}`)
	if size := sums["rpc.server.request.size weather/current"]; size < float64(2*request-40) || size > float64(2*request+40) {
		t.Error("requests of", size, "bytes")
	}
	if t.Failed() {
		t.Log(counts)
	}

	counts, _ = client.measured(t)
	for name, want := range map[string]uint64{
		"rpc.client.call.duration weather/current": 2, "rpc.client.response.size weather/current": 2, "rpc.client.call.duration weather/current -32603 -32603": 1,
		"rpc.client.call.duration weather/current 1001 1001": 1, "rpc.client.call.duration weather/current timeout": 1, "rpc.client.call.duration weather/current closed": 1,
		"rpc.client.call.duration weather/watch -32000 -32000": 1, "rpc.client.call.duration weather/alert": 1, "rpc.client.call.duration batch": 1,
	} {
		if counts[name] != want {
			t.Errorf("client: %d of %s, not %d", counts[name], name, want)
		}
	}
	if t.Failed() {
		t.Log(counts)
	}
	for side, w := range map[string]*watcher{"server": &server, "client": &client} {
		ended := w.spans.Ended()
		if len(ended) != len(w.spans.Started()) || len(ended) < 9 {
			t.Errorf("%s: %d spans of %d have ended", side, len(ended), len(w.spans.Started()))
		}
		if !slices.ContainsFunc(ended, func(s trace.ReadOnlySpan) bool { return s.Name() == "weather/current" }) {
			t.Errorf("%s: no span is called weather/current", side)
		}
	}
}

// TestRefusals counts what an HTTP handler rejects.
func TestRefusals(t *testing.T) {
	var w watcher
	refused := rpcotel.ServerRefusals(w.options())
	refused(429, -32000)
	refused(429, -32000)
	var all metricdata.ResourceMetrics
	if err := w.reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	m := all.ScopeMetrics[0].Metrics[0]
	if n := m.Data.(metricdata.Sum[int64]).DataPoints[0].Value; m.Name != "rpc.server.refusals" || n != 2 {
		t.Error(m.Name, n)
	}
}

// logs are three lines, or one that nothing follows, or none.
type logs struct{ rpc.UnimplementedServer }

func (logs) LogsTail(ctx context.Context, p rpc.LogsTailParams, out rpc.LogsTailStream) (r rpc.LogsTailResult, err error) {
	switch p.File {
	case "":
		return r, &rpc.NoFileError{File: p.File}
	case "secret":
		return r, errors.New("it is secret")
	case "one":
		err = out.Send(ctx, rpc.Line{})
		<-ctx.Done()
		return r, err
	}
	for n := range 3 {
		err = errors.Join(err, out.Send(ctx, rpc.Line{Seq: uint64(n)}))
	}
	return r, err
}

// TestStreams: a stream is one call on each side, with the number of its items, over sessions and over HTTP.
func TestStreams(t *testing.T) {
	t.Run("session", func(t *testing.T) {
		testStreams(t, func(o runtime.Options) (runtime.Conn, func()) {
			a, b := pipe.New(0)
			s := runtime.NewSession(t.Context(), a, rpc.NewHandler(logs{}), o)
			session := runtime.NewSession(t.Context(), b, nil, runtime.Options{Logger: quiet})
			return session, func() {
				session.Close()
				session.Wait()
				s.Wait()
			}
		})
	})
	t.Run("HTTP", func(t *testing.T) {
		testStreams(t, func(o runtime.Options) (runtime.Conn, func()) {
			s := httptest.NewServer(rpchttp.NewHandler(rpc.NewHandler(logs{}), rpchttp.Options{Runtime: o}))
			conn, err := rpchttp.Dial(s.URL, rpchttp.ClientOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return conn, func() {
				conn.Close()
				s.Close()
			}
		})
	})
}

// testStreams is TestStreams over one transport; the function that serve returns waits for the handlers.
func testStreams(t *testing.T, serve func(o runtime.Options) (runtime.Conn, func())) {
	var server, client watcher
	conn, end := serve(runtime.Options{Middleware: []runtime.Middleware{rpcotel.Server(server.options())}, Logger: quiet})
	c := rpc.NewClient(rpcotel.Client(conn, client.options()))
	if _, err := c.OpenLogsTail(t.Context(), rpc.LogsTailParams{File: "a"}).Result(); err != nil {
		t.Error(err)
	}
	for range c.LogsTail(t.Context(), rpc.LogsTailParams{File: "one"}) {
		break
	}
	for range c.LogsTail(t.Context(), rpc.LogsTailParams{File: "secret"}) {
	}
	if _, err := c.OpenLogsTail(t.Context(), rpc.LogsTailParams{}).Result(); err == nil {
		t.Error("there is no file without a name")
	}
	if _, err := c.Count(t.Context()); err == nil {
		t.Error("count is not implemented")
	}
	end()
	for side, w := range map[string]*watcher{"server": &server, "client": &client} {
		counts, sums := w.measured(t)
		name := "rpc." + side + ".responses_per_rpc logs/tail"
		if counts[name] != 2 || sums[name] != 4 || counts[name+" 7 7"] != 1 || counts[name+" -32603 -32603"] != 1 ||
			counts["rpc."+side+".responses_per_rpc count -32601 -32601"] != 0 {
			t.Error(side, counts, sums)
		}
		if counts["rpc."+side+".call.duration logs/tail"] != 2 || counts["rpc."+side+".call.duration logs/tail 7 7"] != 1 {
			t.Error(side, counts)
		}
		if n := len(w.spans.Ended()); n < 5 || n != len(w.spans.Started()) {
			t.Error(side, n)
		}
	}
}
