// Package transporttest is the contract of transports as a test suite: [Run] tests a transport.
//
//test:by ./runtime/transport/pipe
//test:by ./runtime/transport/stdio
package transporttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	runtimegen "github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// MaxFrame is the size limit, in bytes, of the connections that [Run] asks for.
const MaxFrame = 64 << 10

// Transport is the transport under test.
type Transport struct {
	// Connect returns the two ends of a connection with the size limit [MaxFrame].
	Connect func(t testing.TB) (client, server frame.Conn)

	// Calls returns a way to h that only carries calls, in place of Connect: for transports without sessions. Messages have the limit
	// [MaxFrame] both ways. The client serves callbacks, which is nil unless CallsBack is set.
	Calls func(t testing.TB, h, callbacks runtime.Handler) runtime.Conn

	// CallsBack means that a transport with Calls lets handlers call their peers.
	CallsBack bool

	// Raw returns a connection whose client end is a stream of bytes. It is nil if the transport
	// has none.
	Raw func(t testing.TB) (client io.ReadWriteCloser, server frame.Conn)

	// Drains means that calls in flight continue after the end of the input, because it is unknown
	// whether the peer still reads.
	Drains bool

	// Framing is the framing of the stream that Raw returns.
	Framing frame.Framing
}

// Run tests the transport. Every test also checks that no goroutine is left.
func Run(t *testing.T, tr Transport) {
	tests := []struct {
		name  string
		run   func(t *testing.T, tr Transport)
		calls bool // only calls are needed, and callbacks if the transport has them
	}{
		{"round trips", roundTrips, true},
		{"many callers", func(t *testing.T, tr Transport) { callers(t, 64, caller(t, tr, office())) }, true},
		{"both directions", bothDirections, false},
		{"calling back inside a handler", callingBack, tr.CallsBack},
		{"notifications in order", notificationsInOrder, false},
		{"batches", batches, true},
		{"large messages", largeMessages, true},
		{"oversize frames", oversizeFrames, true},
		{"malformed frames", malformedFrames, false},
		{"cancellation", cancellation, true},
		{"timeouts", timeouts, true},
		{"peer vanishes", peerVanishes, false},
		{"connections that are cut", cutConnections, false},
		{"close with own calls", closeWithOwnCalls, false},
		{"graceful shutdown", gracefulShutdown, false},
		{"shutdown with a deadline", shutdownWithDeadline, false},
		{"panicking handler", panickingHandler, true},
	}
	for _, test := range tests {
		if tr.Calls != nil && !test.calls {
			continue
		}
		leak.Run(t, test.name, func(t *testing.T) { test.run(t, tr) })
	}
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

const patience = 20 * time.Second // for events that take no time on an idle machine

// pair is two sessions that are connected to each other.
type pair struct{ client, server *runtime.Session }

func connect(t *testing.T, tr Transport, server, client runtime.Handler) pair {
	t.Helper()
	c, s := tr.Connect(t)
	o := runtime.Options{Logger: quiet, ShutdownTimeout: patience}
	p := pair{
		server: runtime.NewSession(context.Background(), s, server, o),
		client: runtime.NewSession(context.Background(), c, client, o),
	}
	t.Cleanup(func() {
		p.client.Close()
		p.server.Close()
		ends(t, p.client)
		ends(t, p.server)
	})
	return p
}

// caller returns a way to call server.
func caller(t *testing.T, tr Transport, server *weather.Server) runtime.Conn {
	t.Helper()
	return callerOf(t, tr, weather.NewHandler(server), nil)
}

// callerOf returns a way to call h for a client that serves callbacks.
func callerOf(t *testing.T, tr Transport, h, callbacks runtime.Handler) runtime.Conn {
	t.Helper()
	if tr.Calls != nil {
		return tr.Calls(t, h, callbacks)
	}
	return connect(t, tr, h, callbacks).client
}

// ends waits for the end of the session.
func ends(t testing.TB, s *runtime.Session) {
	t.Helper()
	happens(t, s.Done(), "the session did not end")
}

func happens[T any](t testing.TB, c <-chan T, complaint string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatal(complaint)
	}
	return v
}

