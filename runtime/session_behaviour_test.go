package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// peer is the other side of a session, by hand.
type peer struct {
	t    *testing.T
	conn *pipe.Conn
	s    *runtime.Session
}

func newPeer(t *testing.T, h runtime.Handler, o runtime.Options) *peer {
	t.Helper()
	if o.Logger == nil {
		o.Logger = quiet
	}
	a, b := pipe.New(1 << 16)
	p := &peer{t, a, runtime.NewSession(context.Background(), b, h, o)}
	return p
}

func (p *peer) send(text string) {
	p.t.Helper()
	if err := p.conn.WriteFrame([]byte(text)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) expect(want string) {
	p.t.Helper()
	got, err := p.conn.ReadFrame()
	if err != nil || string(got) != want {
		p.t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

func (p *peer) end() {
	p.conn.Close()
	p.s.Wait()
}

func request(id, method, city string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"city":"` + city + `"}}`
}

func TestTimeoutOfAnObedientHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := office()
		server.Conditions = true
		server.Slow = func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
			<-ctx.Done()
			return weather.Report{}, ctx.Err()
		}
		p := newPeer(t, weather.NewHandler(server), runtime.Options{})
		begin := time.Now()
		p.send(request("1", "weather/slow", "x"))
		p.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":1003,"message":"too slow","data":{"method":"weather/slow","timeout":"5s"}}}`)
		if took := time.Since(begin); took != 5*time.Second {
			t.Error(took)
		}
		p.end()
	})
}

func TestTimeoutOfAHandlerThatIgnoresIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := office()
		server.Slow = func(context.Context, weather.CurrentParams) (weather.Report, error) {
			time.Sleep(time.Minute)
			return weather.Report{}, nil
		}
		p := newPeer(t, weather.NewHandler(server), runtime.Options{MaxCalls: 2})
		begin := time.Now()
		p.send(request("1", "weather/slow", "x"))
		p.send(`[` + request("2", "weather/slow", "y") + `,` + request("3", "weather/current", "Paris") + `]`)
		const late = `{"code":-32001,"message":"Request timed out"}}`
		got, _ := p.conn.ReadFrame()
		also, _ := p.conn.ReadFrame()
		if len(got) > len(also) {
			got, also = also, got
		}
		if want := `{"jsonrpc":"2.0","id":1,"error":` + late; string(got) != want {
			t.Errorf("got %s", got)
		}
		if want := `[{"jsonrpc":"2.0","id":2,"error":` + late + `,{"jsonrpc":"2.0","id":3,"result":{"city":"Paris","degrees":14}}]`; string(also) != want {
			t.Errorf("got %s", also)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Error(took)
		}
		// The handler of the single request still has its slot, its id is free.
		p.send(request("1", "weather/current", "Paris"))
		p.expect(`{"jsonrpc":"2.0","id":1,"result":{"city":"Paris","degrees":14}}`)
		p.conn.CloseWrite()
		if p.s.Wait(); time.Since(begin) < 30*time.Second {
			t.Error("the session did not wait for the handler")
		}
		p.end()
		time.Sleep(2 * time.Minute) // let the handlers return
	})
}

func TestDrainIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := office()
		server.Current = func(context.Context, weather.CurrentParams) (weather.Report, error) {
			time.Sleep(time.Hour)
			return weather.Report{}, nil
		}
		p := newPeer(t, weather.NewHandler(server), runtime.Options{DrainTimeout: time.Second, ShutdownTimeout: 2 * time.Second})
		begin := time.Now()
		p.send(request("1", "weather/current", "x"))
		p.conn.CloseWrite()
		if err := p.s.Wait(); err != runtime.ErrStillRunning {
			t.Errorf("got %v", err)
		}
		if took := time.Since(begin); took != 3*time.Second {
			t.Error(took)
		}
		time.Sleep(time.Hour)
	})
}

func TestOverload(t *testing.T) {
	server, release := office(), make(chan struct{})
	server.Conditions = true
	server.Current = func(context.Context, weather.CurrentParams) (weather.Report, error) {
		<-release
		return weather.Report{}, nil
	}
	p := newPeer(t, weather.NewHandler(server), runtime.Options{MaxCalls: 1})
	defer p.end()
	p.send(request("1", "weather/current", "x"))
	p.send(request("2", "weather/current", "x"))
	p.expect(`{"jsonrpc":"2.0","id":2,"error":{"code":1002,"message":"try again later","data":{"limit":1}}}`)
	close(release)
	p.expect(`{"jsonrpc":"2.0","id":1,"result":{"city":"","degrees":0}}`)
}

