package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
	"github.com/rpcgen-go/rpcgen/test/await"
	"github.com/rpcgen-go/rpcgen/test/streams/rpc"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// store is a Store without bounds.
type store struct {
	mu  sync.Mutex
	all map[string]stored
}

type stored struct {
	value []byte
	until time.Time
}

func (s *store) Get(key string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.all[key]
	return one.value, ok && time.Now().Before(one.until)
}

func (s *store) Set(key string, value []byte, ttl time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = make(map[string]stored)
	}
	s.all[key] = stored{value, time.Now().Add(ttl)}
}

// counter answers with the number of its calls, and with an error to the method bad.
type counter struct {
	calls atomic.Int64
	serve func(ctx context.Context) error
}

func (h *counter) Handle(ctx context.Context, c *runtime.Call) {
	for c.OptionalParams("") {
		c.Reader().Raw()
	}
	if c.Answered() {
		return
	}
	n := h.calls.Add(1)
	if h.serve != nil {
		if err := h.serve(ctx); err != nil {
			c.Fail(err)
			return
		}
	}
	if c.Method() == "bad" {
		c.Fail(errors.New("as asked"))
		return
	}
	c.Return(wire.AppendInt(c.Result(), n))
}

func (*counter) Protocol() runtime.Protocol        { return runtime.Plain }
func (*counter) Hooks() runtime.Hooks              { return runtime.Hooks{} }
func (*counter) Condition(runtime.Condition) error { return nil }

func served(h runtime.Handler, o cache.Options) (*runtime.Dispatcher, *cache.Cache) {
	c := cache.New(new(store), o)
	return runtime.NewDispatcher(h, runtime.Options{Middleware: []runtime.Middleware{c.Middleware}, Logger: quiet}), c
}

// TestResults shows which calls get a result that is kept.
func TestResults(t *testing.T) {
	options := cache.Options{MaxValue: 10, Methods: map[string]cache.Rule{
		"all":  {TTL: time.Minute, Scope: cache.Public},
		"keys": {TTL: time.Minute, Scope: cache.Public, Keys: []string{"a", "b"}},
		"none": {TTL: time.Minute, Scope: cache.Public, Keys: []string{}},
		"own":  {TTL: time.Minute},
		"bad":  {TTL: time.Minute, Scope: cache.Public},
		"off":  {},
	}}
	type step struct {
		after     time.Duration
		principal string
		method    string
		params    string
		want      string
	}
	for name, steps := range map[string][]step{
		"equal params": {{method: "all", params: `{"x":1}`, want: "1"}, {method: "all", params: `{"x":1}`, want: "1"}, {method: "all", params: `{"x":2}`, want: "2"}, {method: "all", want: "3"}, {method: "all", want: "3"}},
		"time":         {{method: "all", want: "1"}, {after: 59 * time.Second, method: "all", want: "1"}, {after: time.Second, method: "all", want: "2"}},
		"public":       {{method: "all", principal: "ann", want: "1"}, {method: "all", principal: "bob", want: "1"}, {method: "all", want: "1"}},
		"private":      {{method: "own", principal: "ann", want: "1"}, {method: "own", principal: "ann", want: "1"}, {method: "own", principal: "bob", want: "2"}, {method: "own", want: "3"}, {method: "own", want: "4"}},
		"keys": {{method: "keys", params: `{"a":1,"b":2,"c":3}`, want: "1"}, {method: "keys", params: `{"c":4,"b":2,"a":1}`, want: "1"}, {method: "keys", params: `{"a":12,"c":3}`, want: "2"},
			{method: "keys", params: `{"b":12,"c":3}`, want: "3"}, {method: "keys", params: `{"a":1,"b":"2"}`, want: "4"}},
		"positional": {{method: "keys", params: `["ann"]`, want: "1"}, {method: "keys", params: `["bob"]`, want: "2"}, {method: "keys", params: `["bob"]`, want: "3"}, {method: "keys", params: `[{"a":1}]`, want: "4"},
			{method: "none", params: `[]`, want: "5"}, {method: "none", params: `[1]`, want: "6"}, {method: "all", params: `["ann"]`, want: "7"}, {method: "all", params: `["bob"]`, want: "8"}, {method: "all", params: `["ann"]`, want: "7"}},
		"twice": {{method: "keys", params: `{"a":1}`, want: "1"}, {method: "keys", params: `{"a":1,"a":2}`, want: "-32602"}, {method: "keys", params: `{"a":2}`, want: "2"}, {method: "keys", params: `{"a":2,"\u0061":1}`, want: "-32602"},
			{method: "keys", params: `{"a":{"x":1,"x":2}}`, want: "-32602"}, {method: "none", params: `{"c":1,"c":1}`, want: "-32602"}, {method: "all", params: `{"c":1,"c":1}`, want: "-32602"}, {method: "all", params: `{"c":1,"c":1}`, want: "-32602"}},
		"no keys":    {{method: "none", params: `{"a":1}`, want: "1"}, {method: "none", params: `{"a":2}`, want: "1"}},
		"errors":     {{method: "bad", want: "-32603"}, {method: "bad", want: "-32603"}, {method: "all", want: "3"}},
		"no rule":    {{method: "off", want: "1"}, {method: "off", want: "2"}, {method: "other", want: "3"}},
		"bad params": {{method: "none", want: "1"}, {method: "none", params: `{"a":}`, want: "-32700"}, {method: "none", want: "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, _ := served(new(counter), options)
				for i, s := range steps {
					time.Sleep(s.after)
					msg := `{"jsonrpc":"2.0","id":` + strconv.Itoa(i) + `,"method":"` + s.method + `"`
					if s.params != "" {
						msg += `,"params":` + s.params
					}
					answer := string(d.Dispatch(principal.With(t.Context(), s.principal), nil, []byte(msg+"}")))
					if !strings.Contains(answer, `"result":`+s.want+"}") && !strings.Contains(answer, `"code":`+s.want+",") {
						t.Errorf("step %d is answered %s, not %s", i, answer, s.want)
					}
					if !strings.Contains(answer, `"id":`+strconv.Itoa(i)) && s.want != "-32700" {
						t.Errorf("step %d has another id: %s", i, answer)
					}
				}
			})
		})
	}
}

