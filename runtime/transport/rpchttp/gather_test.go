package rpchttp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// front is a server that holds requests back until it is opened, and keeps their bodies.
type front struct {
	t      *testing.T
	conn   *Conn
	client *weather.Client
	log    bytes.Buffer
	open   chan struct{}
	ended  chan struct{} // receives when a request that is held back is cancelled
	serve  http.HandlerFunc

	mu     sync.Mutex
	bodies []string
}

// newFront returns a server with the service of office. A nil serve answers as [Handler] does.
func newFront(t *testing.T, o ClientOptions, serve http.HandlerFunc) *front {
	f := &front{t: t, open: make(chan struct{}), ended: make(chan struct{}, 8), serve: serve}
	if serve == nil {
		f.serve = NewHandler(weather.NewHandler(office()), Options{Runtime: runtime.Options{Logger: quiet}}).ServeHTTP
	}
	s := httptest.NewServer(f)
	if o.Gather == nil {
		o.Gather = func(string) bool { return true }
	}
	o.Logger = slog.New(slog.NewTextHandler(&f.log, nil))
	var err error
	if f.conn, err = Dial(s.URL, o); err != nil {
		t.Fatal(err)
	}
	f.client = weather.NewClient(f.conn)
	t.Cleanup(func() {
		f.conn.Close()
		s.Close()
	})
	return f
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		f.t.Error(err)
	}
	f.mu.Lock()
	f.bodies = append(f.bodies, string(body))
	f.mu.Unlock()
	select {
	case <-f.open:
	case <-r.Context().Done():
		f.ended <- struct{}{}
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	f.serve(w, r)
}

// posts returns the bodies of the POSTs that have arrived.
func (f *front) posts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.bodies
}

// called is a call that was begun.
type called struct {
	city string
	got  weather.Report
	err  error
	done chan struct{}
}

func (f *front) call(ctx context.Context, city string) *called {
	c := &called{city: city, done: make(chan struct{})}
	go func() {
		c.got, c.err = f.client.Current(ctx, weather.CurrentParams{City: city, Days: 1})
		close(c.done)
	}()
	return c
}

// good fails the test unless the calls get their own answers.
func (f *front) good(calls ...*called) {
	f.t.Helper()
	for _, c := range calls {
		if <-c.done; c.err != nil || c.got.City != c.city {
			f.t.Errorf("%s: %q, %v", c.city, c.got.City, c.err)
		}
	}
}

// busy begins two calls, each with a POST of its own, so that further calls wait.
func (f *front) busy() []*called {
	f.t.Helper()
	calls := []*called{f.call(f.t.Context(), "first"), f.call(f.t.Context(), "second")}
	f.arrive(2)
	return calls
}

// waiting begins a call that joins n-1 others.
func (f *front) waiting(ctx context.Context, city string, n int) *called {
	f.t.Helper()
	c := f.call(ctx, city)
	f.gathers(n)
	return c
}

// gathers waits until n calls wait in a group.
func (f *front) gathers(n int) {
	f.t.Helper()
	await.Until(f.t, fmt.Sprint(n, " calls wait"), func() bool {
		g := f.conn.gather
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.next != nil && len(g.next.calls) == n || g.next == nil && n == 0
	})
}

// arrive waits until n POSTs have arrived.
func (f *front) arrive(n int) {
	f.t.Helper()
	await.Until(f.t, fmt.Sprint(n, " POSTs arrive"), func() bool { return len(f.posts()) == n })
}

// returned waits until no POST is counted any more: a call is answered before its POST has returned.
func (f *front) returned() {
	f.t.Helper()
	await.Until(f.t, "all POSTs have returned", func() bool {
		f.conn.gather.mu.Lock()
		defer f.conn.gather.mu.Unlock()
		return f.conn.gather.posts == 0
	})
}

// elements returns the cities of the calls in a POST.
func elements(body string) []string {
	var cities []string
	for i, part := range strings.Split(body, `"city":"`) {
		if city, _, _ := strings.Cut(part, `"`); i > 0 {
			cities = append(cities, city)
		}
	}
	return cities
}

