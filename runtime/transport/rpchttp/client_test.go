package rpchttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/weather"
)

// TestCancelled: a client that leaves ends the context of its call.
func TestCancelled(t *testing.T) {
	server, begun, ended := office(), make(chan bool), make(chan error, 1)
	server.Current = func(ctx context.Context, _ weather.CurrentParams) (weather.Report, error) {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return weather.Report{}, ctx.Err()
	}
	s := newSite(t, weather.NewHandler(server), Options{})
	c := s.dial(ClientOptions{})
	failed := make(chan error)
	go func() {
		_, err := weather.NewClient(c).Current(context.Background(), weather.CurrentParams{City: "x"})
		failed <- err
	}()
	<-begun
	c.Close()
	if err := <-failed; !errors.Is(err, runtime.ErrClosed) {
		t.Error(err)
	}
	if err := <-ended; err != context.Canceled {
		t.Error(err)
	}
	if err := weather.NewClient(c).Ping(t.Context()); !errors.Is(err, runtime.ErrClosed) {
		t.Error(err)
	}
}

// TestClientErrors: what servers answer that are none of JSON-RPC, or refuse.
func TestClientErrors(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   string
	}{
		"not found":            {404, "<html>no such page</html>", "rpchttp: the server answered 404 Not Found: <html>no such page</html>"},
		"nothing":              {204, "", "rpchttp: the server answered 204 No Content"},
		"an error of HTTP":     {401, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no token"}}`, "rpchttp: the server answered 401 Unauthorized: no token (code -32600)"},
		"another id":           {200, `{"jsonrpc":"2.0","id":7,"result":{}}`, `rpchttp: the server answered 200 OK: {"jsonrpc":"2.0","id":7,"result":{}}`},
		"the id by its value":  {200, `{"jsonrpc":"2.0","id":1.0,"result":{}}`, ""},
		"a byte order mark":    {200, "\ufeff" + `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		"a declared error":     {500, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}`, "Internal error (code -32603)"},
		"an error for no id":   {200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, "Parse error (code -32700)"},
		"part of a result":     {200, `{"jsonrpc":"2.0","id":1,"result":{`, "not JSON"},
		"too large":            {200, strings.Repeat(" ", 2000), "frame: 2000 bytes, over the limit of 1024"},
		"a bomb":               {200, "gzip:" + zip(strings.Repeat(" ", 100<<10)), "over the limit of 1024"},
		"a redirect elsewhere": {307, "", "rpchttp: the server answered 307 Temporary Redirect"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				body := c.body
				if text, ok := strings.CutPrefix(body, "gzip:"); ok {
					body = text
					w.Header().Set("Content-Encoding", "gzip")
				}
				w.Header().Set("Location", "http://evil.example.com/")
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(c.status)
				io.WriteString(w, body)
			}))
			defer s.Close()
			conn, err := Dial(s.URL, ClientOptions{MaxMessage: 1 << 10})
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			err = weather.NewClient(conn).Ping(t.Context())
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
			if e, ok := errors.AsType[*StatusError](err); ok && (e.Status != c.status || e.RetryAfter != 7*time.Second) {
				t.Errorf("got %+v", e)
			}
		})
	}
	for _, url := range []string{"", "localhost:80", "ftp://localhost/", "http://", "http://%"} {
		if _, err := Dial(url, ClientOptions{}); err == nil {
			t.Error(url)
		}
	}
}

// TestClientBatches: answers come in any order, may be left out, and one error may be all there is.
func TestClientBatches(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   [2]string
	}{
		"out of order": {200, `[{"jsonrpc":"2.0","id":2,"result":2},{"jsonrpc":"2.0","id":1,"result":1}]`,
			[2]string{`{"jsonrpc":"2.0","id":1,"result":1}`, `{"jsonrpc":"2.0","id":2,"result":2}`}},
		"ids by their values": {200, `[{"jsonrpc":"2.0","id":2.0,"result":2},{"jsonrpc":"2.0","id":10e-1,"result":1}]`,
			[2]string{`{"jsonrpc":"2.0","id":10e-1,"result":1}`, `{"jsonrpc":"2.0","id":2.0,"result":2}`}},
		"left out, and unknown": {200, `[{"jsonrpc":"2.0","id":2,"result":2},{"jsonrpc":"2.0","id":9,"result":1},{"id":"x"},7]`,
			[2]string{"", `{"jsonrpc":"2.0","id":2,"result":2}`}},
		"one error": {413, `{"jsonrpc":"2.0","id":null,"error":{}}`,
			[2]string{`{"jsonrpc":"2.0","id":null,"error":{}}`, `{"jsonrpc":"2.0","id":null,"error":{}}`}},
		"no array": {200, `{"jsonrpc":"2.0","id":1,"result":1}`, [2]string{"rpchttp: the server answered 200 OK"}},
		"cut off":  {200, `[{"jsonrpc":"2.0","id":1,"result":1},`, [2]string{"rpchttp: the server answered 200 OK"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := &answer{&http.Response{StatusCode: c.status}, []byte(c.body), nil}
			all, err := a.responses(1, 2)
			if err != nil {
				if !strings.HasPrefix(err.Error(), c.want[0]) || c.want[0] == "" {
					t.Error(err)
				}
				return
			}
			if got := [2]string{string(all[0]), string(all[1])}; got != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

// TestClientTimeout: a call may not take longer than the client says.
func TestClientTimeout(t *testing.T) {
	s := newSite(t, weather.NewHandler(office()), Options{})
	c := s.dial(ClientOptions{CallTimeout: 50 * time.Millisecond})
	if _, err := weather.NewClient(c).Current(t.Context(), weather.CurrentParams{City: "wait"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	s.idle()
	if _, err := weather.NewClient(c).Current(t.Context(), weather.CurrentParams{City: strings.Repeat("x", frame.DefaultMax)}); err == nil {
		t.Error("a message over the limit was sent")
	}
}