// clients are sessions with a handler that may call its client.
type clients struct {
	t      *testing.T
	kept   *cache.Cache
	server *weather.Server
}

// connect returns a client that answers the ping of the server by answer.
func (c *clients) connect(answer func(ctx context.Context) error) *weather.Client {
	near, far := pipe.New(0)
	server := runtime.NewSession(context.Background(), far, weather.NewHandler(c.server), runtime.Options{Middleware: []runtime.Middleware{c.kept.Middleware}, Logger: quiet})
	client := runtime.NewSession(context.Background(), near, weather.NewHandler(&weather.Server{Way: runtime.Plain, Ping: answer}), runtime.Options{Logger: quiet})
	c.t.Cleanup(func() {
		client.Close()
		server.Close()
		server.Wait()
		client.Wait()
	})
	return weather.NewClient(client)
}

// TestCallbacks: a result for which the handler has asked its client is for that client only, and calls of others do not wait for that
// client.
func TestCallbacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handled := 0
		c := &clients{t: t, kept: cache.New(new(store), cache.Options{Methods: map[string]cache.Rule{weather.MethodCurrent: {TTL: time.Hour, Scope: cache.Public}}})}
		c.server = &weather.Server{Way: runtime.Plain, Current: func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
			handled++
			return weather.Report{City: strconv.Itoa(handled)}, weather.NewClient(runtime.PeerFrom(ctx)).Ping(ctx)
		}}
		forever := make(chan struct{})
		var mallory sync.WaitGroup
		silent := c.connect(func(context.Context) error { <-forever; return nil })
		mallory.Go(func() { silent.Current(t.Context(), weather.CurrentParams{City: "Paris"}) })
		synctest.Wait()
		for i := range 3 {
			client := c.connect(func(context.Context) error { return nil })
			begun := time.Now()
			report, err := client.Current(t.Context(), weather.CurrentParams{City: "Paris"})
			if err != nil || report.City != strconv.Itoa(i+2) || time.Since(begun) > 0 {
				t.Errorf("%d: %v %v after %v", i, report, err, time.Since(begun))
			}
		}
		close(forever)
		mallory.Wait()
	})
}

// hears answers by what its peer says in a stream, or with one.
type hears struct {
	rpc.UnimplementedServer
	handled atomic.Int64
}

func (h *hears) Count(ctx context.Context) (r rpc.CountResult, err error) {
	for _, err = range rpc.NewCallbackClient(runtime.PeerFrom(ctx)).Echo(ctx) {
		break
	}
	return rpc.CountResult{N: uint64(h.handled.Add(1))}, err
}

