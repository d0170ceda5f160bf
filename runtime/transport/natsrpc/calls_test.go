package natsrpc

import (
	"context"
	"errors"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/when"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// named returns a handler whose reports have a city of that name.
func named(name string) runtime.Handler {
	return weather.NewHandler(&weather.Server{Way: runtime.Plain, Current: func(context.Context, weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: name}, nil
	}})
}

// current returns a handler that answers by f.
func current(f func(context.Context, weather.CurrentParams) (weather.Report, error)) runtime.Handler {
	return weather.NewHandler(&weather.Server{Way: runtime.Plain, Current: f, Ping: func(context.Context) error { return nil }})
}

var paris = weather.CurrentParams{City: "Paris"}

func receive[T any](t testing.TB, c <-chan T, complaint string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatal(complaint)
	}
	return v
}

// TestServersShareCalls: each call goes to one of the servers of a subject, and another queue group gets none of them twice.
func TestServersShareCalls(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"a", "b", "c"} {
		s.serve(named(name), Options{})
	}
	c, seen := s.client(ClientOptions{}), map[string]int{}
	for range 300 {
		report, err := c.Current(t.Context(), paris)
		if err != nil {
			t.Fatal(err)
		}
		seen[report.City]++
	}
	if len(seen) != 3 || seen["a"]+seen["b"]+seen["c"] != 300 {
		t.Errorf("got %v", seen)
	}
}

// TestNoServer: a call without a server fails at once, and works again when there is one.
func TestNoServer(t *testing.T) {
	s := newSite(t)
	c := s.client(ClientOptions{})
	_, err := c.Current(t.Context(), paris)
	if e, ok := errors.AsType[*NoServerError](err); !ok || e.Subject != subject || !errors.Is(err, nats.ErrNoResponders) {
		t.Fatalf("got %v", err)
	}
	s.serve(named("a"), Options{})
	if report, err := c.Current(t.Context(), paris); err != nil || report.City != "a" {
		t.Errorf("got %+v, %v", report, err)
	}
}

// TestDeadline: the time that a caller has left reaches the handler, and its end cancels the handler.
func TestDeadline(t *testing.T) {
	s := newSite(t)
	begun, cause := make(chan struct{}, 100), make(chan error, 100)
	s.serve(current(func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		begun <- struct{}{}
		if at, ok := ctx.Deadline(); !ok || time.Until(at) > 300*time.Millisecond {
			t.Errorf("the handler has until %s, %t", at, ok)
		}
		<-ctx.Done()
		cause <- context.Cause(ctx)
		return weather.Report{}, ctx.Err()
	}), Options{})
	c := s.client(ClientOptions{CallTimeout: 300 * time.Millisecond})
	await.Until(t, "there is a call", func() bool { // the time of some may be up before they are sent
		if _, err := c.Current(t.Context(), paris); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v", err)
		}
		return len(begun) > 0
	})
	receive(t, cause, "the handler was not cancelled")
}

// TestCancelled: a caller that gives up cancels the handler, wherever it runs.
func TestCancelled(t *testing.T) {
	s := newSite(t)
	begun, cause := make(chan struct{}), make(chan error, 1)
	h := current(func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		begun <- struct{}{}
		<-ctx.Done()
		cause <- context.Cause(ctx)
		return weather.Report{}, ctx.Err()
	})
	for range 3 {
		s.serve(h, Options{})
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if _, err := s.client(ClientOptions{}).Current(ctx, paris); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if err := receive(t, cause, "the handler was not cancelled"); !errors.Is(err, errCancelled) {
		t.Errorf("got %v", err)
	}
}

