package mcpcache_test

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime/cache"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpcache"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
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

// box counts its calls.
type box struct {
	toolbox.UnimplementedServer
	searches, reserves, counts int
}

func (b *box) SearchItems(context.Context, toolbox.SearchItemsInput) (toolbox.SearchItemsOutput, error) {
	b.searches++
	return toolbox.SearchItemsOutput{Items: []toolbox.Item{}}, nil
}

func (b *box) Reserve(_ context.Context, in toolbox.ReserveInput) error {
	b.reserves++
	return &toolbox.OutOfStockError{Sku: in.Sku}
}

func (b *box) CountStock(context.Context, toolbox.CountStockInput) (toolbox.CountStockOutput, error) {
	b.counts++
	return toolbox.CountStockOutput{Counted: int32(b.counts)}, nil
}

// TestTasks: each call that runs as a task has a task of its own, whatever the cache holds.
func TestTasks(t *testing.T) {
	kept := cache.New(new(store), cache.Options{Tools: map[string]cache.Rule{toolbox.ToolCountStock: {TTL: time.Hour, Scope: cache.Public}}})
	for _, era := range []mcp.Era{mcp.Stateless, mcp.Handshake} {
		server := new(box)
		srv := toolbox.NewServer(server, mcp.Options{Logger: quiet, Middleware: []mcp.Middleware{mcpcache.Middleware(kept)}})
		c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), mcpclient.Options{Era: era, Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		client := toolbox.NewClient(c)
		for range 2 {
			if out, err := client.CountStock(t.Context(), toolbox.CountStockInput{}); err != nil || out.Counted != 1 {
				t.Error(era, out, err)
			}
		}
		for i := range 2 {
			task, err := client.StartCountStock(t.Context(), toolbox.CountStockInput{})
			if err != nil {
				t.Fatal(err)
			}
			if out, err := task.Wait(t.Context()); err != nil || int(out.Counted) != i+2 {
				t.Error(era, out, err)
			}
		}
		c.Close()
	}
}

// TestTools: equal calls of tools get one result in each revision, and errors are not kept.
func TestTools(t *testing.T) {
	server := new(box)
	rules := toolbox.CacheRules() // of the schema, which has one for search_items
	rules.Tools[toolbox.ToolReserve] = cache.Rule{TTL: time.Hour, Scope: cache.Public}
	kept := cache.New(new(store), rules)
	srv := toolbox.NewServer(server, mcp.Options{Logger: quiet, Middleware: []mcp.Middleware{mcpcache.Middleware(kept)}})
	for i, era := range []mcp.Era{mcp.Stateless, mcp.Handshake} {
		for range 2 {
			c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), mcpclient.Options{Era: era, Logger: quiet})
			if err != nil {
				t.Fatal(err)
			}
			client := toolbox.NewClient(c)
			for range 2 {
				if _, err := client.SearchItems(t.Context(), toolbox.SearchItemsInput{Query: "tea", Limit: 1}); err != nil {
					t.Error(err)
				}
				if err := client.Reserve(t.Context(), toolbox.ReserveInput{Sku: "ABC-0001"}); err == nil {
					t.Error("it is out of stock")
				}
			}
			c.Close()
		}
		if server.searches != i+1 || server.reserves != 4*(i+1) {
			t.Errorf("%v: %d searches, %d reservations", era, server.searches, server.reserves)
		}
	}
	kept.InvalidateTool(toolbox.ToolSearchItems)
	c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), mcpclient.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, query := range []string{"tea", "tea", "coffee"} {
		if _, err := toolbox.NewClient(c).SearchItems(t.Context(), toolbox.SearchItemsInput{Query: query, Limit: 1}); err != nil {
			t.Error(err)
		}
	}
	if server.searches != 4 {
		t.Error(server.searches, "searches")
	}
}