// TestGather: calls that wait share a POST, and each gets its own answer.
func TestGather(t *testing.T) {
	f := newFront(t, ClientOptions{}, nil)
	calls := f.busy()
	for i := range gatherCalls - 1 {
		calls = append(calls, f.waiting(t.Context(), "city "+strconv.Itoa(i), i+1))
	}
	if n := len(f.posts()); n != 2 {
		t.Errorf("%d POSTs, want 2 before one returns", n)
	}
	calls = append(calls, f.call(t.Context(), "the last one"))
	f.arrive(3) // a full batch does not wait
	if got := elements(f.posts()[2]); len(got) != gatherCalls {
		t.Errorf("%q in a batch, want %d calls", got, gatherCalls)
	}
	calls = append(calls, f.waiting(t.Context(), "alone", 1))
	close(f.open)
	f.good(calls...)
	if last := f.posts()[3]; last[0] != '{' {
		t.Errorf("a call that waited alone is sent as %s", last)
	}
	f.good(f.call(t.Context(), "later"))
	f.returned()
}

// TestGatherMany: 64 callers get their own answers and errors, with fewer POSTs than calls.
func TestGatherMany(t *testing.T) {
	const callers, each = 64, 50
	f := newFront(t, ClientOptions{}, nil)
	close(f.open)
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			for n := range each {
				city := fmt.Sprint("city ", caller, " ", n)
				if n%10 == 9 {
					city = "gone"
				}
				c := f.call(t.Context(), city)
				if n%10 != 9 {
					f.good(c)
					continue
				}
				<-c.done
				if e, ok := errors.AsType[*runtime.Error](c.err); !ok || e.Code != 7 {
					t.Errorf("%v, want the error with the code 7", c.err)
				}
			}
		})
	}
	group.Wait()
	if n := len(f.posts()); n > callers*each*3/4 {
		t.Errorf("%d POSTs for %d calls", n, callers*each)
	}
}

// TestGatherCancelled: a call whose context ends leaves the others alone, before and after they are sent.
func TestGatherCancelled(t *testing.T) {
	t.Run("waiting", func(t *testing.T) {
		f := newFront(t, ClientOptions{}, nil)
		calls := f.busy()
		ctx, cancel := context.WithCancel(t.Context())
		gone := f.waiting(ctx, "gives up", 1)
		calls = append(calls, f.waiting(t.Context(), "stays", 2))
		cancel()
		if <-gone.done; gone.err != context.Canceled {
			t.Errorf("%v, want %v", gone.err, context.Canceled)
		}
		f.gathers(1)
		close(f.open)
		f.good(calls...)
		if all := strings.Join(f.posts(), "\n"); strings.Contains(all, "gives up") {
			t.Errorf("a call that was given up is sent: %s", all)
		}
	})
	t.Run("waiting alone", func(t *testing.T) {
		f := newFront(t, ClientOptions{}, nil)
		calls := f.busy()
		ctx, cancel := context.WithCancel(t.Context())
		gone := f.waiting(ctx, "gives up", 1)
		cancel()
		<-gone.done
		f.gathers(0)
		close(f.open)
		f.good(calls...)
		if n := len(f.posts()); n != 2 {
			t.Errorf("%d POSTs, want 2", n)
		}
	})
	for _, all := range []bool{false, true} {
		t.Run(fmt.Sprintf("sent, all of them %t", all), func(t *testing.T) {
			f := newFront(t, ClientOptions{}, nil)
			calls := f.busy()
			ctx, cancel := context.WithCancel(t.Context())
			var gone []*called
			for i := range gatherCalls {
				if i == 0 && !all {
					calls = append(calls, f.waiting(t.Context(), "stays", 1))
					continue
				}
				gone = append(gone, f.call(ctx, "gives up"))
			}
			f.arrive(3)
			cancel()
			for _, c := range gone {
				if <-c.done; c.err != context.Canceled {
					t.Errorf("%v, want %v", c.err, context.Canceled)
				}
			}
			if all {
				<-f.ended // the request of a batch that no call waits for
			}
			close(f.open)
			f.good(calls...)
			if n := len(f.ended); n != 0 {
				t.Errorf("%d requests were cancelled", n)
			}
		})
	}
}

