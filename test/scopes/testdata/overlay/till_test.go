package scopes_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
	"github.com/rpcgen-go/rpcgen/test/scopes/till"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// store is a Store without bounds of time or size.
type store struct{ sync.Map }

func (s *store) Get(key string) ([]byte, bool) {
	v, ok := s.Load(key)
	b, _ := v.([]byte)
	return b, ok
}

func (s *store) Set(key string, value []byte, _ time.Duration) { s.Store(key, value) }

// counter counts the calls that reach it.
type counter struct {
	till.UnimplementedServer
	calls atomic.Uint32
}

func (c *counter) Pay(context.Context, till.PayParams) (till.PayResult, error) {
	return till.PayResult{Calls: c.calls.Add(1)}, nil
}

func (c *counter) Look(context.Context) (till.LookResult, error) {
	return till.LookResult{Calls: c.calls.Add(1)}, nil
}

func (c *counter) LogsTail(ctx context.Context, p till.LogsTailParams, out till.LogsTailStream) error {
	c.calls.Add(1)
	for n := range p.Most {
		if err := out.Send(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (c *counter) Note(context.Context, till.NoteParams) error {
	c.calls.Add(1)
	return nil
}

const (
	pay     = `{"jsonrpc":"2.0","id":1,"method":"pay","params":{"amount":1}}`
	look    = `{"jsonrpc":"2.0","id":2,"method":"look"}`
	note    = `{"jsonrpc":"2.0","method":"note","params":{"text":"a"}}`
	refused = `{"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"Forbidden","data":{"missing":["pay:write","pay:read"]}}}`
)

// TestScopesAnswers: who lacks scopes learns which ones, before params are decoded, and no handler is called.
func TestScopesAnswers(t *testing.T) {
	half := strings.Replace(refused, `"pay:write",`, "", 1)
	for name, c := range map[string]struct {
		scopes          []string
		message, answer string
		calls           uint32
	}{
		"none":               {nil, pay, refused, 0},
		"others":             {[]string{"pay", "pay:writer", "logs:read"}, pay, refused, 0},
		"one of two":         {[]string{"pay:write"}, pay, half, 0},
		"all":                {[]string{"x", "pay:read", "pay:write"}, pay, `{"jsonrpc":"2.0","id":1,"result":{"calls":1}}`, 1},
		"bad params":         {nil, strings.Replace(pay, `{"amount":1}`, `{"amount":"x"}`, 1), refused, 0},
		"params first":       {nil, `{"params":{"amount":1},"method":"pay","id":1,"jsonrpc":"2.0"}`, refused, 0},
		"escaped name":       {nil, strings.Replace(pay, `"pay"`, `"p\u0061y"`, 1), refused, 0},
		"no request":         {nil, `{"jsonrpc":"2.0","id":1,"method":"pay","params":{"amount":1},"id":1}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`, 0},
		"needs none":         {nil, look, `{"jsonrpc":"2.0","id":2,"result":{"calls":1}}`, 1},
		"unknown":            {nil, strings.Replace(look, "look", "pay2", 1), `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,`, 0},
		"notification":       {nil, note, "", 0},
		"notification, all":  {[]string{"pay:write"}, note, "", 1},
		"batch":              {nil, "[" + pay + "," + look + "," + note + "]", "[" + refused + `,{"jsonrpc":"2.0","id":2,"result":{"calls":1}}]`, 1},
		"another key of ids": {nil, strings.Replace(pay, `"id":1`, `"id":"x"`, 1), strings.Replace(refused, `"id":1`, `"id":"x"`, 1), 0},
	} {
		t.Run(name, func(t *testing.T) {
			server := new(counter)
			d := runtime.NewDispatcher(till.NewHandler(server), runtime.Options{Logger: quiet})
			answer := string(d.Dispatch(principal.WithScopes(t.Context(), c.scopes...), nil, []byte(c.message)))
			if is, _ := strings.CutSuffix(c.answer, ","); !strings.HasPrefix(answer, is) || len(answer) > len(is) && is == c.answer || server.calls.Load() != c.calls {
				t.Errorf("%d calls, and the answer %s", server.calls.Load(), answer)
			}
		})
	}
}

// TestScopesPrincipal: another principal does not inherit scopes.
func TestScopesPrincipal(t *testing.T) {
	ctx := principal.WithScopes(principal.With(t.Context(), "ann"), "pay:write")
	if principal.From(ctx) != "ann" || !slices.Equal(principal.Scopes(ctx), []string{"pay:write"}) {
		t.Error(principal.From(ctx), principal.Scopes(ctx))
	}
	if ctx = principal.With(ctx, "bob"); principal.Scopes(ctx) != nil {
		t.Error("bob has the scopes of ann")
	}
	if ctx = principal.WithScopes(ctx, "a"); principal.From(ctx) != "bob" {
		t.Error(principal.From(ctx))
	}
}

// TestScopesMiddleware: a result that is kept needs its scopes, too; middleware sees the failure, and cannot answer in its place. What a caller without
// scopes asked for is not kept.
func TestScopesMiddleware(t *testing.T) {
	server := new(counter)
	var codes []int64
	watch := func(next runtime.HandlerFunc) runtime.HandlerFunc {
		return func(ctx context.Context, c *runtime.Call) {
			next(ctx, c)
			if code, failed := c.Failure(); failed {
				codes = append(codes, code)
			}
		}
	}
	answers := func(next runtime.HandlerFunc) runtime.HandlerFunc {
		return func(ctx context.Context, c *runtime.Call) {
			if c.Method() == till.MethodPay && c.HasParams() && c.NoParams() { // does not call next
				c.Return(append(c.Result(), `"secret"`...))
				return
			}
			next(ctx, c)
		}
	}
	kept := cache.New(new(store), till.CacheRules())
	d := runtime.NewDispatcher(till.NewHandler(server), runtime.Options{Logger: quiet, Middleware: []runtime.Middleware{watch, kept.Middleware}})
	may := principal.WithScopes(t.Context(), "pay:write", "pay:read")
	for i, c := range []struct {
		ctx  context.Context
		want string
	}{
		{t.Context(), refused}, {may, `{"jsonrpc":"2.0","id":1,"result":{"calls":1}}`}, {may, `{"jsonrpc":"2.0","id":1,"result":{"calls":1}}`}, {t.Context(), refused},
		{principal.WithScopes(may), refused},
	} {
		if answer := string(d.Dispatch(c.ctx, nil, []byte(pay))); answer != c.want {
			t.Errorf("%d: %s", i, answer)
		}
	}
	if !slices.Equal(codes, []int64{-32003, -32003, -32003}) || server.calls.Load() != 1 {
		t.Error(codes, server.calls.Load())
	}
	d = runtime.NewDispatcher(till.NewHandler(server), runtime.Options{Logger: quiet, Middleware: []runtime.Middleware{answers}})
	if answer := string(d.Dispatch(t.Context(), nil, []byte(pay))); answer != refused {
		t.Error(answer)
	}
	if answer := string(d.Dispatch(may, nil, []byte(pay))); !strings.Contains(answer, "secret") {
		t.Error(answer)
	}
}

// isForbidden reports whether a call was refused for lack of scopes.
func isForbidden(err error, missing string) bool {
	e, ok := errors.AsType[*runtime.Error](err)
	return ok && e.Code == -32003 && e.Data.String() == `{"missing":[`+missing+`]}`
}

// check makes calls over a connection whose principal has the scopes pay:write and pay:read if it may, and not logs:read.
func check(t *testing.T, conn runtime.Conn, may bool) {
	t.Helper()
	client := till.NewClient(conn)
	if _, err := client.Look(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := client.Pay(t.Context(), till.PayParams{Amount: 1}); may != (err == nil) || !may && !isForbidden(err, `"pay:write","pay:read"`) {
		t.Error(may, err)
	}
	var first till.PayResult
	b := client.Batch()
	one := b.Pay(till.PayParams{Amount: 1}, &first)
	if err := b.Send(t.Context()); err != nil {
		t.Error(err)
	}
	if may != (one.Err() == nil) || !may && !isForbidden(one.Err(), `"pay:write","pay:read"`) {
		t.Error(may, one.Err())
	}
}

// checkStream opens a stream without its scope.
func checkStream(t *testing.T, conn runtime.Conn, may bool) {
	t.Helper()
	items, failed := 0, error(nil)
	for _, err := range till.NewClient(conn).LogsTail(t.Context(), till.LogsTailParams{Most: 3}) {
		if failed = err; err == nil {
			items++
		}
	}
	if may != (failed == nil && items == 3) || !may && (items > 0 || !isForbidden(failed, `"logs:read"`)) {
		t.Error(may, items, failed)
	}
}

// TestScopesSessions: connections have the scopes that their context has, or that WithAuth gives; streams need theirs, too.
func TestScopesSessions(t *testing.T) {
	server := new(counter)
	for _, scopes := range [][]string{nil, {"pay:read", "pay:write"}, {"pay:read", "pay:write", "logs:read"}} {
		a, b := pipe.New(0)
		service := runtime.NewSession(principal.WithScopes(t.Context(), scopes...), b, till.NewHandler(server), runtime.Options{Logger: quiet})
		conn := runtime.NewSession(t.Context(), a, nil, runtime.Options{Logger: quiet})
		check(t, conn, len(scopes) > 1)
		checkStream(t, conn, len(scopes) > 2)
		conn.Close()
		service.Close()

		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(principal.WithScopes(context.Background(), "pay:read", "pay:write", "logs:read")) // which a principal does not inherit
		ended := make(chan error, 1)
		go func() {
			ended <- tcp.Serve(ctx, l, till.NewHandler(server), tcp.WithOptions(runtime.Options{Logger: quiet}), tcp.WithAuth(func(ctx context.Context, _ net.Conn) (context.Context, error) {
				return principal.WithScopes(principal.With(ctx, "ann"), scopes...), nil
			}))
		}()
		dialled, err := tcp.Dial(t.Context(), l.Addr().String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		check(t, dialled, len(scopes) > 1)
		checkStream(t, dialled, len(scopes) > 2)
		dialled.Close()
		stop()
		<-ended
	}
}

// introspect says whose a token is. Those of the tests are scopes.
func introspect(token string) (subject string, scopes []string, err error) {
	return "ann", strings.Split(token, ","), nil
}

// authenticate gives the caller of a request the scopes of its token.
func authenticate(ctx context.Context, r *http.Request) (context.Context, error) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return nil, errors.New("a token is missing")
	}
	subject, scopes, err := introspect(token)
	return principal.WithScopes(principal.With(ctx, subject), scopes...), err
}

// TestScopesHTTP: the status is 403, with a challenge that names all scopes which the call needs. Batches have it in their answers alone.
func TestScopesHTTP(t *testing.T) {
	s := httptest.NewServer(rpchttp.NewHandler(till.NewHandler(new(counter)), rpchttp.Options{Auth: authenticate, Runtime: runtime.Options{Logger: quiet}}))
	defer s.Close()
	for name, c := range map[string]struct {
		scopes, message string
		status          int
		challenge       string
	}{
		"none":         {"x", pay, 403, `Bearer error="insufficient_scope", scope="pay:write pay:read"`},
		"one":          {"pay:write", pay, 403, `Bearer error="insufficient_scope", scope="pay:write pay:read"`},
		"all":          {"pay:write,pay:read", pay, 200, ""},
		"notification": {"x", note, 204, ""},
		"batch":        {"x", "[" + pay + "]", 200, ""},
		"needs none":   {"x", look, 200, ""},
		"unknown":      {"x", strings.Replace(look, "look", "pay2", 1), 200, ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(c.message))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+c.scopes)
		resp, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.status || resp.Header.Get("WWW-Authenticate") != c.challenge {
			t.Error(name, resp.StatusCode, resp.Header)
		}
	}
	for _, scopes := range []string{"x", "pay:read,pay:write"} {
		for _, gather := range []func(string) bool{nil, func(string) bool { return true }} {
			conn, err := rpchttp.Dial(s.URL, rpchttp.ClientOptions{Header: http.Header{"Authorization": {"Bearer " + scopes}}, Gather: gather})
			if err != nil {
				t.Fatal(err)
			}
			check(t, conn, scopes != "x")
			conn.Close()
		}
	}
}

// careless is a handler that does not look whether a call has an answer.
type careless struct {
	runtime.Handler
	calls int
}

func (h *careless) Handle(_ context.Context, c *runtime.Call) {
	h.calls++
	c.ReturnEmpty()
}

// TestScopesHandler: a handler written by hand is not called without the scopes.
func TestScopesHandler(t *testing.T) {
	h := &careless{Handler: till.NewHandler(new(counter))}
	d := runtime.NewDispatcher(h, runtime.Options{Logger: quiet})
	if answer := string(d.Dispatch(t.Context(), nil, []byte(pay))); answer != refused || h.calls > 0 {
		t.Error(h.calls, answer)
	}
	if d.Dispatch(principal.WithScopes(t.Context(), "pay:write", "pay:read"), nil, []byte(pay)); h.calls != 1 {
		t.Error(h.calls)
	}
}
