package backend_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/leak"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/mirror"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
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

// TestClientToken refuses a credential that is the token of the client, in every form, and hides the request from Credentials.
func TestClientToken(t *testing.T) {
	const token = "client-token-1234567890"
	coded := base64.StdEncoding.EncodeToString([]byte(token))
	h := http.Header{"Authorization": {"Bearer " + token}}
	ctx := protocol.WithHTTP(principal.With(t.Context(), "ann"), mirror.Headers(h))
	type own struct{}
	ctx = context.WithValue(ctx, own{}, "span") // a key of this module is hidden, too
	for _, test := range []struct {
		kind, in, secret string
		passes           bool
	}{
		{"bearer", "", token, false},
		{"oauth", "", token, false},
		{"bearer", "", coded, false},
		{"bearer", "", base64.RawURLEncoding.EncodeToString([]byte("x " + token)), false},
		{"bearer", "", base64.StdEncoding.EncodeToString([]byte(coded)), false},
		{"bearer", "", "prefix-" + token, false},
		{"basic", "", "user:" + token, false},
		{"basic", "", token, false},
		{"key", "header", token, false},
		{"key", "query", token, false},
		{"key", "query", coded, false},
		{"key", "cookie", token, false},
		{"bearer", "", "another-token", true},
	} {
		var called atomic.Int32
		api := backend.API{Name: "api", Schemes: []backend.Scheme{{Name: "token", Kind: test.kind, In: test.in, Param: "X-Key"}}, Auth: [][]string{{"token"}}}
		c := serve(t, api, backend.Options{Credentials: backend.Func(func(ctx context.Context, q backend.Ask) (backend.Credential, error) {
			if protocol.HTTPFrom(ctx) != nil || principal.From(ctx) != "" {
				t.Error("the request of the client is found")
			}
			if _, ok := ctx.Deadline(); !ok || q.Principal != "ann" {
				t.Error("the deadline or the principal is missing")
			}
			return backend.Bearer(test.secret), nil
		})}, func(http.ResponseWriter, *http.Request) { called.Add(1) })
		err := c.Do(ctx, &get, nil, nil, nil)
		if test.passes != (err == nil) || test.passes != (called.Load() == 1) {
			t.Errorf("%s %s %s: %v, %d calls", test.kind, test.in, test.secret, err, called.Load())
		}
		if err != nil && (err.Error() != "the credential of scheme token is the client's own token, which must not be passed on" || strings.Contains(err.Error(), token)) {
			t.Error(err)
		}
	}
	echo := backend.Call{Tool: "echo", Method: "GET", Path: "/{p}", Input: []backend.Place{{Field: "h", In: "header", As: "X-H"}}}
	c := serve(t, open, backend.Options{}, func(http.ResponseWriter, *http.Request) { t.Error("the API got the token") })
	for _, member := range []string{"h", "q", "p"} {
		err := c.Do(ctx, &echo, func(b []byte) []byte { return append(b, fmt.Sprintf(`{"p":"x",%q:%q}`, member, token)...) }, nil, nil)
		if err == nil || !strings.Contains(err.Error(), "the client's own token") {
			t.Error("an argument that is the token is sent as", member)
		}
	}
}

// TestClientTokenInLists: a token that has characters of paths, or is short, is found as a part of a path, as an element of a list, and as the name of a parameter.
func TestClientTokenInLists(t *testing.T) {
	call := backend.Call{Tool: "echo", Method: "GET", Path: "/{p}/{l}", Input: []backend.Place{{Field: "h", In: "header", As: "X-H"}, {Field: "c", In: "query", Style: "comma"}, {Field: "d", In: "query", Style: "deep"}}}
	for _, token := range []string{"client-token-1234567890", "client/token+12345==", "a,b/c,d,e,f", "a/b", "short", "50%25"} {
		ctx := protocol.WithHTTP(t.Context(), mirror.Headers(http.Header{"Authorization": {"Bearer " + token}}))
		quoted, _ := json.Marshal(token)
		coded, _ := json.Marshal(base64.StdEncoding.EncodeToString([]byte(token)))
		calls := 0
		c := serve(t, open, backend.Options{Transport: transport(func(r *http.Request) (*http.Response, error) {
			calls++
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, nil
		})}, nil)
		do := func(input string) error {
			return c.Do(ctx, &call, func(b []byte) []byte { return append(b, input...) }, nil, nil)
		}
		for _, input := range []string{`{"p":%s,"l":["y"]}`, `{"p":"x","l":["y",%s]}`, `{"p":"x","l":["y"],"h":%s}`, `{"p":"x","l":["y"],"h":["y",%s]}`, `{"p":"x","l":["y"],"q":%s}`, `{"p":"x","l":["y"],"c":[%s,"z"]}`, `{"p":"x","l":["y"],"d":{%s:1}}`} {
			for _, text := range [][]byte{quoted, coded} {
				input := fmt.Sprintf(input, text)
				if err := do(input); err == nil || !strings.Contains(err.Error(), "the client's own token") {
					t.Errorf("%s: %s is sent: %v", token, input, err)
				}
			}
		}
		if err := do(`{"p":"x","l":["y","z"],"h":"v","c":["z"],"d":{"m":1}}`); err != nil || calls != 1 {
			t.Errorf("%s: %v, %d calls", token, err, calls)
		}
	}
}