func current(_ context.Context, p weather.CurrentParams) (weather.Report, error) {
	if strings.HasPrefix(p.City, "no") {
		return weather.Report{}, &weather.CityNotFoundError{City: p.City}
	}
	return weather.Report{City: p.City, Degrees: float64(p.Days)}, nil
}

func office() *weather.Server {
	return &weather.Server{Way: runtime.Plain, Current: current, Ping: func(context.Context) error { return nil }}
}

// roundTrip calls weather/current and compares the result.
func roundTrip(ctx context.Context, c runtime.Conn, n int) error {
	p := weather.CurrentParams{City: fmt.Sprint("city ", n, " \n\u00e9\u4e16"), Days: int64(n)}
	got, err := weather.NewClient(c).Current(ctx, p)
	if want := (weather.Report{City: p.City, Degrees: float64(n)}); err == nil && got != want {
		return fmt.Errorf("got %+v, want %+v", got, want)
	}
	return err
}

func roundTrips(t *testing.T, tr Transport) {
	p := caller(t, tr, office())
	for i := range 100 {
		if err := roundTrip(t.Context(), p, i); err != nil {
			t.Fatal(err)
		}
	}
	_, err := weather.NewClient(p).Current(t.Context(), weather.CurrentParams{City: "nowhere"})
	if e, ok := errors.AsType[*weather.CityNotFoundError](err); !ok || e.City != "nowhere" {
		t.Fatalf("got %v", err)
	}
}

