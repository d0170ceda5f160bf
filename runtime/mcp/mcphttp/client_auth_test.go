package mcphttp_test

import (
	"bytes"
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

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

// serveTools serves the toolbox for the token of Ann. It counts requests.
func serveTools(t *testing.T, auth *mcphttp.Auth) (url string, requests *atomic.Int64) {
	t.Helper()
	server := toolbox.NewServer(toolbox.UnimplementedServer{}, mcp.Options{Logger: silent})
	h := mcphttp.NewHandler(server, mcphttp.Options{Runtime: runtime.Options{Logger: silent}, Auth: auth})
	requests = new(atomic.Int64)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		h.Close()
		server.Close()
		site.Close()
	})
	return site.URL, requests
}

// TestNotAuthorized: a server that answers 401 or 403 while the client looks for the era is not asked again. The error is that status, not
// that there is no era in common.
func TestNotAuthorized(t *testing.T) {
	forbid := &mcphttp.Auth{Verify: func(context.Context, string, *http.Request) (mcphttp.Principal, error) {
		return mcphttp.Principal{}, &mcphttp.InsufficientScopeError{Scopes: []string{"tools"}}
	}}
	const token = "a-wrong-token"
	for name, test := range map[string]struct {
		auth   *mcphttp.Auth
		status int
		text   string
	}{
		"wrong token": {mcphttp.Tokens(map[string]string{"ann's": "ann"}), 401, "mcphttp: the server answered 401 Unauthorized: the token is not valid (code -32600)"},
		"no scope":    {forbid, 403, "mcphttp: the server answered 403 Forbidden: the token lacks a scope (code -32600)"},
	} {
		for from, o := range map[string]mcphttp.ClientOptions{
			"StaticToken": {Token: mcphttp.StaticToken(token)},
			"Header":      {Header: http.Header{"Authorization": {"Bearer " + token}}},
		} {
			for _, era := range []mcp.Era{0, mcp.Stateless, mcp.Handshake} {
				url, requests := serveTools(t, test.auth)
				conn, err := mcpclient.Connect(t.Context(), mcphttp.Dial(url, o), mcpclient.Options{Era: era, Logger: silent})
				if era == mcp.Stateless && err == nil { // which sends nothing
					_, err = conn.Discover(t.Context())
					conn.Close()
				}
				e, ok := errors.AsType[*mcphttp.StatusError](err)
				if !ok || e.Status != test.status || err.Error() != test.text {
					t.Errorf("%s, %s, %s: %v", name, from, era, err)
				}
				if n := requests.Load(); n != 1 {
					t.Errorf("%s, %s, %s: %d requests", name, from, era, n)
				}
			}
		}
	}
}

// TestNotAuthorizedLater: so is one that answers the first message in another way, which only a server of the handshake era does, and 401
// then.
func TestNotAuthorizedLater(t *testing.T) {
	for _, first := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed} {
		requests := 0
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if requests++; requests == 1 {
				w.WriteHeader(first)
				return
			}
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"who is `+r.Header.Get("Authorization")+`?"}}`)
		}))
		_, err := mcpclient.Connect(t.Context(), mcphttp.Dial(site.URL, mcphttp.ClientOptions{Token: mcphttp.StaticToken("a-wrong-token")}), mcpclient.Options{Logger: silent})
		if err == nil || err.Error() != "mcphttp: the server answered 401 Unauthorized: who is Bearer [secret]? (code -32600)" || requests != 2 {
			t.Errorf("%d: %v after %d requests", first, err, requests)
		}
		site.Close()
	}
}

// TestStaticToken: a token that never changes is sent with every request.
func TestStaticToken(t *testing.T) {
	url, _ := serveTools(t, mcphttp.Tokens(map[string]string{"ann's": "ann"}))
	for _, era := range []mcp.Era{mcp.Stateless, mcp.Handshake} {
		conn, err := mcpclient.Connect(t.Context(), mcphttp.Dial(url, mcphttp.ClientOptions{Token: mcphttp.StaticToken("ann's")}), mcpclient.Options{Era: era, Logger: silent})
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range conn.ListTools(t.Context()) {
			if err != nil {
				t.Error(err)
			}
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOtherToken: a request is repeated with another token, and only with another one.
func TestOtherToken(t *testing.T) {
	url, requests := serveTools(t, mcphttp.Tokens(map[string]string{"ann's": "ann"}))
	errNone := errors.New("there is no other token")
	for other, want := range map[string]int64{"ann's": 2, "old": 1, "older": 2, "": 1} {
		requests.Store(0)
		dial := mcphttp.Dial(url, mcphttp.ClientOptions{Token: func(_ context.Context, refused *mcphttp.Challenge) (string, error) {
			if refused == nil {
				return "old", nil
			}
			if other == "" {
				return "", errNone
			}
			return other, nil
		}})
		conn, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{Era: mcp.Stateless, Logger: silent})
		if err != nil {
			t.Fatal(err)
		}
		_, err = conn.Discover(t.Context())
		if (err == nil) != (other == "ann's") || (other == "") != errors.Is(err, errNone) {
			t.Errorf("%q: %v", other, err)
		}
		if n := requests.Load(); n != want {
			t.Errorf("%q: %d requests", other, n)
		}
		conn.Close()
	}
}

// TestLargeHeaders: a server cannot make a client read headers without end.
func TestLargeHeaders(t *testing.T) {
	for name, header := range map[string]http.Header{
		"one":        {"X": {strings.Repeat("x", 1<<20)}},
		"many":       many(20_000),
		"challenges": {"Www-Authenticate": {strings.Repeat("a,", 1<<19)}},
	} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for name, values := range header {
				w.Header()[name] = values
			}
			w.WriteHeader(http.StatusUnauthorized)
		}))
		_, err := mcpclient.Connect(t.Context(), mcphttp.Dial(site.URL, mcphttp.ClientOptions{}), mcpclient.Options{Era: mcp.Handshake, Logger: silent})
		if err == nil || !strings.Contains(err.Error(), "server response headers exceeded 65536 bytes") {
			t.Errorf("%s: %.200v", name, err)
		}
		site.Close()
	}
}

// many returns that many headers.
func many(n int) http.Header {
	h := http.Header{}
	for i := range n {
		h.Set(fmt.Sprint("X-", i), "x")
	}
	return h
}

// TestResultsStay: results are data: what a server answers stays as it is, also if it is a secret.
func TestResultsStay(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"token":"`+r.Header.Get("Authorization")+`"}}`)
	}))
	defer site.Close()
	conn, err := mcphttp.Dial(site.URL, mcphttp.ClientOptions{Token: mcphttp.StaticToken("a-token")})(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.(io.Closer).Close()
	reply, err := conn.Call(t.Context(), 1, []byte(`{"jsonrpc":"2.0","id":1,"method":"whoami"}`))
	if err != nil || !bytes.Contains(reply, []byte("Bearer a-token")) {
		t.Errorf("%s, %v", reply, err)
	}
}
