package mcpclient_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// library is a server with resources, which counts requests.
type library struct {
	toolbox.UnimplementedServer
	mu    sync.Mutex
	count map[string]int
}

func (l *library) ReadReadme(context.Context) (string, error) { return "read me", nil }

func (l *library) ReadItem(_ context.Context, p toolbox.ItemParams) (toolbox.Item, error) {
	if p.Sku == "ABC-0000" {
		return toolbox.Item{}, mcp.ErrNotFound
	}
	return toolbox.Item{Sku: p.Sku}, nil
}

// counted is a middleware that counts the requests that arrive.
func (l *library) counted(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, q *mcp.Request) error {
		l.mu.Lock()
		l.count[q.Method()+q.Name()]++
		l.mu.Unlock()
		return next(ctx, q)
	}
}

// arrived returns how many requests have arrived since the last call.
func (l *library) arrived(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.count[what]
	l.count[what] = 0
	return n
}

// TestCache lists and reads twice, with a cache, after changes, after the time is over, and without a
// cache. The schema says that results stay fresh for five minutes.
func TestCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &library{count: map[string]int{}}
		srv := toolbox.NewServer(l, mcp.Options{Logger: slog.New(slog.DiscardHandler), Middleware: []mcp.Middleware{l.counted}, PageSize: 8})
		connect := func(o mcpclient.Options) *mcpclient.Client {
			c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), o)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		c := connect(mcpclient.Options{CacheBytes: 1 << 20})
		defer c.Close()
		listening, err := c.Listen(t.Context(), mcpclient.Changes{Tools: true, Resources: true, URIs: []string{"shop://readme"}})
		if err != nil {
			t.Fatal(err)
		}
		defer listening.Close()
		use := func(c *mcpclient.Client) {
			t.Helper()
			n := 0
			for _, err := range c.ListTools(t.Context()) {
				if n++; err != nil {
					t.Fatal(err)
				}
			}
			read, err := c.ReadResource(t.Context(), "shop://readme")
			if err != nil || n != 16 || read.Contents[0].(*mcp.TextResourceContents).Text != "read me" {
				t.Fatal(read, n, err)
			}
		}
		expect := func(when string, lists, reads int) {
			t.Helper()
			if n, m := l.arrived("tools/list"), l.arrived("resources/readshop://readme"); n != lists || m != reads {
				t.Errorf("%s: %d lists and %d reads, want %d and %d", when, n, m, lists, reads)
			}
		}
		use(c)
		expect("first", 2, 1)
		use(c)
		expect("again", 0, 0)
		srv.ToolsChanged()
		synctest.Wait()
		use(c)
		expect("after a change of the list", 2, 0)
		srv.ResourceUpdated("shop://readme")
		synctest.Wait()
		use(c)
		expect("after a change of the resource", 0, 1)
		time.Sleep(5*time.Minute + time.Second)
		use(c)
		expect("after five minutes", 2, 1)
		for range 2 {
			if _, err := c.ReadResource(t.Context(), "shop://items/ABC-0000"); !errors.Is(err, mcp.ErrNotFound) {
				t.Error(err)
			}
		}
		if n := l.arrived("resources/readshop://items/ABC-0000"); n != 2 {
			t.Errorf("an error was kept: %d requests", n)
		}
		for name, o := range map[string]mcpclient.Options{
			"no cache": {}, "a cache that is too small": {CacheBytes: 10}, "a handshake": {CacheBytes: 1 << 20, Revisions: []string{mcp.Revision20251125}},
		} {
			other := connect(o)
			use(other)
			use(other)
			expect(name, 4, 2)
			other.Close()
		}
	})
}
