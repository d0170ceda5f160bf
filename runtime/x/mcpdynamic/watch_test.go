package mcpdynamic_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/shop"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpdynamic"
)

// watching records which resources are watched. It allows those whose URI begins with test://.
type watching struct {
	t  *testing.T
	mu sync.Mutex
	on map[string]bool
	n  int // calls of watch that have returned a function
}

func (w *watching) watch(uri string) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !strings.HasPrefix(uri, "test://") {
		return nil
	}
	if w.on[uri] {
		w.t.Errorf("%s is watched twice at the same time", uri)
	}
	w.on[uri] = true
	w.n++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !w.on[uri] {
			w.t.Errorf("%s is stopped twice", uri)
		}
		delete(w.on, uri)
	}
}

// now returns what is watched, and how often a watch has begun.
func (w *watching) now() (uris []string, begun int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri := range w.on {
		uris = append(uris, uri)
	}
	slices.Sort(uris)
	return uris, w.n
}

// newWatched returns a server without resources in its schema, whose resources are watched.
func newWatched(t *testing.T, visible func(ctx context.Context, list mcpdynamic.List, key string) bool) (*mcp.Server, *watching) {
	w := &watching{t: t, on: make(map[string]bool)}
	set := mcpdynamic.New(mcpdynamic.Options{Watch: w.watch, Visible: visible})
	without := &shop.Shop{Change: func(i *mcp.Info) { i.Resources, i.Templates, i.Subscribe = "", "", false }}
	return mcp.NewServer(without, mcp.Options{Dynamic: set, Logger: slog.New(slog.DiscardHandler)}), w
}