func TestIDInFlight(t *testing.T) {
	server, release := office(), make(chan struct{})
	server.Current = func(context.Context, weather.CurrentParams) (weather.Report, error) {
		<-release
		return weather.Report{}, nil
	}
	p := newPeer(t, weather.NewHandler(server), runtime.Options{})
	defer p.end()
	p.send(request(`"a"`, "weather/current", "x"))
	p.send(request(`"a"`, "weather/current", "x"))
	p.expect(`{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"Invalid Request"}}`)
	close(release)
	p.expect(`{"jsonrpc":"2.0","id":"a","result":{"city":"","degrees":0}}`)
	p.send(`[` + request("1", "weather/current", "x") + `,` + `{"jsonrpc":"2.0","id":1,"method":"weather/ping"}]`)
	got, _ := p.conn.ReadFrame()
	if strings.Count(string(got), `"id":1`) != 2 {
		t.Errorf("got %s", got)
	}
}

// TestRequestsStartInOrder sends many requests whose handlers all run at the same time. The handler
// is entered in the order in which they were sent: for each request once the params of the one
// before are decoded. (The scheduler decides when the methods after that execute their first
// statements.)
func TestRequestsStartInOrder(t *testing.T) {
	const n = 200
	var running atomic.Int64
	all, release := make(chan struct{}), make(chan struct{})
	server := office()
	server.Current = func(context.Context, weather.CurrentParams) (weather.Report, error) {
		if running.Add(1) == n {
			close(all)
		}
		<-release
		return weather.Report{}, nil
	}
	h := &entered{Handler: weather.NewHandler(server)}
	p := newPeer(t, h, runtime.Options{})
	defer p.end()
	for i := range n {
		p.send(request(strconv.Itoa(i), "weather/current", "x"))
	}
	<-all
	close(release)
	for range n {
		p.conn.ReadFrame()
	}
	if !slices.IsSorted(h.ids) {
		t.Errorf("entered in the order %v", h.ids)
	}
}

// entered notes which calls it was entered with. It needs no lock: that is what it shows, to the race detector as well.
type entered struct {
	runtime.Handler
	ids []int64
}

func (e *entered) Handle(ctx context.Context, c *runtime.Call) {
	id, _ := c.ID().Int64()
	e.ids = append(e.ids, id)
	e.Handler.Handle(ctx, c)
}

