package backend_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
)

func TestMain(m *testing.M) { leak.Main(m) }

var (
	get    = backend.Call{Tool: "get", Method: "GET", Path: "/a"}
	post   = backend.Call{Tool: "post", Method: "POST", Path: "/a", Object: true}
	keyed  = backend.Call{Tool: "keyed", Method: "POST", Path: "/a", RetryKey: "Idempotency-Key"}
	bearer = backend.API{Name: "api", Schemes: []backend.Scheme{{Name: "token", Kind: "bearer"}}, Auth: [][]string{{"token"}}}
	open   = backend.API{Name: "api"}
)

// serve returns a client of an API that handle answers.
func serve(t *testing.T, api backend.API, o backend.Options, handle http.HandlerFunc) *backend.Client {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	o.Server, o.Logger = s.URL, slog.New(slog.DiscardHandler)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	if o.Transport == nil {
		o.Transport = transport
	}
	c, err := backend.New(&api, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// skip reads an output of any form.
func skip(r *wire.Reader) { r.Skip() }

// TestRetries sends again what is safe to send again.
func TestRetries(t *testing.T) {
	for _, test := range []struct {
		name  string
		call  *backend.Call
		fail  func(w http.ResponseWriter)
		calls int32
		wrong bool
	}{
		{"503 of a get", &get, func(w http.ResponseWriter) { w.WriteHeader(503) }, 3, false},
		{"503 of a post", &post, func(w http.ResponseWriter) { w.WriteHeader(503) }, 1, true},
		{"503 of a post with a key", &keyed, func(w http.ResponseWriter) { w.WriteHeader(503) }, 3, false},
		{"429 that asks for a second", &get, func(w http.ResponseWriter) { w.Header().Set("Retry-After", "0"); w.WriteHeader(429) }, 3, false},
		{"429 that asks for an hour", &get, func(w http.ResponseWriter) { w.Header().Set("Retry-After", "3600"); w.WriteHeader(429) }, 1, true},
		{"a broken connection of a get", &get, hijack, 3, false},
		{"a broken connection of a post", &post, hijack, 1, true},
		{"a body that ends early", &get, func(w http.ResponseWriter) { w.Header().Set("Content-Length", "100"); _, _ = io.WriteString(w, "{") }, 1, true},
		{"404", &get, func(w http.ResponseWriter) { w.WriteHeader(404) }, 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			keys := make(chan string, 10)
			c := serve(t, open, backend.Options{}, func(w http.ResponseWriter, r *http.Request) {
				keys <- r.Header.Get("Idempotency-Key")
				if calls.Add(1) < 3 {
					test.fail(w)
					return
				}
				_, _ = io.WriteString(w, "{}")
			})
			err := c.Do(t.Context(), test.call, nil, skip, nil)
			if (err != nil) != test.wrong || calls.Load() != test.calls {
				t.Errorf("%d calls, %v", calls.Load(), err)
			}
			if test.call == &keyed {
				first := <-keys
				if first == "" || first != <-keys || first != <-keys {
					t.Error("the tries have different keys")
				}
			}
		})
	}
}

func hijack(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// TestRetryAfterIsShown tells the model how long the API asks to wait.
func TestRetryAfterIsShown(t *testing.T) {
	c := serve(t, open, backend.Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(429)
	})
	err := c.Do(t.Context(), &get, nil, nil, nil)
	failure, ok := errors.AsType[*backend.Error](err)
	if !ok || failure.Kind != backend.Busy || !strings.Contains(err.Error(), "the API asks to wait 3") {
		t.Error(err)
	}
}

// TestCancel ends a call at once, and leaves no goroutine.
func TestCancel(t *testing.T) {
	arrived := make(chan struct{})
	c := serve(t, open, backend.Options{}, func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	done := make(chan error)
	go func() { done <- c.Do(ctx, &get, nil, nil, nil) }()
	<-arrived
	cancel(cause)
	select {
	case err := <-done:
		if !errors.Is(err, cause) {
			t.Error(err)
		}
	case <-time.After(time.Minute): // a busy machine takes less
		t.Error("the call goes on")
	}
}

// TestTimeout gives up an API that does not answer.
func TestTimeout(t *testing.T) {
	c := serve(t, open, backend.Options{Timeout: 20 * time.Millisecond, Tries: 1}, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	if err := c.Do(t.Context(), &post, nil, nil, nil); err == nil || err.Error() != "the API cannot be reached: it took too long" {
		t.Error(err)
	}
}

// TestLargeAnswer refuses an answer over the limit, also when it is small before decompression.
func TestLargeAnswer(t *testing.T) {
	c := serve(t, open, backend.Options{MaxAnswer: 1000}, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"a":"`+strings.Repeat("x", 2000)+`"}`)
	})
	err := c.Do(t.Context(), &post, nil, skip, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "The call was carried out (HTTP 200). Its answer does not have the declared form (it has more than 1000 bytes)") {
		t.Error(err)
	}
}

// TestRedirects follows redirects on the same origin alone.
func TestRedirects(t *testing.T) {
	var other atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { other.Add(1) }))
	defer elsewhere.Close()
	for _, test := range []struct {
		call         *backend.Call
		status       int
		to           string
		carried, bad bool
	}{
		{&get, 302, "/b", true, false},
		{&get, 307, "/b", true, false},
		{&post, 303, "/b", true, false},
		{&post, 307, "/b", false, true},
		{&keyed, 308, "/b", true, false},
		{&get, 302, elsewhere.URL + "/b", false, true},
		{&get, 302, "http://127.0.0.1:1/", false, true},
		{&get, 302, "https://HOST/b", false, true},
		{&get, 302, "http://user:pw@HOST/b", false, true},
		{&get, 302, "/a", false, true}, // again and again
	} {
		carried := false
		c := serve(t, bearer, backend.Options{Credentials: backend.Fixed{"token": backend.Bearer("t")}}, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/b" {
				carried = r.Header.Get("Authorization") == "Bearer t"
				_, _ = io.WriteString(w, "{}")
				return
			}
			w.Header().Set("Location", strings.ReplaceAll(test.to, "HOST", r.Host))
			w.WriteHeader(test.status)
		})
		err := c.Do(t.Context(), test.call, nil, skip, nil)
		if (err != nil) != test.bad || carried != test.carried {
			t.Errorf("%s %d %s: carried %t, %v", test.call.Method, test.status, test.to, carried, err)
		}
		if err != nil && strings.Contains(err.Error(), "127.0.0.1") {
			t.Error("an address is shown:", err)
		}
	}
	if other.Load() != 0 {
		t.Error("another host was called")
	}
}

// TestGate lets no more than the greatest number of calls run at once.
func TestGate(t *testing.T) {
	var now, most atomic.Int32
	c := serve(t, open, backend.Options{MaxCalls: 4, MaxCallsPerPrincipal: 2}, func(http.ResponseWriter, *http.Request) {
		n := now.Add(1)
		for old := most.Load(); n > old; old = most.Load() {
			if most.CompareAndSwap(old, n) {
				break
			}
		}
		time.Sleep(2 * time.Millisecond)
		now.Add(-1)
	})
	done := make(chan error)
	for i := range 60 {
		go func() {
			done <- c.Do(principal.With(context.Background(), fmt.Sprint("user", i%3)), &get, nil, nil, nil)
		}()
	}
	for range 60 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if most.Load() > 4 {
		t.Error(most.Load(), "calls at once")
	}
	blocked := make(chan struct{})
	entered := make(chan struct{}, 1)
	c = serve(t, open, backend.Options{MaxCallsPerPrincipal: 1}, func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-blocked
	})
	go func() { done <- c.Do(context.Background(), &get, nil, nil, nil) }()
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := c.Do(ctx, &get, nil, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	close(blocked)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestOptions refuses servers and variables that are not valid.
func TestOptions(t *testing.T) {
	api := backend.API{Name: "api", Server: "https://{region}.example.com/{v}", Variables: []backend.Variable{{Name: "region", Default: "eu", Values: []string{"eu", "us"}}, {Name: "v", Default: "v1", Pattern: "v[0-9]"}}}
	for _, test := range []struct {
		o  backend.Options
		ok bool
	}{
		{backend.Options{}, true},
		{backend.Options{Variables: map[string]string{"region": "us", "v": "v2"}}, true},
		{backend.Options{Variables: map[string]string{"region": "evil.example/"}}, false},
		{backend.Options{Variables: map[string]string{"v": "v2/../x"}}, false},
		{backend.Options{Variables: map[string]string{"x": "v2"}}, false},
		{backend.Options{Server: "example.com"}, false},
		{backend.Options{Server: "ftp://example.com"}, false},
		{backend.Options{Server: "https://a:b@example.com"}, false},
		{backend.Options{Server: "http://localhost:8080/"}, true},
		{backend.Options{Tries: 100}, true},
		{backend.Options{Tries: 101}, false},
		{backend.Options{Tries: -1}, false},
		{backend.Options{MaxCalls: -1}, false},
		{backend.Options{MaxCallsPerPrincipal: -1}, false},
		{backend.Options{MaxAnswer: -1}, false},
		{backend.Options{Timeout: -1}, false},
		{backend.Options{CallTimeout: -1}, false},
	} {
		if _, err := backend.New(&api, test.o); (err == nil) != test.ok {
			t.Error(test.o.Server, test.o.Variables, err)
		}
	}
}

// TestEvent reports each call with the path of the schema, without values.
func TestEvent(t *testing.T) {
	var got backend.Event
	c := serve(t, open, backend.Options{OnCall: func(_ context.Context, e backend.Event) { got = e }}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) })
	call := backend.Call{Tool: "t", Method: "GET", Path: "/users/{id}"}
	err := c.Do(principal.With(t.Context(), "ann"), &call, func(b []byte) []byte { return append(b, `{"id":"secret"}`...) }, nil, nil)
	if got.Path != "/users/{id}" || got.Status != 404 || got.Tries != 1 || got.Principal != "ann" || !errors.Is(got.Err, err) || got.Duration <= 0 {
		t.Errorf("%+v", got)
	}
}

// FuzzRequest sends values that never change the host, the number of segments or the structure of the query.
func FuzzRequest(f *testing.F) {
	for _, s := range []string{"", ".", "..", "../x", "%2e%2e", "a/b", "?x=1", "#", "//evil", "\r\nX: y", "é", "\x00", "a&b=c"} {
		f.Add(s, s)
	}
	call := backend.Call{Tool: "t", Method: "GET", Path: "/a/{p}/b"}
	var seen *http.Request
	c, err := backend.New(&open, backend.Options{Server: "https://api.example.com/v1", Transport: transport(func(r *http.Request) (*http.Response, error) {
		seen = r
		return &http.Response{StatusCode: 200, Body: http.NoBody, Header: http.Header{}}, nil
	})})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, p, q string) {
		seen = nil
		p, q = strings.ToValidUTF8(p, "?"), strings.ToValidUTF8(q, "?")
		err := c.Do(t.Context(), &call, func(b []byte) []byte {
			b = wire.AppendString(append(b, `{"p":`...), p)
			return append(wire.AppendString(append(b, `,"q":`...), q), '}')
		}, nil, nil)
		if err != nil {
			if seen != nil {
				t.Fatal("sent and refused", err)
			}
			return
		}
		u := seen.URL
		if u.Host != "api.example.com" || strings.Count(u.EscapedPath(), "/") != 4 || strings.Count(u.RawQuery, "=") != 1 || strings.Contains(u.RawQuery, "&") || u.Query().Get("q") != q {
			t.Fatalf("%q %q: %s", p, q, u)
		}
	})
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