// listener connects a client, which notes the updates that it gets.
func listener(t *testing.T, srv *mcp.Server, revision string) (*mcpclient.Client, <-chan string) {
	t.Helper()
	updates := make(chan string, 1000)
	c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(srv), mcpclient.Options{
		Revisions: []string{revision}, Logger: slog.New(slog.DiscardHandler), OnResourceUpdated: func(_ context.Context, uri string) { updates <- uri },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, updates
}

// TestWatch: clients share one watch of a resource, which ends with the last subscription, however that
// ends. A resource that Watch refuses cannot be subscribed to.
func TestWatch(t *testing.T) {
	for _, revision := range []string{mcp.Revision20250618, mcp.Revision20260728} {
		synctest.Test(t, func(t *testing.T) {
			srv, w := newWatched(t, nil)
			defer srv.Close()
			check := func(step string, begun int, want ...string) {
				t.Helper()
				synctest.Wait()
				if uris, n := w.now(); !slices.Equal(uris, want) || n != begun {
					t.Errorf("%s, %s: %d watches began, and there are those of %q; want %d and %q", revision, step, n, uris, begun, want)
				}
			}
			subscribe := func(c *mcpclient.Client, uris ...string) (*mcpclient.Subscription, error) {
				return c.Listen(t.Context(), mcpclient.Changes{URIs: uris})
			}
			ann, toAnn := listener(t, srv, revision)
			bob, toBob := listener(t, srv, revision)
			if d, err := ann.Discover(t.Context()); err != nil || !d.Capabilities.Has("resources", "subscribe") {
				t.Errorf("%s: the capability is not declared: %v", revision, err)
			}
			of, err := subscribe(ann, "test://a", "test://b")
			check("ann subscribes", 2, "test://a", "test://b")
			ofBob, errBob := subscribe(bob, "test://a")
			check("bob subscribes", 2, "test://a", "test://b")
			if err = errors.Join(err, errBob); err != nil {
				t.Fatal(err)
			}
			srv.ResourceUpdated("test://a")
			srv.ResourceUpdated("test://c")
			synctest.Wait()
			if len(toAnn) != 1 || len(toBob) != 1 || <-toAnn != "test://a" || <-toBob != "test://a" {
				t.Errorf("%s: the updates do not arrive", revision)
			}
			refused, err := subscribe(bob, "other://x")
			switch handshake := bob.Era() == mcp.Handshake; {
			case handshake && !errors.Is(err, mcp.ErrNotFound):
				t.Errorf("%s: got %v", revision, err)
			case !handshake && (err != nil || len(refused.Agreed.URIs) != 0):
				t.Errorf("%s: agreed to %v, %v", revision, refused, err)
			}
			if err := of.Close(); err != nil {
				t.Error(err)
			}
			check("ann ends hers", 2, "test://a")
			if _, err := subscribe(ann, "test://b"); err != nil {
				t.Fatal(err)
			}
			check("ann subscribes again", 3, "test://a", "test://b")
			ann.Close()
			check("ann vanishes", 3, "test://a")
			if err := ofBob.Close(); err != nil {
				t.Error(err)
			}
			check("bob ends his", 3)
			bob.Close()
		})
	}
}

// TestWatchRace: sessions subscribe, unsubscribe and vanish at the same time. Nothing is watched in the
// end, nor was anything watched twice.
func TestWatchRace(t *testing.T) {
	for _, revision := range []string{mcp.Revision20250618, mcp.Revision20260728} {
		srv, w := newWatched(t, nil)
		var all sync.WaitGroup
		for i := range 16 {
			c, _ := listener(t, srv, revision)
			for _, uri := range []string{"test://a", "test://b"} {
				all.Go(func() {
					for n := range 20 {
						s, err := c.Listen(t.Context(), mcpclient.Changes{URIs: []string{uri}})
						if err != nil {
							return // the client is closed
						}
						if n == 10+i/2 {
							c.Close()
						}
						s.Close()
					}
				})
			}
			t.Cleanup(func() { c.Close() })
		}
		all.Wait()
		if err := srv.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if uris, n := w.now(); len(uris) != 0 || n == 0 {
			t.Errorf("%s: %q are watched in the end, after %d watches", revision, uris, n)
		}
	}
}

// TestWatchHidden: a client that does not see a resource any more gets no updates of it.
func TestWatchHidden(t *testing.T) {
	for _, revision := range []string{mcp.Revision20250618, mcp.Revision20260728} {
		synctest.Test(t, func(t *testing.T) {
			var hidden atomic.Bool
			srv, _ := newWatched(t, func(_ context.Context, _ mcpdynamic.List, key string) bool {
				return key != "test://a" || !hidden.Load()
			})
			defer srv.Close()
			c, updates := listener(t, srv, revision)
			defer c.Close()
			if _, err := c.Listen(t.Context(), mcpclient.Changes{URIs: []string{"test://a", "test://b"}}); err != nil {
				t.Fatal(err)
			}
			hidden.Store(true)
			srv.ResourceUpdated("test://a")
			srv.ResourceUpdated("test://b")
			synctest.Wait()
			if len(updates) != 1 || <-updates != "test://b" {
				t.Errorf("%s: an update of a hidden resource was sent", revision)
			}
			hidden.Store(false)
			srv.ResourceUpdated("test://a")
			synctest.Wait()
			if len(updates) != 1 || <-updates != "test://a" {
				t.Errorf("%s: an update was not sent", revision)
			}
		})
	}
}

// TestWatchRestored: a session that comes from another process brings its subscriptions. It gets updates of
// what its client sees.
func TestWatchRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, w := newWatched(t, onlyAnn)
		defer srv.Close()
		conn := &recording{}
		session := srv.Open(conn)
		state := `{"revision":"` + mcp.Revision20250618 + `","level":"info","uris":["test://a","other://x","test://secret"]}`
		if err := session.Hooks().Continuation().Restore(mcp.WithPrincipal(t.Context(), "bob"), []byte(state)); err != nil {
			t.Fatal(err)
		}
		if uris, _ := w.now(); !slices.Equal(uris, []string{"test://a", "test://secret"}) {
			t.Errorf("%q are watched", uris)
		}
		srv.ResourceUpdated("test://secret")
		synctest.Wait()
		if got := conn.heard(); !strings.Contains(got, `"uri":"test://a"`) || strings.Contains(got, "secret") {
			t.Errorf("bob gets %s", got)
		}
		session.Hooks().Closed()
		if uris, _ := w.now(); len(uris) != 0 {
			t.Errorf("%q are watched after the session", uris)
		}
	})
}

// recording is a connection that keeps what the client gets.
type recording struct {
	runtime.Conn
	mu   sync.Mutex
	text strings.Builder
}

func (r *recording) Notify(_ context.Context, msg []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.Write(msg)
	return nil
}

func (r *recording) heard() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// TestWatchDeclared: if the schema has resources with subscriptions, clients can subscribe to what Watch
// refuses, and Watch is asked again for the next subscriber.
func TestWatchDeclared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked, stopped int
		set := mcpdynamic.New(mcpdynamic.Options{Watch: func(string) func() {
			if asked++; asked == 1 {
				return nil
			}
			return func() { stopped++ }
		}})
		srv := toolbox.NewServer(box{}, mcp.Options{Dynamic: set, Logger: slog.New(slog.DiscardHandler)})
		defer srv.Close()
		for range 2 {
			c, updates := listener(t, srv, mcp.Revision20260728)
			defer c.Close()
			if s, err := c.Listen(t.Context(), mcpclient.Changes{URIs: []string{"test://a"}}); err != nil || len(s.Agreed.URIs) != 1 {
				t.Fatalf("agreed to %v, %v", s, err)
			}
			srv.ResourceUpdated("test://a")
			synctest.Wait()
			if len(updates) != 1 {
				t.Error("the update does not arrive")
			}
		}
		if asked != 2 || stopped != 0 {
			t.Errorf("asked %d times, stopped %d times", asked, stopped)
		}
	})
}