func (h *hears) Changes(ctx context.Context, out rpc.ChangesStream) error {
	h.handled.Add(1)
	return out.Send(ctx, &rpc.Added{Name: "a"})
}

type says struct{}

func (says) Echo(ctx context.Context, out rpc.EchoStream) error { return out.Send(ctx, "a") }

// TestStreams: nothing is kept of a stream, nor a result for which the handler has read a stream of its client.
func TestStreams(t *testing.T) {
	kept := cache.New(new(store), cache.Options{Methods: map[string]cache.Rule{
		rpc.MethodCount: {TTL: time.Hour, Scope: cache.Public}, rpc.MethodChanges: {TTL: time.Hour, Scope: cache.Public},
	}})
	near, far := pipe.New(0)
	server := runtime.NewSession(t.Context(), far, rpc.NewHandler(new(hears)), runtime.Options{Middleware: []runtime.Middleware{kept.Middleware}, Logger: quiet})
	client := runtime.NewSession(t.Context(), near, rpc.NewCallbackHandler(says{}), runtime.Options{Logger: quiet})
	for n := range uint64(2) {
		if r, err := rpc.NewClient(client).Count(t.Context()); err != nil || r.N != n+1 {
			t.Error(r, err)
		}
	}
	for range 2 {
		items := 0
		for _, err := range rpc.NewClient(client).Changes(t.Context()) {
			if items++; err != nil {
				t.Error(err)
			}
		}
		if items != 1 {
			t.Error(items, "items")
		}
	}
	client.Close()
	client.Wait()
	server.Wait()
	web := httptest.NewServer(rpchttp.NewHandler(rpc.NewHandler(new(hears)), rpchttp.Options{Runtime: runtime.Options{Middleware: []runtime.Middleware{kept.Middleware}}}))
	defer web.Close()
	conn, err := rpchttp.Dial(web.URL, rpchttp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range 2 {
		items := 0
		for _, err := range rpc.NewClient(conn).Changes(t.Context()) {
			if items++; err != nil {
				t.Error("over HTTP", err)
			}
		}
		if items != 1 {
			t.Error(items, "items over HTTP")
		}
	}
}

// TestPatience: a call waits for an equal one as long as calls of the method take, and is then made itself.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(counter)
		takes := make(chan time.Duration, 1)
		h.serve = func(context.Context) error {
			select {
			case d := <-takes:
				time.Sleep(d)
			default:
			}
			return nil
		}
		d, _ := served(h, cache.Options{Methods: map[string]cache.Rule{"a": {TTL: time.Hour, Scope: cache.Public}}})
		call := func(n int) {
			d.Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"a","params":[`+strconv.Itoa(n)+`]}`))
		}
		// The first call of each pair takes its time, the other one has to wait, at most the third one.
		for i, c := range []struct{ takes, waits time.Duration }{
			{time.Hour, time.Second}, {3 * time.Second / 4, 3 * time.Second / 4}, {4 * time.Second, 3 * time.Second / 2}, {7 * time.Second, 7 * time.Second},
			{time.Minute, 14 * time.Second}, {time.Minute, 30 * time.Second},
		} {
			var slow sync.WaitGroup
			takes <- c.takes
			slow.Go(func() { call(i) })
			synctest.Wait()
			begun := time.Now()
			call(i)
			if waited := time.Since(begun); waited != c.waits {
				t.Errorf("%d: it waited for %v, not %v", i, waited, c.waits)
			}
			slow.Wait()
		}
	})
}

// TestInvalidate drops results, also of a call that is being made.
func TestInvalidate(t *testing.T) {
	h := new(counter)
	d, c := served(h, cache.Options{Methods: map[string]cache.Rule{"a": {TTL: time.Hour, Scope: cache.Public}}})
	call := func() string {
		return string(d.Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"a"}`)))
	}
	expect := func(want string) {
		t.Helper()
		if got := call(); !strings.HasSuffix(got, `"result":`+want+"}") {
			t.Errorf("%s, not %s", got, want)
		}
	}
	expect("1")
	expect("1")
	c.InvalidateMethod("unknown")
	expect("1")
	c.InvalidateMethod("a")
	expect("2")
	expect("2")
	h.serve = func(context.Context) error {
		c.InvalidateMethod("a")
		return nil
	}
	c.InvalidateMethod("a")
	expect("3")
	h.serve = nil
	expect("4") // not the result from before the invalidation
	if hits, misses := c.Stats(); hits != 3 || misses != 4 {
		t.Error(hits, "hits,", misses, "misses")
	}
}