// TestSize: a message over the limit of the receiver, and over the payload of NATS, has the documented error both ways.
func TestSize(t *testing.T) {
	s := newSite(t, func(o *server.Options) { o.MaxPayload = 64 << 10 })
	s.serve(current(func(_ context.Context, p weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: strings.Repeat("x", int(p.Days))}, nil
	}), Options{MaxMessage: 32 << 10})
	c := s.client(ClientOptions{})
	_, err := c.Current(t.Context(), weather.CurrentParams{City: strings.Repeat("x", 65<<10)})
	if e, ok := errors.AsType[*frame.TooLargeError](err); !ok || e.Max != 64<<10 {
		t.Errorf("a message over the payload of NATS: got %v", err)
	}
	_, err = c.Current(t.Context(), weather.CurrentParams{City: strings.Repeat("x", 64<<10-150)})
	if e, ok := errors.AsType[*runtime.Error](err); !ok || e.Code != runtime.CodeInvalidRequest || e.Message != "Message too large" {
		t.Errorf("a message over the limit of the server: got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	body := `{"jsonrpc":"2.0","id":1,"method":"weather/ping","params":{"pad":"` + strings.Repeat("x", 64<<10-80) + `"}}`
	if _, err := s.dial(nil, ClientOptions{}).Call(ctx, 1, []byte(body)); err == nil || !strings.Contains(err.Error(), "bytes") {
		t.Errorf("a message that does not fit with its headers: got %v", err)
	}
	_, err = c.Current(t.Context(), weather.CurrentParams{City: "x", Days: 64 << 10})
	if e, ok := errors.AsType[*runtime.Error](err); !ok || e.Code != runtime.CodeInternalError {
		t.Errorf("a result over the payload of NATS: got %v", err)
	}
}

// TestOverload: calls over MaxCalls get the declared error, and no call waits without a limit.
func TestOverload(t *testing.T) {
	s := newSite(t)
	begun, release := make(chan struct{}), make(chan struct{})
	s.serve(current(func(context.Context, weather.CurrentParams) (weather.Report, error) {
		begun <- struct{}{}
		<-release
		return weather.Report{}, nil
	}), Options{MaxCalls: 2})
	c, done := s.client(ClientOptions{}), make(chan error, 2)
	for range 2 {
		go func() {
			_, err := c.Current(context.Background(), paris)
			done <- err
		}()
		receive(t, begun, "the call did not start")
	}
	err := c.Ping(t.Context())
	if e, ok := errors.AsType[*runtime.Error](err); !ok || e.Code != when.CodeOverloaded {
		t.Errorf("got %v", err)
	}
	close(release)
	for range 2 {
		if err := receive(t, done, "a call did not end"); err != nil {
			t.Error(err)
		}
	}
}

// TestContext: headers of clients reach Options.Context, which may refuse a message.
func TestContext(t *testing.T) {
	s := newSite(t)
	s.serve(current(func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: principal.From(ctx) + " " + ctx.Value(traceKey{}).(string)}, nil
	}), Options{Context: func(ctx context.Context, m *nats.Msg) (context.Context, error) {
		if m.Header.Get("Authorization") != "Bearer secret" {
			return nil, errors.New("a wrong token")
		}
		return context.WithValue(principal.With(ctx, "ann"), traceKey{}, m.Header.Get("traceparent")), nil
	}})
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	header := func(token string) func(context.Context, nats.Header) error {
		return func(ctx context.Context, h nats.Header) error {
			h.Set("Authorization", token)
			h.Set("traceparent", ctx.Value(traceKey{}).(string))
			return nil
		}
	}
	ctx := context.WithValue(t.Context(), traceKey{}, trace)
	if report, err := s.client(ClientOptions{Header: header("Bearer secret")}).Current(ctx, paris); err != nil || report.City != "ann "+trace {
		t.Errorf("got %+v, %v", report, err)
	}
	_, err := s.client(ClientOptions{Header: header("Bearer guess")}).Current(ctx, paris)
	if e, ok := errors.AsType[*runtime.Error](err); !ok || e.Code != runtime.CodeInvalidRequest || strings.Contains(e.Message, "token") {
		t.Errorf("got %v", err)
	}
	failing := func(context.Context, nats.Header) error { return errors.New("no token") }
	if _, err := s.client(ClientOptions{Header: failing}).Current(ctx, paris); err == nil || !strings.Contains(err.Error(), "no token") {
		t.Errorf("got %v", err)
	}
}

type traceKey struct{}

