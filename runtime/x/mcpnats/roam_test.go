package mcpnats

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// replica is a server that is connected to the others over NATS.
type replica struct {
	nc      *nats.Conn
	server  *mcp.Server
	handler *mcphttp.Handler
}

// fleet is replicas after a balancer that sends requests to each of them in turn.
type fleet struct {
	site *site
	o    Options // of the backplanes
	http *httptest.Server
	turn atomic.Uint64

	mu  sync.Mutex
	all []*replica
}

// newFleet starts replicas, whose backplanes have options if some are given.
func newFleet(t testing.TB, size int, o ...Options) *fleet {
	f := &fleet{site: newSite(t)}
	if len(o) > 0 {
		f.o = o[0]
	}
	f.o.Logger, f.o.interval = quiet, 500*time.Millisecond
	for range size {
		f.add()
	}
	f.http = httptest.NewServer(f)
	t.Cleanup(func() {
		f.http.CloseClientConnections()
		f.http.Close()
	})
	return f
}

// add starts a replica, whose connection to NATS has options.
func (f *fleet) add(o ...nats.Option) *replica {
	r := &replica{nc: f.site.connect(o...)}
	b, err := New(within(f.site.t), r.nc, f.o)
	if err != nil {
		f.site.t.Fatal(err)
	}
	r.server = mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: quiet, StateKeys: [][]byte{[]byte("a key of tests")}})
	r.handler = mcphttp.NewHandler(r.server, mcphttp.Options{Replicas: mcpcluster.New(b), Runtime: runtime.Options{Logger: quiet}, Retry: 10 * time.Millisecond})
	f.site.t.Cleanup(func() {
		r.handler.Close()
		r.server.Close()
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, r)
	return r
}

// kill ends the first replica as if its process was killed.
func (f *fleet) kill() {
	f.mu.Lock()
	r := f.all[0]
	f.all = f.all[1:]
	f.mu.Unlock()
	r.nc.Close()
	http.DefaultClient.CloseIdleConnections() // so that clients send no call on one of these, whose end they have not noticed
	f.http.CloseClientConnections()
}

func (f *fleet) next() *replica {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.all[f.turn.Add(1)%uint64(len(f.all))]
}

func (f *fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.next().handler.ServeHTTP(w, r) }

// connect returns a client of an era that reports the resources that change.
func (f *fleet) connect(t *testing.T, era mcp.Era) (*mcpclient.Client, <-chan string) {
	t.Helper()
	updated := make(chan string, 100)
	o := mcphttp.ClientOptions{HTTP: http.DefaultClient, Runtime: runtime.Options{Logger: quiet}, Reconnects: 50} // the client of HTTP is that of kill
	c, err := mcpclient.Connect(context.Background(), mcphttp.Dial(f.http.URL, o), mcpclient.Options{
		Logger: quiet, Era: era,
		OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
			time.Sleep(10 * time.Millisecond)
			return mcpclient.AcceptForm(wire.Appender(name(customer)))
		},
		OnResourceUpdated: func(_ context.Context, uri string) { updated <- uri },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, updated
}

// customer is who orders. It is long, so that texts that are sealed do not have it by chance.
const customer = "Ann of the long name"

type name string

func (n name) AppendJSON(b []byte) []byte {
	return append(wire.AppendString(append(b, `{"name":`...), string(n)), '}')
}

// order places an order, which asks the user.
func order(c *mcpclient.Client) error {
	arguments, err := wire.ParseRaw([]byte(`{"sku":"A-1"}`))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	result, err := c.CallTool(ctx, "place_order", arguments)
	if err != nil {
		return err
	}
	if text, _ := wire.Marshal(&result); !strings.Contains(string(text), `"orderedBy":"`+customer+`"`) {
		return errors.New(string(text))
	}
	return nil
}

// TestRoam: clients of both eras call, answer questions and hear of changes through a balancer, while replicas are killed and started.
func TestRoam(t *testing.T) {
	for name, era := range map[string]mcp.Era{"handshake": mcp.Handshake, "stateless": mcp.Stateless} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, 3)
			c, updated := f.connect(t, era)
			sub, err := c.Listen(t.Context(), mcpclient.Changes{URIs: []string{"shop://catalogue"}})
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Close()
			for range 3 {
				for range 6 {
					if err := order(c); err != nil {
						t.Fatal(err)
					}
				}
				if era == mcp.Handshake {
					f.kill()
					f.add()
				}
				hears(t, f, updated)
			}
			if era != mcp.Handshake {
				return
			}
			c.Close()
			b := f.site.backplane(Options{})
			await.Until(t, "no record is left", func() bool {
				n, err := b.Records(within(t))
				return err == nil && n == 0
			})
		})
	}
}

// hears changes a resource at any replica until the client hears of it: a stream that was cut is resumed first.
func hears(t *testing.T, f *fleet, updated <-chan string) {
	t.Helper()
	await.Until(t, "the client hears of a change", func() bool {
		f.next().server.ResourceUpdated("shop://catalogue")
		select {
		case uri := <-updated:
			if uri != "shop://catalogue" {
				t.Errorf("got %q", uri)
			}
			return true
		case <-time.After(100 * time.Millisecond):
			return false
		}
	})
}

// road is a way to NATS, which may be closed, or lose what is sent on it.
type road struct {
	closed, loses atomic.Bool
	lost          journal
}

// Dial implements [nats.CustomDialer].
func (r *road) Dial(network, address string) (net.Conn, error) {
	if r.closed.Load() {
		return nil, errors.New("closed")
	}
	conn, err := net.Dial(network, address)
	return &traveller{conn, r}, err
}