// callers makes some round trips from each of n goroutines.
func callers(t *testing.T, n int, c runtime.Conn) {
	t.Helper()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			for j := range 20 {
				if err := roundTrip(t.Context(), c, i*1000+j); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

func bothDirections(t *testing.T, tr Transport) {
	p := connect(t, tr, weather.NewHandler(office()), weather.NewHandler(office()))
	var all sync.WaitGroup
	all.Go(func() { callers(t, 16, p.client) })
	all.Go(func() { callers(t, 16, p.server) })
	all.Wait()
}

func callingBack(t *testing.T, tr Transport) {
	server := office()
	server.Current = func(ctx context.Context, q weather.CurrentParams) (weather.Report, error) {
		return weather.NewClient(runtime.PeerFrom(ctx)).Current(ctx, q)
	}
	callers(t, 32, callerOf(t, tr, weather.NewHandler(server), weather.NewHandler(office())))
}

func notificationsInOrder(t *testing.T, tr Transport) {
	const n = 500
	var got []int64
	done := make(chan struct{})
	server := office()
	server.Watch = func(_ context.Context, q weather.CurrentParams) error {
		if got = append(got, q.Days); len(got) == n {
			close(done)
		}
		return nil
	}
	p := connect(t, tr, weather.NewHandler(server), nil)
	for i := range n {
		if err := weather.NewClient(p.client).Watch(t.Context(), weather.CurrentParams{City: "x", Days: int64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	happens(t, done, "notifications were lost")
	if !slices.IsSorted(got) {
		t.Error("out of order")
	}
}

func batches(t *testing.T, tr Transport) {
	seen := make(chan struct{}, 1)
	server := office()
	server.Watch = func(context.Context, weather.CurrentParams) error {
		seen <- struct{}{}
		return nil
	}
	p := caller(t, tr, server)
	b := weather.NewClient(p).Batch()
	var got weather.Report
	paris := b.Current(weather.CurrentParams{City: "Paris", Days: 7}, &got)
	b.Watch(weather.CurrentParams{City: "Paris"})
	nowhere := b.Current(weather.CurrentParams{City: "nowhere"}, nil)
	if err := b.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := paris.Err(); err != nil || got.Degrees != 7 {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, ok := errors.AsType[*weather.CityNotFoundError](nowhere.Err()); !ok {
		t.Errorf("got %v", nowhere.Err())
	}
	happens(t, seen, "the notification was lost")
}

func largeMessages(t *testing.T, tr Transport) {
	p := caller(t, tr, office())
	city := strings.Repeat("x", MaxFrame/2)
	got, err := weather.NewClient(p).Current(t.Context(), weather.CurrentParams{City: city})
	if err != nil || got.City != city {
		t.Fatalf("got %d bytes, %v", len(got.City), err)
	}
}

// sizes is what the caller learns of a result over the limit.
var sizes = regexp.MustCompile("^Result too large: [1-9][0-9]* bytes, over the limit of [1-9][0-9]*$")

// oversizeFrames: a message over the limit is not sent, a result over the limit is an internal
// error that says both sizes, and the connection remains usable.
func oversizeFrames(t *testing.T, tr Transport) {
	server := office()
	server.Current = func(_ context.Context, q weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: strings.Repeat(q.City, int(max(q.Days, 1)))}, nil
	}
	p := caller(t, tr, server)
	client := weather.NewClient(p)
	_, err := client.Current(t.Context(), weather.CurrentParams{City: strings.Repeat("x", 2*MaxFrame)})
	if _, ok := errors.AsType[*frame.TooLargeError](err); !ok {
		t.Fatalf("got %v", err)
	}
	_, err = client.Current(t.Context(), weather.CurrentParams{City: "1234567890", Days: MaxFrame})
	if e, ok := errors.AsType[*runtime.Error](err); !ok || e.Code != runtime.CodeInternalError || !sizes.MatchString(e.Message) {
		t.Fatalf("got %v", err)
	}
	if got, err := client.Current(t.Context(), weather.CurrentParams{City: "x"}); err != nil || got.City != "x" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if tr.Raw == nil {
		return
	}
	raw := dial(t, tr)
	raw.send(strings.Repeat("y", 3*MaxFrame))
	raw.expect(`"code":-32600`, `"id":null`)
	raw.lives()
}

func malformedFrames(t *testing.T, tr Transport) {
	if tr.Raw == nil {
		t.Skip("no stream of bytes")
	}
	raw := dial(t, tr)
	raw.send(`{"jsonrpc":"2.0","id":1,"method"`)
	raw.expect(`"code":-32700`, `"id":null`)
	raw.send(`{"jsonrpc":"2.0","id":"\ud800","method":"weather/ping"}`)
	raw.expect(`"code":-32700`, `"id":null`)
	raw.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}")
	raw.expect(`"code":-32700`, `"id":1`)
	raw.send(`{"jsonrpc":"2.0","id":7}`)
	raw.expect(`"code":-32600`, `"id":7`)
	raw.send(`{"jsonrpc":"2.0","id":9,"result":1}`) // a response without a request is dropped
	if tr.Framing == frame.Headers {
		raw.bytes("Content-Length: -5\r\n\r\nrubbish")
		raw.expect(`"code":-32700`, `"id":null`)
	} else {
		raw.bytes("\n  \r\n\r\n")
	}
	raw.lives()
}

// rawPeer sends bytes and reads frames.
type rawPeer struct {
	t      *testing.T
	stream io.ReadWriteCloser
	r      frame.Reader
	w      frame.Writer
}

func dial(t *testing.T, tr Transport) *rawPeer {
	stream, conn := tr.Raw(t)
	s := runtime.NewSession(context.Background(), conn, weather.NewHandler(office()), runtime.Options{Logger: quiet})
	t.Cleanup(func() {
		stream.Close()
		s.Close()
		ends(t, s)
	})
	return &rawPeer{t, stream, tr.Framing.NewReader(stream, 0), tr.Framing.NewWriter(stream, 0)}
}

func (p *rawPeer) send(text string) {
	if err := p.w.WriteFrame([]byte(text)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *rawPeer) bytes(text string) {
	if _, err := p.stream.Write([]byte(text)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *rawPeer) expect(parts ...string) {
	p.t.Helper()
	got, err := p.r.ReadFrame()
	if err != nil {
		p.t.Fatal(err)
	}
	for _, part := range parts {
		if !strings.Contains(string(got), part) {
			p.t.Fatalf("got %s, want %s", got, part)
		}
	}
}

// lives checks that the connection is still served.
func (p *rawPeer) lives() {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"alive","method":"weather/ping"}`)
	p.expect(`{"jsonrpc":"2.0","id":"alive","result":{}}`)
}

// blockingServer returns a server whose weather/current waits for its context or for release.
func blockingServer() (server *weather.Server, started, release chan struct{}, cancelled chan error) {
	started, release, cancelled = make(chan struct{}, 100), make(chan struct{}), make(chan error, 100)
	server = office()
	server.Current = func(ctx context.Context, p weather.CurrentParams) (weather.Report, error) {
		started <- struct{}{}
		select {
		case <-ctx.Done():
			cancelled <- ctx.Err()
			return weather.Report{}, ctx.Err()
		case <-release:
			return weather.Report{City: p.City}, nil
		}
	}
	return server, started, release, cancelled
}

// runningCall connects a client to a [blockingServer], and returns once its call runs there.
func runningCall(t *testing.T, tr Transport) (p pair, done <-chan error, release chan struct{}, cancelled chan error) {
	t.Helper()
	server, started, release, cancelled := blockingServer()
	p = connect(t, tr, weather.NewHandler(server), nil)
	done = call(t.Context(), p.client, "x")
	happens(t, started, "the call did not start")
	return p, done, release, cancelled
}

// fails ends the test unless err wraps the error that is wanted.
func fails(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got %v", err)
	}
}

// call calls weather/current in the background.
func call(ctx context.Context, c runtime.Conn, city string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := weather.NewClient(c).Current(ctx, weather.CurrentParams{City: city})
		done <- err
	}()
	return done
}

func result(t *testing.T, done <-chan error) error {
	t.Helper()
	return happens(t, done, "the call does not end")
}

func cancellation(t *testing.T, tr Transport) {
	server, started, release, _ := blockingServer()
	p := caller(t, tr, server)
	ctx, cancel := context.WithCancel(t.Context())
	done := call(ctx, p, "x")
	happens(t, started, "the call did not start")
	cancel()
	fails(t, result(t, done), context.Canceled)
	close(release)
	if err := weather.NewClient(p).Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func peerVanishes(t *testing.T, tr Transport) {
	p, done, release, cancelled := runningCall(t, tr)
	p.client.Close()
	fails(t, result(t, done), runtime.ErrClosed)
	if tr.Drains {
		close(release)
		cancelled <- nil
	}
	happens(t, cancelled, "the handler was not cancelled")
	ends(t, p.server)
	fails(t, weather.NewClient(p.server).Ping(t.Context()), runtime.ErrClosed)
}

func closeWithOwnCalls(t *testing.T, tr Transport) {
	p, done, _, _ := runningCall(t, tr)
	p.server.Close()
	fails(t, result(t, done), runtime.ErrClosed)
}

func gracefulShutdown(t *testing.T, tr Transport) {
	p, done, release, _ := runningCall(t, tr)
	down := make(chan error, 1)
	go func() { down <- p.server.Shutdown(context.Background()) }()
	for {
		err := weather.NewClient(p.client).Ping(t.Context())
		if e, ok := errors.AsType[*runtime.Error](err); ok && e.Code == when.CodeOverloaded {
			break // no more calls are accepted
		}
		time.Sleep(time.Millisecond)
	}
	close(release)
	if err := result(t, done); err != nil {
		t.Fatalf("the call in flight got %v", err)
	}
	if err := result(t, down); err != nil {
		t.Fatal(err)
	}
}

// brief is a handler in which calls about the city slow have a short timeout.
type brief struct{ runtime.Handler }

func (b brief) Handle(ctx context.Context, c *runtime.Call) {
	if city, _ := c.PeekParams().In("city").Text(); city == "slow" {
		ctx = c.WithTimeout(ctx, 20*time.Millisecond)
	}
	b.Handler.Handle(ctx, c)
}

func (b brief) Hooks() runtime.Hooks {
	h := b.Handler.Hooks()
	h.Deadlines = true
	return h
}

// timeouts: the caller is answered at the deadline, although the handler does not return, in a batch as well, and only once; the others in
// the batch, and other callers, get their results.
func timeouts(t *testing.T, tr Transport) {
	server := office()
	release, ended := make(chan struct{}), make(chan error, 8)
	current := server.Current
	server.Current = func(ctx context.Context, q weather.CurrentParams) (weather.Report, error) {
		if q.City != "slow" {
			return current(ctx, q)
		}
		<-release
		ended <- ctx.Err()
		return weather.Report{City: "too late"}, nil
	}
	p := callerOf(t, tr, brief{weather.NewHandler(server)}, nil)
	within := make(chan error, 1)
	expired := func(err error) bool {
		e, ok := errors.AsType[*runtime.Error](err)
		return ok && e.Code == when.CodeTimeout
	}
	for range 2 {
		if err := result(t, call(t.Context(), p, "slow")); !expired(err) {
			t.Fatalf("got %v", err)
		}
	}
	if report, err := weather.NewClient(p).Current(t.Context(), weather.CurrentParams{City: "quick"}); err != nil || report.City != "quick" {
		t.Fatalf("got %v, %v", report, err)
	}
	b := weather.NewClient(p).Batch()
	var report weather.Report
	quick := b.Current(weather.CurrentParams{City: "quick"}, &report)
	slow, also := b.Current(weather.CurrentParams{City: "slow"}, nil), b.Current(weather.CurrentParams{City: "slow"}, nil)
	go func() { within <- b.Send(t.Context()) }()
	if err := result(t, within); err != nil {
		t.Fatal(err)
	}
	if err := quick.Err(); err != nil || report.City != "quick" {
		t.Errorf("got %v, %v", report, err)
	}
	for _, late := range []*runtimegen.Pending{slow, also} {
		if !expired(late.Err()) {
			t.Errorf("got %v", late.Err())
		}
	}
	close(release)
	for range 4 {
		if happens(t, ended, "a handler has not ended") == nil {
			t.Error("the context has not ended")
		}
	}
	callers(t, 4, p)
}

func shutdownWithDeadline(t *testing.T, tr Transport) {
	p, done, _, cancelled := runningCall(t, tr)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	fails(t, p.server.Shutdown(ctx), context.DeadlineExceeded)
	<-cancelled
	ends(t, p.server)
	if err := result(t, done); err == nil {
		t.Fatal("the call succeeded")
	}
}

func panickingHandler(t *testing.T, tr Transport) {
	server := office()
	server.Current = func(_ context.Context, q weather.CurrentParams) (weather.Report, error) {
		if q.City == "panic" {
			panic("a handler that panics")
		}
		return weather.Report{City: q.City, Degrees: float64(q.Days)}, nil
	}
	p := caller(t, tr, server)
	var all sync.WaitGroup
	all.Go(func() { callers(t, 8, p) })
	for range 20 {
		_, err := weather.NewClient(p).Current(t.Context(), weather.CurrentParams{City: "panic"})
		if e, ok := errors.AsType[*runtime.Error](err); !ok || e.Code != runtime.CodeInternalError || e.Message != "Internal error" {
			t.Fatalf("got %v", err)
		}
	}
	all.Wait()
}