func TestStrangeResponses(t *testing.T) {
	p := newPeer(t, weather.NewHandler(office()), runtime.Options{})
	defer p.end()
	client := weather.NewClient(p.s)
	tests := []struct{ response, want string }{
		{`{"jsonrpc":"2.0","id":1,"result":{"city":"x","degrees":1}}`, ""},
		{`{"jsonrpc":"2.0","id":2,"result":{"city":"x","degrees":1},"error":{"code":1,"message":"x"}}`, "both"},
		{`{"jsonrpc":"2.0","error":{"code":1,"message":"x"},"result":{"city":"x","degrees":1},"id":3}`, "both"},
		{`{"jsonrpc":"2.0","id":4,"result":{"city":7}}`, "does not fit the schema: /city"},
		{`{"jsonrpc":"2.0","id":5,"result":{"city":"x","degrees":-300}}`, "at least -273.15"},
		{`{"jsonrpc":"2.0","id":6,"error":{"code":"x","message":"x"}}`, "not a valid JSON-RPC"},
		{`{"jsonrpc":"2.0","id":7,"error":{"code":5,"message":"five","data":[1, 2]}}`, "five (code 5)"},
		{`{"jsonrpc":"2.0","id":8,"result":{"city":"x","degrees":1}`, "not JSON"},
		{`{"jsonrpc":"1.0","id":9,"result":{"city":"x","degrees":1}}`, "not a valid JSON-RPC 2.0 response"},
		{`{"id":10,"result":{"city":"x","degrees":1}}`, "not a valid JSON-RPC 2.0 response"},
		{`{"result":{"degrees":1,"city":"x"},"id":11,"jsonrpc":"2.0"}`, ""},
		{`[{"jsonrpc":"2.0","id":12,"result":{"degrees":1,"city":"x"}}]`, ""},
		{`{"jsonrpc":"2.0","id":13.0,"result":{"city":"x","degrees":1}}`, ""},
		{`[{"jsonrpc":"2.0","id":1.4e1,"result":{"city":"x","degrees":1}}]`, ""},
		{`{"jsonrpc":"2.0","id":15,"method":"m","result":{"city":"x","degrees":1}}`, "it holds a method"},
		{`{"jsonrpc":"2.0","id":16,"result":{"city":"x","degrees":1},"method":"m"}`, "it holds a method"},
		{`{"jsonrpc":"2.0","id":17,"method":"m","params":{},"result":{"city":"x","degrees":1}}`, "it holds a method"},
		{`{"jsonrpc":"2.0","id":18,"method":"weather/current","params":{"city":"x"},"error":{"code":1,"message":"x"}}`, "it holds a method"},
		{`{"method":"m","params":{},"result":1,"id":19,"jsonrpc":"2.0"}`, "it holds a method"},
		{`[{"jsonrpc":"2.0","id":20,"method":"m","params":{},"result":1}]`, "it holds a method"},
		{`{"jsonrpc":"2.0","id":21,"result":{"city":"x","degrees":1},"error":null}`, ""},
		{`{"error":null,"jsonrpc":"2.0","result":{"city":"x","degrees":1},"id":22}`, ""},
		{`{"jsonrpc":"2.0","id":23,"error":null}`, "not a valid JSON-RPC 2.0 response"},
		{`{"jsonrpc":"2.0","id":24,"error":null,"error":{"code":5,"message":"five"}}`, "not a valid JSON-RPC 2.0 response"},
		{`{"jsonrpc":"2.0","id":25,"error":{"code":5.0,"message":"five"}}`, "five (code 5)"},
		{`{"jsonrpc":"\u0032.0","id":26,"result":{"city":"x","degrees":1}}`, ""},
		{`{"jsonrpc":"2.00","id":27,"result":{"city":"x","degrees":1}}`, "not a valid JSON-RPC 2.0 response"},
	}
	for _, test := range tests {
		done := make(chan error, 1)
		go func() {
			_, err := client.Current(t.Context(), weather.CurrentParams{City: "x"})
			done <- err
		}()
		if _, err := p.conn.ReadFrame(); err != nil {
			t.Fatal(err)
		}
		p.send(`{"jsonrpc":"2.0","id":999,"result":1}`)
		p.send(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`)
		p.send(`{"jsonrpc":"2.0","id":"1","result":1}`)
		p.send(test.response)
		err := <-done
		if err == nil && test.want != "" || err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s\n  got %v\n  want %s", test.response, err, test.want)
		}
	}
}

func TestBatchThatIsNotAccepted(t *testing.T) {
	p := newPeer(t, nil, runtime.Options{})
	defer p.end()
	b := weather.NewClient(p.s).Batch()
	one, two := b.Current(weather.CurrentParams{City: "x"}, new(weather.Report)), b.Current(weather.CurrentParams{City: "y"}, nil)
	go func() {
		p.conn.ReadFrame()
		p.send(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}`)
	}()
	if err := b.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*gen.Pending{one, two} {
		if e, ok := errors.AsType[*runtime.Error](r.Err()); !ok || e.Message != "no batches" {
			t.Errorf("got %v", r.Err())
		}
	}
}

func TestClientBatchWithBadParams(t *testing.T) {
	p := newPeer(t, nil, runtime.Options{})
	defer p.end()
	b := weather.NewClient(p.s).Batch()
	good, bad := b.Current(weather.CurrentParams{City: "x"}, nil), b.Current(weather.CurrentParams{}, nil)
	if _, ok := errors.AsType[*runtime.ParamsError](b.Send(t.Context())); !ok {
		t.Error("it was sent")
	}
	if good.Err() == nil || bad.Err() == nil || b.Send(t.Context()) == nil {
		t.Error("no errors")
	}
}

func TestIDsEnd(t *testing.T) {
	p := newPeer(t, nil, runtime.Options{})
	defer p.end()
	if first, err := p.s.NextID(1<<60 - 10); first != 1 || err != nil {
		t.Fatal(first, err)
	}
	last := int64(0)
	for {
		id, err := p.s.NextID(1)
		if err != nil {
			if !errors.Is(err, runtime.ErrIDsExhausted) || last >= 1<<60 {
				t.Fatal(last, err)
			}
			break
		}
		if id <= last {
			t.Fatal("ids do not increase")
		}
		last = id
	}
	if err := weather.NewClient(p.s).Ping(t.Context()); !errors.Is(err, runtime.ErrIDsExhausted) {
		t.Fatal(err)
	}
	if err := p.s.Wait(); err != runtime.ErrIDsExhausted {
		t.Fatal("the session ends with", err)
	}
	if _, err := p.conn.ReadFrame(); err != frame.ErrClosed && err != io.EOF {
		t.Fatal("the connection is open:", err)
	}
}

