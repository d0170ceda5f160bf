package ratelimit_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/rpchttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/ratelimit"
)

// post sends a message of a client and returns the answer.
func post(t *testing.T, h http.Handler, address, token, msg string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.com/rpc", strings.NewReader(msg))
	r.RemoteAddr = address
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("MCP-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", "tools/list")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestHTTP: over HTTP a call over a rate is answered 429 with Retry-After, and clients without a principal are told apart by their
// addresses.
func TestHTTP(t *testing.T) {
	limits := ratelimit.Limits{Principal: ratelimit.Rate{Calls: 1, Per: time.Hour}}
	options := func() runtime.Options {
		return runtime.Options{Limiter: ratelimit.New(limits).Middleware, Logger: quiet}
	}
	tokens := rpchttp.Tokens(map[string]string{"secret": "ann", "hidden": "bob"})
	auth := func(ctx context.Context, r *http.Request) (context.Context, error) {
		if r.Header.Get("Authorization") == "" {
			return ctx, nil
		}
		return tokens(ctx, r)
	}
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	plain := rpchttp.NewHandler(new(service), rpchttp.Options{Runtime: options(), Auth: auth})
	for name, test := range map[string]struct {
		h      http.Handler
		msg    string
		tokens []string
	}{
		"JSON-RPC": {plain, call, []string{"secret", "hidden"}},
		"MCP":      {mcphttp.NewHandler(toolbox.NewServer(toolbox.UnimplementedServer{}, mcp.Options{Logger: quiet}), mcphttp.Options{Runtime: options()}), list, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for _, address := range []string{"192.0.2.1:1000", "192.0.2.2:1000", "[2001:db8::1]:1000"} {
				for _, token := range append(test.tokens, "") {
					first := address == "192.0.2.1:1000" || token == ""
					for range 2 {
						w := post(t, test.h, address, token, test.msg)
						want := http.StatusTooManyRequests
						if first {
							want = http.StatusOK
						}
						first = false
						if w.Code != want {
							t.Errorf("%s %q: %d, not %d: %s", address, token, w.Code, want, w.Body)
						}
						retry, _ := strconv.Atoi(w.Header().Get("Retry-After")) // an hour, less the time since the first call
						if w.Code == http.StatusTooManyRequests && (retry < 3000 || retry > 3600) {
							t.Errorf("Retry-After %d", retry)
						}
					}
				}
			}
		})
	}
}

// TestMCPSessions: in a session over HTTP, and over a stream, the calls of a client without a principal count for its session.
func TestMCPSessions(t *testing.T) {
	limiter := ratelimit.New(ratelimit.Limits{Tools: map[string]ratelimit.Rate{toolbox.ToolSearchItems: {Calls: 1, Per: time.Hour}}})
	srv := toolbox.NewServer(toolbox.UnimplementedServer{}, mcp.Options{Logger: quiet})
	h := mcphttp.NewHandler(srv, mcphttp.Options{Runtime: runtime.Options{Limiter: limiter.Middleware, Logger: quiet}})
	defer h.Close()
	s := httptest.NewServer(h)
	defer s.Close()
	for range 2 {
		c, err := mcpclient.Connect(t.Context(), mcphttp.Dial(s.URL, mcphttp.ClientOptions{Runtime: runtime.Options{Logger: quiet}}), mcpclient.Options{Era: mcp.Handshake, Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"not implemented", "try again in 3"} {
			_, err := toolbox.NewClient(c).SearchItems(t.Context(), toolbox.SearchItemsInput{Query: "tea", Limit: 1})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("call %d: %v", i, err)
			}
		}
		if err := c.Close(); err != nil && err != io.EOF {
			t.Error(err)
		}
	}
	if limiter.Refused() != 2 || limiter.Buckets() != 0 {
		t.Error(limiter.Refused(), limiter.Buckets())
	}
}
