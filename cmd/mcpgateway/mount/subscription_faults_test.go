package mount_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/mount"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/test/await"
)

// TestSubscriptionsDivided: servers refuse some resources, or limit those of one subscription: the others
// are subscribed to all the same.
func TestSubscriptionsDivided(t *testing.T) {
	for _, up := range bothEras {
		s := newShelf(t, mcp.Options{MaxSubscriptions: 64, MaxSubscriptionBytes: 12 << 10})
		g := start(t, config(t, "servers: {up: {url: http://memory, revisions: ["+up+"]}}"), mount.Options{Dial: in(map[string]*shelf{"up": s})})
		var want []string
		for i := range 60 {
			name := fmt.Sprintf("test://any/%02d", i)
			if i%10 == 7 {
				name += strings.Repeat("long", 600)
			}
			if i%10 == 3 {
				name += "refused"
			} else if up == mcp.Revision20260728 || i%10 != 7 { // a session has 12 KiB in all
				want = append(want, name)
			}
			c := newSubscriber(t, mcpclient.InMemory(g.Server()), bothEras[i%2])
			if up == mcp.Revision20260728 || i%10 != 7 {
				c.subscribe(t, name)
			}
		}
		s.becomes(t, strings.Join(want, " "))
	}
}

// TestSubscriptionLimits: clients cannot have the gateway subscribe to any number of resources, nor to URIs
// of any length.
func TestSubscriptionLimits(t *testing.T) {
	s := newShelf(t, mcp.Options{})
	g := start(t, config(t, "servers: {up: {url: http://memory}}"), mount.Options{Dial: in(map[string]*shelf{"up": s})})
	one, other := newSubscriber(t, mcpclient.InMemory(g.Server()), mcp.Revision20260728), newSubscriber(t, mcpclient.InMemory(g.Server()), mcp.Revision20250618)
	other.refused(t, "test://any/"+strings.Repeat("x", 4<<10))
	var all []string
	for i := range 1000 {
		all = append(all, fmt.Sprintf("test://any/%d", i))
	}
	of := one.subscribe(t, all...)
	other.refused(t, "test://any/more")
	other.subscribe(t, "test://any/7")
	slices.Sort(all)
	s.becomes(t, strings.Join(all, " "))
	if n := s.requests.Load(); n > 50 {
		t.Errorf("%d requests to subscribe to %d resources", n, len(all))
	}
	if err := of.Close(); err != nil {
		t.Error(err)
	}
	s.becomes(t, "test://any/7")
	other.subscribe(t, "test://any/more")
}

// TestSubscriptionsEndEarly: a server that ends each subscription at once is asked again with growing delays.
func TestSubscriptionsEndEarly(t *testing.T) {
	var listens atomic.Int32
	s := newShelf(t, mcp.Options{Middleware: []mcp.Middleware{func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			if q.Method() == "subscriptions/listen" {
				if listens.Add(1) > 1 { // the first is that of the lists
					var cancel context.CancelFunc
					ctx, cancel = context.WithCancel(ctx)
					ctx = transport.WithPeer(ctx, brief{runtime.PeerFrom(ctx), cancel})
				}
			}
			return next(ctx, q)
		}
	}}}, "test://a")
	g := start(t, config(t, "servers: {up: {url: http://memory, revisions: ["+mcp.Revision20260728+"]}}"), mount.Options{Dial: in(map[string]*shelf{"up": s})})
	c := newSubscriber(t, mcpclient.InMemory(g.Server()), mcp.Revision20260728)
	began := time.Now()
	c.subscribe(t, "test://a")
	await.Until(t, "it is asked again", func() bool { return listens.Load() > 5 })
	if n, took := listens.Load()-1, time.Since(began); float64(n) > 6*took.Seconds()+1 {
		t.Errorf("%d subscriptions in %v", n, took)
	}
	c.gets(t, "test://a") // what may have been missed
}

// brief is a connection whose subscriptions end soon after they are acknowledged.
type brief struct {
	runtime.Conn
	end context.CancelFunc
}

func (b brief) Notify(ctx context.Context, msg []byte) error {
	time.AfterFunc(50*time.Millisecond, b.end) // the client reads an answer that comes at once before the acknowledgement
	return b.Conn.Notify(ctx, msg)
}

// TestSubscriptionsOverload: a server that is overloaded for a while refuses no subscription for good, and clients get an update of what they may have missed
// meanwhile.
func TestSubscriptionsOverload(t *testing.T) {
	for _, revision := range bothEras {
		var asked atomic.Int32
		s := newShelf(t, mcp.Options{Middleware: []mcp.Middleware{func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, q *mcp.Request) error {
				n := int32(1)
				if q.Method() == "resources/subscribe" || q.Method() == "subscriptions/listen" {
					n = asked.Add(1)
				}
				if n == 2 || n == 3 { // the first stateless one is that of the lists
					return runtime.Answer(mcp.CodeOverloaded, "Overloaded", runtime.Raw{})
				}
				return next(ctx, q)
			}
		}}})
		g := start(t, config(t, "servers: {up: {url: http://memory, revisions: ["+revision+"]}}"), mount.Options{Dial: in(map[string]*shelf{"up": s})})
		c := newSubscriber(t, mcpclient.InMemory(g.Server()), revision)
		c.subscribe(t, "test://any/a", "test://any/b")
		s.becomes(t, "test://any/a test://any/b")
		c.getsAmong(t, "test://any/b")
	}
}

// TestForeignUpdates: a server sends updates of the resources of another one, and of its own that no client has
// subscribed to. They are not passed on.
func TestForeignUpdates(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p := wire.PeekAt(body)
		method, _ := p.In("method").Text()
		id := string(p.In("id").JSON())
		result := map[string]string{
			"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{"subscribe":true}},"serverInfo":{"name":"evil","version":"1"}}`,
			"tools/list": `{"tools":[{"name":"push","inputSchema":{"type":"object"}}]}`, "tools/call": `{"content":[]}`,
			"resources/list": `{"resources":[{"uri":"test://evil","name":"own"},{"uri":"test://unwanted","name":"own"}]}`, "resources/templates/list": `{"resourceTemplates":[]}`,
			"resources/subscribe": `{}`, "resources/unsubscribe": `{}`, "ping": `{}`,
		}[method]
		switch {
		case id == "" || r.Method != http.MethodPost:
			w.WriteHeader(http.StatusAccepted)
		case method == "tools/call":
			w.Header().Set("Content-Type", "text/event-stream")
			for _, uri := range []string{"test://a", "test://unwanted", "test://unknown", "test://evil"} {
				fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":%q}}\n\n", uri)
			}
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", id, result)
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
		}
	}))
	t.Cleanup(web.Close)
	s := newShelf(t, mcp.Options{}, "test://a")
	g := start(t, config(t, "servers: {a: {url: http://memory}, evil: {url: "+web.URL+", revisions: ["+mcp.Revision20250618+"]}}"), mount.Options{Dial: in(map[string]*shelf{"a": s})})
	c := newSubscriber(t, mcpclient.InMemory(g.Server()), mcp.Revision20260728)
	c.subscribe(t, "test://a", "test://evil")
	if _, err := c.CallTool(t.Context(), "evil_push", runtime.Raw{}); err != nil {
		t.Fatal(err)
	}
	c.gets(t, "test://evil")
	if len(c.updates) > 0 {
		t.Errorf("got the update of %s", <-c.updates)
	}
}