// TestManyTries: the pauses between many tries end growing.
func TestManyTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, start := 0, time.Now()
		c, err := backend.New(&open, backend.Options{Server: "https://api.example.com", Tries: 100, CallTimeout: 24 * time.Hour, Transport: transport(func(r *http.Request) (*http.Response, error) {
			calls++
			return &http.Response{StatusCode: 503, Body: http.NoBody, Request: r}, nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Do(t.Context(), &get, nil, nil, nil); err == nil || calls != 100 || time.Since(start) > 100*64*time.Second {
			t.Errorf("%d calls in %s: %v", calls, time.Since(start), err)
		}
	})
}

// TestRefusedCredential asks for a credential once more when the API answers 401.
func TestRefusedCredential(t *testing.T) {
	var asked []bool
	c := serve(t, bearer, backend.Options{Credentials: backend.Func(func(_ context.Context, q backend.Ask) (backend.Credential, error) {
		asked = append(asked, q.Refused)
		if q.Refused {
			return backend.Bearer("new"), nil
		}
		return backend.Bearer("old"), nil
	})}, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer new" {
			w.WriteHeader(401)
		}
	})
	if err := c.Do(t.Context(), &post, nil, nil, nil); err != nil || fmt.Sprint(asked) != "[false true]" {
		t.Error(err, asked)
	}
}

// TestEnv reads the environment for one user, and for all only where that is said.
func TestEnv(t *testing.T) {
	t.Setenv("BACKEND_TEST_TOKEN", "t1")
	ask := backend.Ask{Scheme: "token"}
	env := backend.Env{"token": "BACKEND_TEST_TOKEN", "other": "BACKEND_TEST_NONE"}
	if _, err := env.Credential(t.Context(), ask); err != nil {
		t.Error(err)
	}
	ask.Principal = "ann"
	if _, err := env.Credential(t.Context(), ask); err == nil || !strings.Contains(err.Error(), "backend.Shared") {
		t.Error(err)
	}
	if _, err := backend.Shared(env).Credential(t.Context(), ask); err != nil {
		t.Error(err)
	}
	for _, scheme := range []string{"other", "none"} {
		if _, err := backend.Shared(env).Credential(t.Context(), backend.Ask{Scheme: scheme}); !errors.Is(err, backend.ErrNoCredential) {
			t.Error(err)
		}
	}
}

// TestCredentialIsHidden prints credentials.
func TestCredentialIsHidden(t *testing.T) {
	c := backend.Basic("user", "secret")
	text, _ := c.MarshalJSON()
	for _, s := range []string{fmt.Sprint(c), fmt.Sprintf("%+v %#v %s %q %x %d", c, c, c, c, c, c), fmt.Sprint(&c), string(text), slog.AnyValue(c).Resolve().String()} {
		if strings.Contains(s, "secret") || strings.Contains(s, "user") || strings.Contains(s, "736563726574") {
			t.Error(s)
		}
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

// TestServerEnv: an environment variable says where the API is, unless the program does, and a URL that is wrong is refused by its name.
func TestServerEnv(t *testing.T) {
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	defer there.Close()
	api := backend.API{Name: "api", Server: "https://api.invalid"}
	const variable = "BACKEND_TEST_URL"
	t.Setenv(variable, there.URL+"/")
	c, err := backend.New(&api, backend.Options{ServerEnv: variable, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Do(t.Context(), &get, nil, skip, nil); err != nil {
		t.Error(err)
	}
	t.Setenv(variable, "api.example.com")
	if _, err := backend.New(&api, backend.Options{ServerEnv: variable}); err == nil ||
		err.Error() != `backend api: the environment variable BACKEND_TEST_URL: "api.example.com" is not an absolute URL of http or https without user, query and fragment` {
		t.Error(err)
	}
	if _, err := backend.New(&api, backend.Options{ServerEnv: variable, Server: there.URL}); err != nil {
		t.Error(err)
	}
	t.Setenv(variable, "")
	if _, err := backend.New(&api, backend.Options{ServerEnv: variable}); err != nil {
		t.Error(err)
	}
}

// TestUnset: what is not set in the environment is logged at the start, if no call that needs a credential can have one.
func TestUnset(t *testing.T) {
	t.Setenv("BACKEND_TEST_KEY", "k")
	t.Setenv("BACKEND_TEST_TOKEN", "")
	schemes := []backend.Scheme{{Name: "key", Kind: "key", In: "header", Param: "X"}, {Name: "token", Kind: "bearer"}}
	env := map[string]string{"key": "BACKEND_TEST_KEY", "token": "BACKEND_TEST_TOKEN"}
	for _, tt := range []struct {
		auth  [][]string
		from  backend.Credentials
		warns bool
	}{
		{[][]string{{"token"}}, backend.Env(env), true},
		{[][]string{{"key", "token"}}, backend.Shared(env), true},
		{[][]string{{"token"}, {"key"}}, backend.Env(env), false},
		{[][]string{{"token"}, {}}, backend.Env(env), false},
		{nil, backend.Env(env), false},
		{nil, backend.Env{"token": "BACKEND_TEST_TOKEN"}, true}, // some calls have it
		{[][]string{{"token"}}, backend.Fixed{}, false},
		{[][]string{{"token"}}, nil, false},
	} {
		var log strings.Builder
		_, err := backend.New(&backend.API{Name: "api", Server: "https://api.invalid", Schemes: schemes, Auth: tt.auth},
			backend.Options{Credentials: tt.from, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil || strings.Contains(log.String(), "the environment variable BACKEND_TEST_TOKEN is not set") != tt.warns {
			t.Errorf("%+v: %v %s", tt, err, &log)
		}
	}
}
