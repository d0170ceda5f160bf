package main

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache/ottercache"

	"github.com/rpcgen-go/rpcgen/examples/shop/rpc"
	"github.com/rpcgen-go/rpcgen/examples/shop/store"
)

// TestMain lets the test program be the shop, so that tests can start it, and kill it.
func TestMain(m *testing.M) {
	if os.Getenv("BE_THE_SHOP") != "" {
		limitFiles(os.Getenv("SHOP_FILES"))
		main()
		return
	}
	os.Exit(m.Run())
}

var quiet = slog.New(slog.DiscardHandler)

// openServer serves the shop in a file.
func openServer(t *testing.T, file string) (*mcp.Server, func()) {
	t.Helper()
	results, err := ottercache.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	server, closeAll := openServerKeeping(t, file, results)
	return server, func() {
		closeAll()
		results.Close()
	}
}

// openServerKeeping is openServer with a store of results.
func openServerKeeping(t *testing.T, file string, results cache.Store) (*mcp.Server, func()) {
	t.Helper()
	s, err := store.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	server, err := newServer(t.Context(), s, results, mcp.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	return server, func() {
		server.Close()
		s.Close()
	}
}

// everywhere runs a test on a shop of its own in both eras, in memory and over HTTP.
func everywhere(t *testing.T, test func(t *testing.T, c *customer)) {
	for _, era := range []mcp.Era{mcp.Stateless, mcp.Handshake} {
		for _, transport := range []string{"memory", "HTTP"} {
			t.Run(era.String()+" "+transport, func(t *testing.T) {
				server, closeAll := openServer(t, filepath.Join(t.TempDir(), "shop.db"))
				t.Cleanup(closeAll)
				dial := mcpclient.InMemory(server)
				if transport == "HTTP" {
					h := mcphttp.NewHandler(server, mcphttp.Options{})
					web := httptest.NewServer(h)
					t.Cleanup(func() {
						h.Close()
						web.Close()
					})
					dial = mcphttp.Dial(web.URL, mcphttp.ClientOptions{})
				}
				test(t, newCustomer(t, dial, era))
			})
		}
	}
}

// customer is a client of the shop, and the user before it.
type customer struct {
	*rpc.Client
	dial    mcpclient.Dialer
	conn    *mcpclient.Client
	says    func(question string) (mcp.ElicitResult, error) // what the user answers
	changes chan string                                     // URIs of resources
}

func newCustomer(t *testing.T, dial mcpclient.Dialer, era mcp.Era) *customer {
	t.Helper()
	c := &customer{dial: dial, says: yes, changes: make(chan string, 100)}
	conn, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{
		Era: era, Logger: quiet,
		OnElicit: func(_ context.Context, p mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
			return c.says(p.Message)
		},
		OnResourceUpdated: func(_ context.Context, uri string) { c.changes <- uri },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c.conn, c.Client = conn, rpc.NewClient(conn)
	return c
}

// yes is a user who confirms everything.
func yes(string) (mcp.ElicitResult, error) {
	return mcpclient.AcceptForm(&rpc.PlaceOrderConfirmForm{Ok: true})
}

// order asks for hammers.
func (c *customer) order(ctx context.Context, count int32) (rpc.Order, error) {
	in := rpc.DefaultPlaceOrderInput()
	in.Sku, in.Count = "HAM-0001", count
	out, err := c.PlaceOrder(ctx, in)
	return out.Order, err
}
