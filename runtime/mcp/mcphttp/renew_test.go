package mcphttp_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

// TestRenewedByMany lets a server forget its sessions while many calls are made: one of them begins a
// new session, and no call fails, whenever it was sent.
func TestRenewedByMany(t *testing.T) {
	fresh := func() http.Handler {
		srv := toolbox.NewServer(toolbox.UnimplementedServer{}, mcp.Options{Logger: slog.New(slog.DiscardHandler)})
		return mcphttp.NewHandler(srv, mcphttp.Options{})
	}
	var serving atomic.Pointer[http.Handler]
	restart := func() {
		h := fresh()
		serving.Store(&h)
	}
	restart()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*serving.Load()).ServeHTTP(w, r) }))
	t.Cleanup(web.Close)
	c, err := mcpclient.Connect(t.Context(), mcphttp.Dial(web.URL, mcphttp.ClientOptions{}), mcpclient.Options{Revisions: []string{mcp.Revision20250618}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	for range 20 {
		restart()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := c.Ping(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}
