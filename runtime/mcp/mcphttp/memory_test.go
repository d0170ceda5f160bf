package mcphttp

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/heap"
	"github.com/rpcgen-go/rpcgen/runtime/internal/idle"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// TestHeldBytes drives the memory of requests to its limits.
func TestHeldBytes(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	limit := heap.Limit()
	began, release := make(chan struct{}), make(chan struct{})
	declarations, o := shop.Configure("")
	o.Middleware = append(o.Middleware, func(mcp.Handler) mcp.Handler {
		return func(_ context.Context, q *mcp.Request) error {
			began <- struct{}{}
			<-release
			return q.Respond([]byte("{}"))
		}
	})
	srv := mcp.NewServer(declarations, o)
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	r := httptest.NewRequest(http.MethodPost, "http://localhost/", nil)
	for name, value := range map[string]string{
		"Content-Type": typeJSON, "Accept": typeJSON + ", " + typeStream, headerVersion: mcp.Revision20260728, headerMethod: "tools/call", "Mcp-Name": "search_items",
	} {
		r.Header.Set(name, value)
	}
	heap.Requests(t, limit, heap.Service{
		Handler: NewHandler(srv, Options{MaxBytes: limit, Runtime: runtime.Options{Logger: quiet}}), Request: r,
		Before: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + meta + `,"name":"search_items","arguments":{"query":"`, After: `"}}}`,
		Began: began, Release: release,
	})
}

// TestKeptEvents drives the events that sessions keep for replay to the limit of all of them.
func TestKeptEvents(t *testing.T) {
	if !idle.InOwnProcess(t) {
		return
	}
	limit := int(heap.Limit())
	for _, size := range []int{100, 10_000} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			s := newSite(t, newWorkshop(), Options{MaxReplayBytes: limit, ReplayBytes: limit / 8})
			var sessions []*session
			for range 10 {
				begun := s.begin("2025-11-25")
				sessions = append(sessions, s.handler.sessions.find(strings.TrimPrefix(begun[0], "Mcp-Session-Id: "), ""))
			}
			event := bytes.Repeat([]byte("x"), size)
			heap.AtMost(t, int64(limit), func() {
				for range limit / 8 / size * 2 {
					for _, session := range sessions {
						session.Notify(t.Context(), event)
					}
				}
			})
		})
	}
}
