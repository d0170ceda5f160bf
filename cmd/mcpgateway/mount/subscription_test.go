package mount_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/mount"
	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/rpc"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
	"github.com/rpcgen-go/rpcgen/test/await"
	"github.com/rpcgen-go/rpcgen/test/port"
)

var bothEras = []string{mcp.Revision20250618, mcp.Revision20260728}

// shelf is a server with resources whose subscriptions are counted.
type shelf struct {
	*mcp.Server
	set      *mcpdynamic.Set
	requests atomic.Int32 // to subscribe

	mu sync.Mutex
	on map[string]bool // resources with subscribers
}

// newShelf returns one with the given resources, those below test://any/ and what a middleware makes of
// requests. It refuses subscriptions to URIs that contain the word refused.
func newShelf(t *testing.T, o mcp.Options, uris ...string) *shelf {
	s := &shelf{on: make(map[string]bool)}
	s.set = mcpdynamic.New(mcpdynamic.Options{Watch: s.watch})
	o.Dynamic, o.Logger = s.set, quiet
	o.Middleware = append(o.Middleware, func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, q *mcp.Request) error {
			if q.Method() == "resources/subscribe" || q.Method() == "subscriptions/listen" {
				s.requests.Add(1)
			}
			return next(ctx, q)
		}
	})
	s.Server = rpc.NewServer(rpc.UnimplementedServer{}, o)
	t.Cleanup(func() { s.Close() })
	for _, uri := range uris {
		if err := s.set.AddResources(mcpdynamic.Resource{URI: uri, Name: uri, Read: readNothing}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.set.ReplaceTemplates(nil, mcpdynamic.Template{URITemplate: "test://any/{+path}", Name: "any", Read: readNothing}); err != nil {
		t.Fatal(err)
	}
	return s
}

func readNothing(context.Context, string) (wire.Appender, error) {
	return &mcp.ReadResourceResult{}, nil
}

func (s *shelf) watch(uri string) (stop func()) {
	if strings.Contains(uri, "refused") {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on[uri] = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.on, uri)
	}
}

// watched returns the resources with subscribers.
func (s *shelf) watched() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for uri := range s.on {
		all = append(all, uri)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// becomes waits until exactly the given resources have subscribers.
func (s *shelf) becomes(t *testing.T, want string) {
	t.Helper()
	await.Until(t, "the subscriptions at the server are "+want, func() bool { return s.watched() == want })
}

// in returns a way to reach servers in memory, by their names in the configuration.
func in(servers map[string]*shelf) func(string, mount.Server) mcpclient.Dialer {
	return func(name string, s mount.Server) mcpclient.Dialer {
		if servers[name] == nil {
			return mount.Dial(name, s)
		}
		return mcpclient.InMemory(servers[name].Server)
	}
}

// subscriber is a client of the gateway that notes the updates that it gets.
type subscriber struct {
	*mcpclient.Client
	updates chan string
}

func newSubscriber(t *testing.T, dial mcpclient.Dialer, revision string) *subscriber {
	t.Helper()
	s := &subscriber{updates: make(chan string, 1000)}
	s.Client = connect(t, dial, mcpclient.Options{Revisions: []string{revision}, OnResourceUpdated: func(_ context.Context, uri string) { s.updates <- uri }})
	return s
}

// subscribe subscribes to resources, and fails the test if one is not agreed to.
func (s *subscriber) subscribe(t *testing.T, uris ...string) *mcpclient.Subscription {
	t.Helper()
	made, err := s.Listen(t.Context(), mcpclient.Changes{URIs: uris})
	if err != nil || len(made.Agreed.URIs) != len(uris) {
		t.Fatalf("got %+v, %v", made, err)
	}
	return made
}

// refused fails the test unless a subscription is refused.
func (s *subscriber) refused(t *testing.T, uri string) {
	t.Helper()
	made, err := s.Listen(t.Context(), mcpclient.Changes{URIs: []string{uri}})
	if err == nil && len(made.Agreed.URIs) > 0 {
		t.Errorf("the subscription to %.100s is not refused", uri)
	}
	if made != nil {
		made.Close()
	}
}

// gets waits for an update.
func (s *subscriber) gets(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-s.updates:
		if got != want {
			t.Errorf("got the update of %q, want that of %q", got, want)
		}
	case <-time.After(time.Minute): // the gateway waits longer before each try to connect
		t.Fatalf("the update of %s does not arrive", want)
	}
}

// getsAmong waits for an update, and ignores those of other resources.
func (s *subscriber) getsAmong(t *testing.T, want string) {
	t.Helper()
	limit := time.After(time.Minute) // the gateway waits longer before each try to connect
	for {
		select {
		case got := <-s.updates:
			if got == want {
				return
			}
		case <-limit:
			t.Fatalf("the update of %s does not arrive", want)
		}
	}
}