func TestContextOfACall(t *testing.T) {
	type key struct{}
	server := office()
	server.Current = func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		return weather.Report{City: runtime.MethodFrom(ctx) + " " + runtime.RequestIDFrom(ctx).String() + " " + ctx.Value(key{}).(string)}, ctx.Err()
	}
	a, b := pipe.New(0)
	ctx := context.WithValue(t.Context(), key{}, "value")
	p := &peer{t, a, runtime.NewSession(ctx, b, weather.NewHandler(server), runtime.Options{Logger: quiet})}
	defer p.end()
	p.send(request(`"7"`, "weather/current", "x"))
	p.expect(`{"jsonrpc":"2.0","id":"7","result":{"city":"weather/current \"7\" value","degrees":0}}`)
	if runtime.PeerFrom(ctx) != nil || runtime.MethodFrom(ctx) != "" || !runtime.RequestIDFrom(ctx).IsZero() {
		t.Error("a context outside of a call has a method")
	}
}

func TestCancelOfOneCall(t *testing.T) {
	started := make(chan struct{})
	server := office()
	server.Current = func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		ctx, cancel := context.WithCancel(ctx) // a child ends with it
		defer cancel()
		close(started)
		<-ctx.Done()
		return weather.Report{}, context.Cause(ctx)
	}
	p := newPeer(t, weather.NewHandler(server), runtime.Options{})
	defer p.end()
	p.send(request("1", "weather/current", "x"))
	<-started
	if p.s.Cancel(wire.IntID(2), context.Canceled) || !p.s.Cancel(wire.IntID(1), context.Canceled) {
		t.Error("the wrong call")
	}
	p.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"Request cancelled"}}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"weather/ping"}`)
	p.expect(`{"jsonrpc":"2.0","id":1,"result":{}}`)
}

// cancelling is a handler whose notification cancel cancels the request 1 as soon as it may.
type cancelling struct {
	runtime.Handler
	may    chan struct{}
	cancel func() bool
	found  chan bool
}

func (h *cancelling) Handle(ctx context.Context, c *runtime.Call) {
	if c.Method() != "cancel" {
		h.Handler.Handle(ctx, c)
		return
	}
	<-h.may
	h.found <- h.cancel()
	c.ReturnEmpty()
}

// TestLateCancel: a notification that cancels a request which has been answered does not cancel the next request with that id, whichever is handled first.
func TestLateCancel(t *testing.T) {
	started, answer := make(chan struct{}), make(chan struct{})
	server := office()
	server.Current = func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		started <- struct{}{}
		select {
		case <-answer:
			return weather.Report{City: "x"}, nil
		case <-ctx.Done():
			return weather.Report{}, context.Cause(ctx)
		}
	}
	h := &cancelling{Handler: weather.NewHandler(server), may: make(chan struct{}), found: make(chan bool)}
	p := newPeer(t, h, runtime.Options{})
	defer p.end()
	h.cancel = func() bool { return p.s.Cancel(wire.IntID(1), context.Canceled) }
	p.send(request("1", "weather/current", "x"))
	<-started
	answer <- struct{}{}
	p.expect(`{"jsonrpc":"2.0","id":1,"result":{"city":"x","degrees":0}}`)
	p.send(`{"jsonrpc":"2.0","method":"cancel"}`)
	p.send(request("1", "weather/current", "x"))
	<-started
	h.may <- struct{}{}
	if <-h.found {
		t.Error("a request was cancelled by a notification that came before it")
	}
	p.send(`{"jsonrpc":"2.0","method":"cancel"}`)
	h.may <- struct{}{}
	if !<-h.found {
		t.Error("a request was not cancelled")
	}
	p.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"Request cancelled"}}`)
}

func TestConcurrentCloses(t *testing.T) {
	for range 50 {
		p := newPeer(t, weather.NewHandler(office()), runtime.Options{})
		var all sync.WaitGroup
		all.Go(func() { p.s.Close() })
		all.Go(func() { p.s.Shutdown(t.Context()) })
		all.Go(func() { p.conn.Close() })
		all.Go(func() { weather.NewClient(p.s).Ping(t.Context()) })
		all.Go(func() { p.conn.WriteFrame([]byte(request("1", "weather/current", "x"))) })
		all.Wait()
		p.s.Wait()
	}
}

// TestLateResponse: a response to a call that was given up is nothing to warn of; one to no call is.
func TestLateResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		p := newPeer(t, nil, runtime.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		if err := weather.NewClient(p.s).Ping(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		p.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		p.send(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		p.end()
		if text := log.String(); strings.Contains(text, "id=1") || !strings.Contains(text, "level=WARN") || !strings.Contains(text, "id=2") {
			t.Error(text)
		}
	})
}