// TestGatherLimits: what takes long or is large is never gathered, and a batch is at most as large as one such call.
func TestGatherLimits(t *testing.T) {
	f := newFront(t, ClientOptions{Gather: func(method string) bool { return method == "weather/current" }}, nil)
	calls := f.busy()
	others := make(chan error)
	go func() { others <- f.client.Ping(t.Context()) }()
	f.arrive(3)
	send := func(id int64, size int) {
		const text = `{"jsonrpc":"2.0","id":%d,"method":"weather/current","params":{"city":%q}}`
		_, err := f.conn.Call(t.Context(), id, fmt.Appendf(nil, text, id, strings.Repeat("x", size)))
		others <- err
	}
	go send(1000, gatherBytes)
	f.arrive(4)
	calls = append(calls, f.waiting(t.Context(), "short", 1))
	go send(1001, gatherBytes-100)
	f.arrive(5) // what waited is sent without the call that there is no room for
	f.gathers(1)
	if got := elements(f.posts()[4]); len(got) != 1 || got[0] != "short" {
		t.Errorf("%.100q is sent, want the short call", got)
	}
	close(f.open)
	f.good(calls...)
	for range 3 {
		if err := <-others; err != nil {
			t.Error(err)
		}
	}
}

// TestGatherEnds: calls that wait fail with the connection, and at the timeout of the client.
func TestGatherEnds(t *testing.T) {
	f := newFront(t, ClientOptions{}, nil)
	calls := append(f.busy(), f.waiting(t.Context(), "waits", 1))
	f.conn.Close()
	for _, c := range calls {
		if <-c.done; !errors.Is(c.err, runtime.ErrClosed) {
			t.Errorf("%s: %v, want %v", c.city, c.err, runtime.ErrClosed)
		}
	}
	f = newFront(t, ClientOptions{CallTimeout: 50 * time.Millisecond}, nil)
	for _, city := range []string{"first", "second", "third"} {
		calls = append(calls, f.call(t.Context(), city))
	}
	for _, c := range calls[3:] {
		if <-c.done; c.err != context.DeadlineExceeded {
			t.Errorf("%s: %v, want %v", c.city, c.err, context.DeadlineExceeded)
		}
	}
}

// TestGatherRefused: calls of a batch that the server refuses are sent one by one, as are all later ones, and the log says so once.
func TestGatherRefused(t *testing.T) {
	answers := map[string]func(w http.ResponseWriter){
		"an error without an id": func(w http.ResponseWriter) {
			io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches here"}}`)
		},
		"a status": func(w http.ResponseWriter) { http.Error(w, "no batches here", http.StatusBadRequest) },
	}
	for name, refuse := range answers {
		t.Run(name, func(t *testing.T) {
			handler := NewHandler(weather.NewHandler(office()), Options{Runtime: runtime.Options{Logger: quiet}})
			slow := make(chan struct{})
			f := newFront(t, ClientOptions{}, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				switch city := elements(string(body))[0]; {
				case body[0] == '[':
					refuse(w)
					return
				case city == "first" || city == "second":
					<-slow
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				handler.ServeHTTP(w, r)
			})
			calls := f.busy()
			for i := range 2*gatherCalls - 1 { // one full batch, and one that waits
				calls = append(calls, f.call(t.Context(), "city "+strconv.Itoa(i)))
			}
			f.arrive(3)
			f.gathers(gatherCalls - 1)
			close(f.open)
			f.good(calls[2:]...) // also those that waited, while both of the first POSTs are under way
			close(slow)
			f.good(calls[:2]...)
			f.returned()
			before := len(f.posts())
			for i := range 3 {
				calls = append(calls, f.call(t.Context(), "later "+strconv.Itoa(i)))
			}
			f.good(calls...)
			for _, body := range f.posts()[before:] {
				if body[0] == '[' {
					t.Errorf("a batch is sent after one was refused: %s", body)
				}
			}
			if log := f.log.String(); strings.Count(log, "refuses batches") != 1 || !strings.Contains(log, "no batches here") {
				t.Errorf("log %q", log)
			}
		})
	}
}

