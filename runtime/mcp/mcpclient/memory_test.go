package mcpclient_test

import (
	"context"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// TestInMemoryPrincipal: calls over a connection in memory have the principal of the context that it was made with, in both eras.
func TestInMemoryPrincipal(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	srv := mcp.NewServer(&shop.Shop{}, mcp.Options{Logger: shop.Quiet, Middleware: []mcp.Middleware{func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			if q.Method() == "tools/call" {
				mu.Lock()
				seen = append(seen, mcp.PrincipalFrom(ctx))
				mu.Unlock()
			}
			return next(ctx, q)
		}
	}}})
	for _, era := range []mcp.Era{mcp.Handshake, mcp.Stateless} {
		seen = nil
		for _, user := range []string{"ann", "bob"} {
			c, err := mcpclient.Connect(mcp.WithPrincipal(t.Context(), user), mcpclient.InMemory(srv), mcpclient.Options{Logger: shop.Quiet, Era: era})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			c.CallTool(t.Context(), "search_items", shop.Raw(`{"query":"x"}`))
			c.CallTool(mcp.WithPrincipal(t.Context(), "eve"), "search_items", shop.Raw(`{"query":"x"}`)) // a caller does not choose
		}
		if len(seen) != 4 || seen[0] != "ann" || seen[1] != "ann" || seen[2] != "bob" || seen[3] != "bob" {
			t.Errorf("%v: %q", era, seen)
		}
	}
}