// traveller is a connection on a road.
type traveller struct {
	net.Conn
	r *road
}

func (c *traveller) Write(p []byte) (int, error) {
	if c.r.loses.Load() {
		return c.r.lost.Write(p)
	}
	return c.Conn.Write(p)
}

// TestPartLost: a part that is lost on the way ends the answer, also if none follows it: the replica that answers may wait for what the client says to it.
func TestPartLost(t *testing.T) {
	s := newSite(t)
	var way road
	o := Options{Logger: quiet, interval: 100 * time.Millisecond} // the replica that asks waits far longer for a sign of life
	home, err := New(within(t), s.connect(nats.SetCustomDialer(&way)), o)
	if err != nil {
		t.Fatal(err)
	}
	leave, err := home.Join(mcpcluster.Replica{
		Name: "home", Heard: func([]byte) {}, Missed: func() {},
		Answer: func(ctx context.Context, _ []byte, send func([]byte, bool) error) {
			for _, part := range []string{"one", "two"} {
				if err := send([]byte(part), false); err != nil {
					t.Error(err)
				}
			}
			time.Sleep(5 * o.interval) // in which only reports are sent
			way.loses.Store(true)
			if err := send([]byte("three"), false); err != nil {
				t.Error(err)
			}
			await.Until(t, "the part is lost", func() bool { return strings.Contains(way.lost.String(), "three") })
			way.loses.Store(false)
			<-ctx.Done()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	var got []string
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err = s.backplane(Options{interval: patience}).Ask(ctx, "home", nil, func(part []byte) error {
		got = append(got, string(part))
		return nil
	})
	if !errors.Is(err, mcpcluster.ErrLost) || strings.Join(got, " ") != "one two" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestGoneLost: a replica whose answer is not read any more learns it, also if what said so first was lost.
func TestGoneLost(t *testing.T) {
	s := newSite(t)
	var way road
	o := Options{Logger: quiet, interval: 100 * time.Millisecond}
	asks, err := New(within(t), s.connect(nats.SetCustomDialer(&way)), Options{Logger: quiet, interval: patience})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	leave, err := s.backplane(o).Join(mcpcluster.Replica{
		Name: "home", Heard: func([]byte) {}, Missed: func() {},
		Answer: func(of context.Context, _ []byte, _ func([]byte, bool) error) {
			way.loses.Store(true)
			cancel()
			<-of.Done()
			close(ended)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	if err := asks.Ask(ctx, "home", nil, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	await.Until(t, "the message is lost", func() bool { return strings.Contains(way.lost.String(), ".gone.") })
	way.loses.Store(false)
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the replica answers on")
	}
}

// watched calls its function with each response that a client gets.
type watched func(r *http.Response)

func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		w(resp)
	}
	return resp, err
}

// TestAnswerWhileAway: NATS restarts while a client is asked, and the replica that asks comes back to NATS after the one that gets the answer. If that takes
// no longer than it usually takes, the session stays where it is, and the client sends the answer again; otherwise the session moves, and the call fails.
// The first case ends the absence at once, and would wait for a minute; the second one ends it when the answer was taken elsewhere.
func TestAnswerWhileAway(t *testing.T) {
	for title, tt := range map[string]struct {
		usual time.Duration
		want  string
	}{"shortly": {time.Minute, ""}, "until the session has moved": {500 * time.Millisecond, "The tool failed"}} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, 0)
			f.o.interval = tt.usual
			var way road
			var refused atomic.Bool
			f.add(nats.SetCustomDialer(&way))
			client := &http.Client{Transport: watched(func(r *http.Response) {
				switch taken := r.StatusCode < http.StatusInternalServerError; {
				case !way.closed.Load() || r.Request.Method != http.MethodPost:
				case taken == (tt.want != ""): // it is taken where the session is now, or refused until the replica is back
					refused.Store(!taken)
					way.closed.Store(false)
				}
			})}
			c, err := mcpclient.Connect(t.Context(), mcphttp.Dial(f.http.URL, mcphttp.ClientOptions{HTTP: client, Runtime: runtime.Options{Logger: quiet}, Reconnects: 50}), mcpclient.Options{
				Logger: quiet, Era: mcp.Handshake,
				OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
					f.mu.Lock()
					f.all = nil
					f.mu.Unlock()
					other := f.add()
					way.closed.Store(true)
					f.site.stop()
					f.site.start()
					await.Until(t, "NATS is back", func() bool { return other.nc.Status() == nats.CONNECTED })
					return mcpclient.AcceptForm(wire.Appender(name(customer)))
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := order(c); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
			if tt.want == "" && !refused.Load() {
				t.Error("the answer was taken while the replica was away")
			}
			if err := order(c); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestResponseTooLarge: an answer of a client that is too large for NATS is refused for good, and not as if it could be told later.
func TestResponseTooLarge(t *testing.T) {
	f := newFleet(t, 2)
	a, b := f.all[0], f.all[1]
	session := post(a.handler, "", hello("n")).Header().Get("Mcp-Session-Id")
	go a.handler.Close()
	await.Until(t, "the session moves", func() bool { return post(b.handler, session, search("x")).Code == http.StatusOK })
	for size, want := range map[int]int{10: http.StatusAccepted, 700 << 10: http.StatusAccepted, 800 << 10: http.StatusRequestEntityTooLarge, 2 << 20: http.StatusRequestEntityTooLarge} {
		if w := post(b.handler, session, `{"jsonrpc":"2.0","id":1,"result":{"text":"`+strings.Repeat("x", size)+`"}}`); w.Code != want {
			t.Errorf("%d bytes: %d %s", size, w.Code, w.Body)
		}
	}
}
