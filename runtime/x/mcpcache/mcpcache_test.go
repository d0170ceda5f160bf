package mcpcache_test

import (
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/mcp20260728"
	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcache"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
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

// asking asks the client in each of the ways that a handler has.
type asking struct {
	toolbox.UnimplementedServer
	handled int
	ask     func(ctx context.Context) (string, error)
}

func (a *asking) PlaceOrder(ctx context.Context, _ toolbox.PlaceOrderInput) (toolbox.PlaceOrderOutput, error) {
	card, err := a.ask(ctx)
	if err != nil {
		return toolbox.PlaceOrderOutput{}, err
	}
	a.handled++
	return toolbox.PlaceOrderOutput{OrderID: "bought by " + card}, nil
}

// TestAnswersOfUsers: a result for which a client was asked is not given to another one, in any era and over any transport.
func TestAnswersOfUsers(t *testing.T) {
	ways := map[string]func(ctx context.Context) (string, error){
		"elicitation": func(ctx context.Context) (string, error) {
			result, err := mcp.Elicit(ctx, "card", mcp.ElicitRequestFormParams{Message: "Which card?"})
			if err != nil {
				return "", err
			}
			return string(result.Content["card"].(mcp20260728.ElicitResultContentValueString)), nil
		},
		"roots": func(ctx context.Context) (string, error) {
			result, err := mcp.Roots(ctx, "roots")
			if err != nil {
				return "", err
			}
			return result.Roots[0].URI, nil
		},
	}
	for way, ask := range ways {
		server := &asking{ask: ask}
		kept := cache.New(new(store), cache.Options{Tools: map[string]cache.Rule{toolbox.ToolPlaceOrder: {TTL: time.Hour, Scope: cache.Public}}})
		srv := toolbox.NewServer(server, mcp.Options{Logger: quiet, Middleware: []mcp.Middleware{mcpcache.Middleware(kept)}})
		web := httptest.NewServer(mcphttp.NewHandler(srv, mcphttp.Options{}))
		t.Cleanup(web.Close)
		for transport, dial := range map[string]mcpclient.Dialer{"memory": mcpclient.InMemory(srv), "http": mcphttp.Dial(web.URL, mcphttp.ClientOptions{})} {
			for _, era := range []mcp.Era{mcp.Stateless, mcp.Handshake} {
				for _, who := range []string{"ann", "bob"} {
					c, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{Era: era, Logger: quiet,
						OnElicit: func(context.Context, mcp.ElicitRequestFormParams) (mcp.ElicitResult, error) {
							return mcp.ElicitResult{Action: "accept", Content: map[string]mcp20260728.ElicitResultContentValue{"card": mcp20260728.ElicitResultContentValueString(who)}}, nil
						},
						OnRoots: func(context.Context) (mcp.ListRootsResult, error) {
							return mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///" + who}}}, nil
						},
					})
					if err != nil {
						t.Fatal(err)
					}
					out, err := toolbox.NewClient(c).PlaceOrder(t.Context(), toolbox.PlaceOrderInput{Sku: "ABC-0001", Count: 1})
					if err != nil || !strings.HasSuffix(out.OrderID, who) {
						t.Errorf("%s over %s in %v: %s gets %q, %v", way, transport, era, who, out.OrderID, err)
					}
					c.Close()
				}
			}
		}
	}
}

// TestAddedTools: a tool that was removed is not answered from the cache, nor is one that takes its name, whose schema decides.
func TestAddedTools(t *testing.T) {
	kept := cache.New(new(store), cache.Options{Tools: map[string]cache.Rule{"price": {TTL: time.Hour, Scope: cache.Public, Keys: []string{"sku"}}}})
	set := mcpdynamic.New(mcpdynamic.Options{})
	srv := toolbox.NewServer(new(box), mcp.Options{Dynamic: set, Logger: quiet, Middleware: []mcp.Middleware{mcpcache.Middleware(kept)}})
	calls := 0
	tool := func(answer, schema string) mcpdynamic.Tool {
		return mcpdynamic.Tool{Name: "price", InputSchema: mcpdynamic.JSON(schema), Call: func(context.Context, runtime.Raw) (wire.Appender, error) {
			calls++
			return mcpdynamic.Text(answer), nil
		}}
	}
	const free, strict = `{"type":"object"}`, `{"type":"object","required":["sku"]}`
	c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), mcpclient.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	expect := func(step, arguments, want string, called int) {
		t.Helper()
		result, err := c.CallTool(t.Context(), "price", wire.RawOf([]byte(arguments)))
		text, _ := wire.Marshal(&result)
		if err != nil {
			text = []byte(err.Error())
		}
		if !strings.Contains(string(text), want) || calls != called {
			t.Errorf("%s: after %d calls: %s", step, calls, text)
		}
	}
	change := func(remove []string, add ...mcpdynamic.Tool) {
		t.Helper()
		if err := set.ReplaceTools(remove, add...); err != nil {
			t.Fatal(err)
		}
	}
	change(nil, tool("the first", free))
	expect("first", `{}`, "the first", 1)
	expect("kept", `{}`, "the first", 1)
	expect("twice", `{"sku":1,"sku":2}`, "duplicate", 1)
	change([]string{"price"})
	expect("removed", `{}`, "Unknown tool", 1)
	change(nil, tool("the second", strict))
	expect("another one", `{}`, "required", 1)
	expect("another one", `{"sku":1}`, "the second", 2)
	change([]string{"price"}, tool("the third", strict))
	expect("replaced", `{"sku":1}`, "the third", 3)
	expect("kept again", `{"sku":1}`, "the third", 3)
}