// TestSubscriptions: the clients of the gateway share one subscription of each resource at its server, which
// ends with the last of them, whatever revisions both speak.
func TestSubscriptions(t *testing.T) {
	for _, up := range bothEras {
		for _, down := range bothEras {
			t.Run(up+"/"+down, func(t *testing.T) {
				s := newShelf(t, mcp.Options{}, "test://a", "test://b")
				web := httptest.NewServer(mcphttp.NewHandler(s.Server, mcphttp.Options{}))
				t.Cleanup(web.Close)
				g := start(t, config(t, "servers: {up: {url: "+web.URL+", revisions: ["+up+"]}}"), mount.Options{})
				ann, bob := newSubscriber(t, mcpclient.InMemory(g.Server()), down), newSubscriber(t, mcpclient.InMemory(g.Server()), down)
				before := s.requests.Load()
				of := ann.subscribe(t, "test://a")
				s.becomes(t, "test://a")
				ofBob := bob.subscribe(t, "test://a")
				s.ResourceUpdated("test://a")
				ann.gets(t, "test://a")
				bob.gets(t, "test://a")
				if n := s.requests.Load() - before; n != 1 {
					t.Errorf("%d requests to subscribe", n)
				}
				bob.subscribe(t, "test://b", "test://any/thing")
				s.becomes(t, "test://a test://any/thing test://b")
				s.ResourceUpdated("test://any/thing")
				bob.gets(t, "test://any/thing")
				bob.refused(t, "test://unknown")
				if err := of.Close(); err != nil {
					t.Error(err)
				}
				if err := ofBob.Close(); err != nil {
					t.Error(err)
				}
				s.becomes(t, "test://any/thing test://b")
				s.ResourceUpdated("test://b")
				bob.gets(t, "test://b")
				bob.Close() // without unsubscribing
				s.becomes(t, "")
				if len(ann.updates)+len(bob.updates) > 0 {
					t.Errorf("there are %d and %d more updates", len(ann.updates), len(bob.updates))
				}
			})
		}
	}
}

// TestSubscriptionsVanish: clients of HTTP disappear. Nothing is left of them: neither subscriptions at the
// server nor goroutines.
func TestSubscriptionsVanish(t *testing.T) {
	goroutines := goruntime.NumGoroutine()
	for _, revision := range bothEras {
		s := newShelf(t, mcp.Options{}, "test://a")
		back := mcphttp.NewHandler(s.Server, mcphttp.Options{Auth: mcphttp.Tokens(map[string]string{"token-of-the-gateway": "gateway"})})
		up := httptest.NewServer(back)
		g := gateway(t, config(t, "servers: {up: {url: "+up.URL+", token: token-of-the-gateway, revisions: ["+revision+"]}}"), mount.Options{Logger: quiet})
		if err := g.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		h := g.HTTP(mcphttp.Options{SessionIdle: 200 * time.Millisecond})
		web := httptest.NewServer(h)
		transport := &http.Transport{}
		var c *mcpclient.Client
		await.Until(t, "a client subscribes before its session is idle for long", func() bool {
			var err error
			c, err = mcpclient.Connect(t.Context(), mcphttp.Dial(web.URL, mcphttp.ClientOptions{HTTP: &http.Client{Transport: noDelete{transport}}}), mcpclient.Options{
				Logger: quiet, Revisions: []string{revision},
			})
			if err != nil {
				return false
			}
			if _, err = c.Listen(t.Context(), mcpclient.Changes{URIs: []string{"test://a"}}); err != nil {
				c.Close()
			}
			return err == nil
		})
		s.becomes(t, "test://a")
		c.Close()
		transport.CloseIdleConnections()
		s.becomes(t, "")
		web.Close()
		h.Close()
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		up.Close()
		back.Close()
		s.Close()
	}
	await.Until(t, "no goroutine is left", func() bool { return goruntime.NumGoroutine() <= goroutines })
}

// noDelete is a client of HTTP that ends without telling the server.
type noDelete struct{ http.RoundTripper }

func (n noDelete) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodDelete {
		return &http.Response{StatusCode: http.StatusMethodNotAllowed, Body: http.NoBody, Request: r}, nil
	}
	return n.RoundTripper.RoundTrip(r)
}

// TestSubscriptionsRenewed: the server goes away and comes back. The clients get updates again, and first
// one of what they may have missed.
func TestSubscriptionsRenewed(t *testing.T) {
	for _, up := range bothEras {
		for _, down := range bothEras {
			s := newShelf(t, mcp.Options{}, "test://a", "test://b")
			address := port.Address()
			h := mcphttp.NewHandler(s.Server, mcphttp.Options{})
			web := serveAt(t, address, h)
			g := start(t, config(t, "servers: {up: {url: "+web.URL+", revisions: ["+up+"]}}"), mount.Options{})
			c := newSubscriber(t, mcpclient.InMemory(g.Server()), down)
			c.subscribe(t, "test://a")
			s.becomes(t, "test://a")
			away(web)
			h.Close() // its sessions end now, and none before because this machine is slow
			s.becomes(t, "")
			c.subscribe(t, "test://b") // while the server is away
			s = newShelf(t, mcp.Options{}, "test://a", "test://b")
			web = serveAt(t, address, mcphttp.NewHandler(s.Server, mcphttp.Options{}))
			t.Cleanup(web.Close)
			c.CallTool(t.Context(), "up_gateway_status", runtime.Raw{}) // so that the gateway notices
			c.getsAmong(t, "test://a")
			s.becomes(t, "test://a test://b")
			s.ResourceUpdated("test://b")
			c.getsAmong(t, "test://b")
			s.ResourceUpdated("test://a")
			c.getsAmong(t, "test://a")
			c.Close()
			s.becomes(t, "")
			g.Close()
			web.Close()
		}
	}
}