// TestGatherParts: calls whose answers the server leaves out fail, and those of a POST that fails; the others do not.
func TestGatherParts(t *testing.T) {
	whole := NewHandler(weather.NewHandler(office()), Options{Runtime: runtime.Options{Logger: quiet}})
	fail := false
	f := newFront(t, ClientOptions{}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if body[0] == '[' && fail {
			http.Error(w, "try again", http.StatusBadGateway)
			return
		}
		if body[0] == '[' { // answered in another order, without the call that asks for it, and with an answer to no call
			parts := strings.SplitAfter(strings.Trim(string(body), "[]"), "}},")
			var kept []string
			for _, part := range parts {
				if !strings.Contains(part, "forgotten") {
					kept = append([]string{strings.TrimSuffix(part, ",")}, kept...)
				}
			}
			kept = append(kept, `{"jsonrpc":"2.0","id":123456,"method":"weather/ping"}`)
			body = []byte("[" + strings.Join(kept, ",") + "]")
			r.ContentLength = int64(len(body))
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		whole.ServeHTTP(w, r)
	})
	calls := f.busy()
	calls = append(calls, f.waiting(t.Context(), "one", 1))
	forgotten := f.waiting(t.Context(), "forgotten", 2)
	calls = append(calls, f.waiting(t.Context(), "two", 3))
	close(f.open)
	f.good(calls...)
	<-forgotten.done
	if e, ok := errors.AsType[*runtime.ResponseError](forgotten.err); !ok || e.Method != "weather/current" {
		t.Errorf("%v, want a ResponseError that names the method", forgotten.err)
	}

	fail, f.open, f.bodies = true, make(chan struct{}), nil
	calls = f.busy()
	failed := []*called{f.waiting(t.Context(), "one", 1), f.waiting(t.Context(), "two", 2)}
	close(f.open)
	f.good(calls...)
	for _, c := range failed {
		<-c.done
		if e, ok := errors.AsType[*StatusError](c.err); !ok || e.Status != http.StatusBadGateway {
			t.Errorf("%s: %v, want a StatusError", c.city, c.err)
		}
	}
	f.good(f.call(t.Context(), "later"))
}

// TestGatherTokens: calls with different tokens never share a POST, and one that has no token fails alone.
func TestGatherTokens(t *testing.T) {
	type user struct{}
	as := func(name string) context.Context { return context.WithValue(t.Context(), user{}, name) }
	handler := NewHandler(weather.NewHandler(office()), Options{Runtime: runtime.Options{Logger: quiet}})
	o := ClientOptions{
		Header: http.Header{"X-Kept": {"kept"}},
		Token: func(ctx context.Context) (string, error) {
			name, _ := ctx.Value(user{}).(string)
			if name == "stranger" {
				return "", errors.New("no token for strangers")
			}
			return name, nil
		},
	}
	f := newFront(t, o, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		name := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		for _, city := range elements(string(body)) {
			if !strings.HasPrefix(city, name) || r.Header.Get("X-Kept") != "kept" {
				t.Errorf("%s is sent with the token of %q and the header %q", city, name, r.Header.Get("X-Kept"))
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	})
	calls := f.busy()
	calls = append(calls, f.waiting(as("ann"), "ann in Rome", 1), f.waiting(as("ann"), "ann in Oslo", 2))
	stranger := f.call(as("stranger"), "stranger in Rome")
	if <-stranger.done; stranger.err == nil || !strings.Contains(stranger.err.Error(), "no token for strangers") {
		t.Errorf("%v, want the error of Token", stranger.err)
	}
	calls = append(calls, f.call(as("bob"), "bob in Rome"))
	f.arrive(3) // those of ann do not wait for more of hers
	f.gathers(1)
	if got := elements(f.posts()[2]); len(got) != 2 {
		t.Errorf("%q in a POST, want both of ann", got)
	}
	close(f.open)
	f.good(calls...)
}