// TestNotifications: notifications of a server come to its client in their order, also after the handler has returned.
func TestNotifications(t *testing.T) {
	const n = 200
	s := newSite(t)
	peers := make(chan runtime.Conn, 1)
	s.serve(current(func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		peers <- runtime.PeerFrom(ctx)
		return weather.Report{}, nil
	}), Options{})
	got := make(chan int64, n)
	c := s.dial(weather.NewHandler(&weather.Server{Way: runtime.Plain, Watch: func(_ context.Context, p weather.CurrentParams) error {
		got <- p.Days
		return nil
	}}), ClientOptions{})
	if _, err := weather.NewClient(c).Current(t.Context(), paris); err != nil {
		t.Fatal(err)
	}
	peer := weather.NewClient(receive(t, peers, "there was no call"))
	for i := range n {
		if err := peer.Watch(t.Context(), weather.CurrentParams{City: "x", Days: int64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n {
		if day := receive(t, got, "a notification was lost"); day != int64(i) {
			t.Fatalf("got %d, want %d", day, i)
		}
	}
	c.Close()
	if err := peer.Ping(t.Context()); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("a client that is gone: got %v", err)
	}
	if _, err := weather.NewClient(s.dial(nil, ClientOptions{})).Current(t.Context(), paris); err != nil {
		t.Fatal(err)
	}
	if peer := receive(t, peers, "there was no call"); peer != nil {
		t.Error("a client without a handler has a peer")
	}
}

// TestDrain: a server that shuts down answers the calls that it has accepted, and the others take the new ones.
func TestDrain(t *testing.T) {
	s := newSite(t)
	begun, release := make(chan struct{}, 1), make(chan struct{})
	first := s.serve(current(func(context.Context, weather.CurrentParams) (weather.Report, error) {
		begun <- struct{}{}
		<-release
		return weather.Report{City: "first"}, nil
	}), Options{})
	c, done := s.client(ClientOptions{}), make(chan string, 1)
	go func() {
		report, err := c.Current(context.Background(), paris)
		if err != nil {
			t.Error(err)
		}
		done <- report.City
	}()
	receive(t, begun, "the call did not start")
	if err := first.Ready(); err != nil {
		t.Error(err)
	}
	s.serve(named("second"), Options{})
	ended, subscriptions := make(chan error, 1), s.nats.NumSubscriptions()
	go func() { ended <- first.Shutdown(context.Background()) }()
	await.Until(t, "no call goes to it", func() bool {
		return errors.Is(first.Ready(), runtime.ErrClosed) && s.nats.NumSubscriptions() < subscriptions
	})
	for range 50 {
		if report, err := c.Current(t.Context(), paris); err != nil || report.City != "second" {
			t.Fatalf("got %+v, %v", report, err)
		}
	}
	close(release)
	if city := receive(t, done, "the call in flight was not answered"); city != "first" {
		t.Errorf("got %q", city)
	}
	if err := receive(t, ended, "the server does not end"); err != nil {
		t.Error(err)
	}
}

// TestServe: Serve returns when its context ends, also if a handler does not, and when the connection is closed.
func TestServe(t *testing.T) {
	s := newSite(t)
	begun, release := make(chan struct{}, 1), make(chan struct{})
	h := current(func(context.Context, weather.CurrentParams) (weather.Report, error) {
		begun <- struct{}{}
		<-release
		return weather.Report{}, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	o := Options{Subject: subject, Grace: time.Millisecond, Runtime: runtime.Options{Logger: quiet, ShutdownTimeout: 10 * time.Millisecond}}
	go func() { served <- Serve(ctx, s.connect(), h, o) }()
	c := s.client(ClientOptions{Idempotent: func(string) bool { return true }})
	go c.Current(ctx, paris)
	receive(t, begun, "the call did not start")
	cancel()
	if err := receive(t, served, "Serve does not return"); !errors.Is(err, context.Canceled) || !errors.Is(err, runtime.ErrStillRunning) {
		t.Errorf("got %v", err)
	}
	close(release)
	nc := s.connect()
	go func() { served <- Serve(t.Context(), nc, h, o) }()
	await.Until(t, "the server answers", func() bool { return c.Ping(t.Context()) == nil })
	nc.Close()
	if err := receive(t, served, "Serve does not return"); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// TestOptions: what cannot be served is an error at the start.
func TestOptions(t *testing.T) {
	s := newSite(t)
	nc := s.connect()
	for want, o := range map[string]Options{
		"Options.Subject has 1":               {},
		"without wildcards":                   {Subject: "weather.*"},
		"words with dots":                     {Subject: "a b"},
		"Options.Queue":                       {Subject: subject, Queue: "a."},
		"Options.Name":                        {Subject: subject, Name: "a b"},
		"Options.Version":                     {Subject: subject, Version: "v1"},
		"is not an OpenRPC document: invalid": {Subject: subject, OpenRPC: []byte("openrpc")},
		"/methods/1 has no name":              {Subject: subject, OpenRPC: []byte(`{"methods":[{"name":"a"},{}]}`)},
		"does not fit into a message of":      {Subject: subject, OpenRPC: []byte(`{"x":"` + strings.Repeat("x", 2<<20) + `"}`)},
	} {
		if _, err := Start(t.Context(), nc, named("a"), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	if _, err := Dial(nc, "a..b", nil, ClientOptions{}); err == nil {
		t.Error("a subject with an empty word was dialled")
	}
	nc.Close()
	if _, err := Start(t.Context(), nc, named("a"), Options{Subject: subject}); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := Dial(nc, subject, nil, ClientOptions{}); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

// TestForeignReplies: replies that answer nothing, and cancellations of nothing, have no effect.
func TestForeignReplies(t *testing.T) {
	s := newSite(t)
	s.serve(named("a"), Options{})
	c := s.dial(nil, ClientOptions{})
	nc := s.connect()
	nc.Publish(c.caller.inbox+".reply.zz.1", []byte(`{}`))
	nc.Publish(subject+".cancel", []byte("nothing"))
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	nc.Subscribe("other", func(m *nats.Msg) { m.Respond([]byte(`{"jsonrpc":"2.0","id":77,"result":{}}`)) })
	nc.Flush()
	wrong, err := Dial(nc, "other", nil, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer wrong.Close()
	_, err = weather.NewClient(wrong).Current(t.Context(), paris)
	if _, ok := errors.AsType[*runtime.ResponseError](err); !ok {
		t.Errorf("a response to another request: got %v", err)
	}
	nc.Subscribe("equal", func(m *nats.Msg) { m.Respond([]byte(`{"jsonrpc":"2.0","id":10e-1,"result":{}}`)) })
	nc.Flush()
	equal, err := Dial(nc, "equal", nil, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer equal.Close()
	if err := weather.NewClient(equal).Ping(t.Context()); err != nil {
		t.Errorf("an id that is equal: %v", err)
	}
	if report, err := weather.NewClient(c).Current(t.Context(), paris); err != nil || report.City != "a" {
		t.Errorf("got %+v, %v", report, err)
	}
}

// TestGoexit: a handler that ends its goroutine is answered for, and holds no slot.
func TestGoexit(t *testing.T) {
	s := newSite(t)
	s.serve(current(func(context.Context, weather.CurrentParams) (weather.Report, error) {
		goruntime.Goexit()
		return weather.Report{}, nil
	}), Options{MaxCalls: 1})
	c := s.client(ClientOptions{})
	for range 3 {
		_, err := c.Current(t.Context(), paris)
		if e, ok := errors.AsType[*runtime.Error](err); !ok || e.Code != runtime.CodeInternalError && e.Code != when.CodeOverloaded {
			t.Fatalf("got %v", err)
		}
	}
}

// TestClosed: Close fails the calls in flight.
func TestClosed(t *testing.T) {
	s := newSite(t)
	var begun sync.WaitGroup
	var calls atomic.Int32
	begun.Add(1)
	s.serve(current(func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		if calls.Add(1) == 1 {
			begun.Done()
		}
		<-ctx.Done()
		return weather.Report{}, ctx.Err()
	}), Options{Grace: time.Millisecond})
	c := s.dial(named("client"), ClientOptions{})
	go func() {
		begun.Wait()
		c.Close()
	}()
	if _, err := weather.NewClient(c).Current(t.Context(), paris); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := weather.NewClient(c).Ping(t.Context()); !errors.Is(err, runtime.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("got %v", err)
	}
}