// TestSubscriptionsOfPrincipals: a client cannot subscribe to what it does not see.
func TestSubscriptionsOfPrincipals(t *testing.T) {
	one, two := newShelf(t, mcp.Options{}, "test://one"), newShelf(t, mcp.Options{}, "test://two")
	if err := two.set.ReplaceTemplates([]string{"test://any/{+path}"}); err != nil {
		t.Fatal(err)
	}
	g := start(t, config(t, `
servers: {one: {url: http://memory}, two: {url: http://memory}}
principals:
  ann: {token: token-of-ann, allow: ["*"]}
  bob: {token: token-of-bob, allow: [two, "one/*"]}
`), mount.Options{Dial: in(map[string]*shelf{"one": one, "two": two})})
	web := httptest.NewServer(g.HTTP(mcphttp.Options{}))
	t.Cleanup(web.Close)
	for _, revision := range bothEras {
		as := func(token string) *subscriber {
			o := mcphttp.ClientOptions{Header: http.Header{"Authorization": {"Bearer " + token}}}
			return newSubscriber(t, mcphttp.Dial(web.URL, o), revision)
		}
		ann, bob := as("token-of-ann"), as("token-of-bob")
		ann.subscribe(t, "test://one", "test://any/thing", "test://two")
		for _, uri := range []string{"test://one", "test://any/thing", "test://unknown"} {
			bob.refused(t, uri)
		}
		bob.subscribe(t, "test://two")
		one.becomes(t, "test://any/thing test://one")
		one.ResourceUpdated("test://one")
		ann.gets(t, "test://one")
		two.becomes(t, "test://two")
		two.ResourceUpdated("test://two")
		ann.gets(t, "test://two")
		bob.gets(t, "test://two")
		ann.Close()
		bob.Close()
		one.becomes(t, "")
		two.becomes(t, "")
	}
}

// TestSubscriptionMoves: a resource goes from one server to another. Clients that have subscribed to it get
// the updates of the other one.
func TestSubscriptionMoves(t *testing.T) {
	for _, revision := range bothEras {
		one, two := newShelf(t, mcp.Options{}, "test://a"), newShelf(t, mcp.Options{})
		if err := two.set.ReplaceTemplates([]string{"test://any/{+path}"}); err != nil {
			t.Fatal(err)
		}
		g := start(t, config(t, "servers: {one: {url: http://memory, revisions: ["+revision+"]}, two: {url: http://memory, revisions: ["+revision+"]}}"),
			mount.Options{Dial: in(map[string]*shelf{"one": one, "two": two})})
		c := newSubscriber(t, mcpclient.InMemory(g.Server()), revision)
		c.subscribe(t, "test://a")
		one.becomes(t, "test://a")
		if err := one.set.RemoveResources("test://a"); err != nil {
			t.Fatal(err)
		}
		await.Until(t, "the resource is gone", func() bool { _, err := c.ReadResource(t.Context(), "test://a"); return err != nil })
		if err := two.set.AddResources(mcpdynamic.Resource{URI: "test://a", Name: "a", Read: readNothing}); err != nil {
			t.Fatal(err)
		}
		one.becomes(t, "")
		two.becomes(t, "test://a")
		c.gets(t, "test://a")
		two.ResourceUpdated("test://a")
		c.gets(t, "test://a")
	}
}

// TestSubscriptionChurn: many clients subscribe and unsubscribe at the same time. Nothing is left in the
// end.
func TestSubscriptionChurn(t *testing.T) {
	for _, revision := range bothEras {
		s := newShelf(t, mcp.Options{}, "test://a", "test://b")
		g := start(t, config(t, "servers: {up: {url: http://memory, revisions: ["+revision+"]}}"), mount.Options{Dial: in(map[string]*shelf{"up": s})})
		var all sync.WaitGroup
		for i := range 8 {
			c := newSubscriber(t, mcpclient.InMemory(g.Server()), bothEras[i%2])
			all.Go(func() {
				for n := range 30 {
					made, err := c.Listen(t.Context(), mcpclient.Changes{URIs: []string{"test://a", "test://b", fmt.Sprintf("test://any/%d", n%5)}})
					if err != nil {
						t.Error(err)
						return
					}
					if n == 29 && i%2 == 0 {
						c.Close()
						return
					}
					made.Close()
				}
			})
		}
		all.Wait()
		s.becomes(t, "")
	}
}