// TestMaxValue: large results are not kept.
func TestMaxValue(t *testing.T) {
	h := new(counter)
	h.calls.Store(99)
	d, _ := served(h, cache.Options{MaxValue: 2, Methods: map[string]cache.Rule{"a": {TTL: time.Hour, Scope: cache.Public}}})
	for range 2 {
		d.Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"a"}`))
	}
	if h.calls.Load() != 101 {
		t.Error("a result of three bytes is kept")
	}
}

// nowhere is a store that has nothing and keeps nothing.
type nowhere struct{}

func (nowhere) Get(string) ([]byte, bool)         { return nil, false }
func (nowhere) Set(string, []byte, time.Duration) {}

// TestAnswersOfStores: a store has a result or has none. What other stores answer when they have found nothing, refuse, are away, lag, are full or are lost is
// all the same here: the call is made, and costs no more than without a cache.
func TestAnswersOfStores(t *testing.T) {
	h := new(counter)
	c := cache.New(nowhere{}, cache.Options{Methods: map[string]cache.Rule{"a": {TTL: time.Hour, Scope: cache.Public}}})
	d := runtime.NewDispatcher(h, runtime.Options{Middleware: []runtime.Middleware{c.Middleware}, Logger: quiet})
	for i := range 3 {
		got := d.Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"a"}`))
		if want := fmt.Sprintf(`"result":%d}`, i+1); !strings.Contains(string(got), want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestFlights: of equal calls at the same time one is made. When it fails or panics, the others are made.
func TestFlights(t *testing.T) {
	for name, test := range map[string]struct {
		first func() error
		calls int64
	}{
		"result": {func() error { return nil }, 1},
		"error":  {func() error { return errors.New("as asked") }, 10},
		"panic":  {func() error { panic("as asked") }, 10},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := new(counter)
				var first atomic.Bool
				h.serve = func(context.Context) error {
					time.Sleep(time.Second / 2)
					if first.CompareAndSwap(false, true) {
						return test.first()
					}
					return nil
				}
				d, _ := served(h, cache.Options{Methods: map[string]cache.Rule{"a": {TTL: time.Hour, Scope: cache.Public}}})
				var callers sync.WaitGroup
				var results atomic.Int64
				for range 10 {
					callers.Go(func() {
						if strings.Contains(string(d.Dispatch(t.Context(), nil, []byte(`{"jsonrpc":"2.0","id":1,"method":"a"}`))), "result") {
							results.Add(1)
						}
					})
				}
				callers.Wait()
				failed := int64(0)
				if test.calls > 1 {
					failed = 1
				}
				if h.calls.Load() != test.calls || results.Load() != 10-failed {
					t.Error(h.calls.Load(), "calls,", results.Load(), "results")
				}
			})
		})
	}
}

// TestWaiting: a call that waits for another one ends with its context, and its session reads on meanwhile.
func TestWaiting(t *testing.T) {
	h := new(counter)
	begun, release := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	h.serve = func(context.Context) error {
		if first.CompareAndSwap(false, true) {
			close(begun)
			<-release
		}
		return nil
	}
	c := cache.New(new(store), cache.Options{Methods: map[string]cache.Rule{"slow": {TTL: time.Hour, Scope: cache.Public}}})
	a, b := pipe.New(0)
	server := runtime.NewSession(t.Context(), a, h, runtime.Options{Middleware: []runtime.Middleware{c.Middleware}, Logger: quiet})
	send := func(id int, method string) {
		if err := b.WriteFrame([]byte(`{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"` + method + `"}`)); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want string) {
		if frame, err := b.ReadFrame(); err != nil || !strings.Contains(string(frame), want) {
			t.Error(string(frame), err, "not", want)
		}
	}
	send(1, "slow")
	<-begun
	send(2, "slow")
	send(3, "ping")
	expect(`"id":3,"result":`)
	await.Until(t, "the second call runs", func() bool { return server.Cancel(wire.IntID(2), context.Canceled) })
	expect(`"id":2,"error":`)
	close(release)
	expect(`"id":1,"result":`)
	b.Close()
	server.Wait()
}
