package mcphttp_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// forgetful is a server that loses its sessions, and what stands before it: refusals are answers to requests for separate streams.
type forgetful struct {
	*httptest.Server
	serving  atomic.Pointer[http.Handler]
	refusals atomic.Int64
	srv      atomic.Pointer[mcp.Server]
}

func newForgetful(t *testing.T) *forgetful {
	f := new(forgetful)
	f.restart()
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && f.refusals.Add(-1) >= 0 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		(*f.serving.Load()).ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// restart begins the server anew, without sessions, and ends all streams.
func (f *forgetful) restart() {
	srv := toolbox.NewServer(toolbox.UnimplementedServer{}, mcp.Options{Logger: slog.New(slog.DiscardHandler)})
	var h http.Handler = mcphttp.NewHandler(srv, mcphttp.Options{})
	f.serving.Store(&h)
	f.srv.Store(srv)
	if f.Server != nil {
		f.CloseClientConnections()
	}
}

// listener connects a client that only listens.
func (f *forgetful) listener(t *testing.T) (*mcpclient.Subscription, <-chan mcpclient.List) {
	t.Helper()
	heard := make(chan mcpclient.List, 100)
	c, err := mcpclient.Connect(t.Context(), mcphttp.Dial(f.URL, mcphttp.ClientOptions{Reconnects: 1}), mcpclient.Options{
		Revisions: []string{mcp.Revision20250618}, Logger: slog.New(slog.DiscardHandler),
		OnListChanged: func(_ context.Context, l mcpclient.List) { heard <- l },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	s, err := c.Listen(t.Context(), mcpclient.Changes{Tools: true})
	if err != nil {
		t.Fatal(err)
	}
	return s, heard
}

// TestListenerWithoutCalls: a client that only listens hears of changes although its separate stream is refused at first, or its session is lost.
func TestListenerWithoutCalls(t *testing.T) {
	t.Run("refused at first", func(t *testing.T) {
		t.Parallel()
		f := newForgetful(t)
		f.refusals.Store(1)
		_, heard := f.listener(t)
		for told := false; !told; {
			f.srv.Load().ToolsChanged()
			select {
			case <-heard:
				told = true
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	t.Run("refused more often than a call is", func(t *testing.T) {
		t.Parallel()
		f := newForgetful(t)
		_, heard := f.listener(t)
		f.refusals.Store(1)
		f.CloseClientConnections()
		for told := false; !told; {
			f.srv.Load().ToolsChanged()
			select {
			case <-heard:
				told = f.refusals.Load() < 0
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	t.Run("lost", func(t *testing.T) {
		t.Parallel()
		f := newForgetful(t)
		_, heard := f.listener(t)
		f.restart()
		if l := <-heard; l != mcpclient.ListOfTools { // which may have changed meanwhile
			t.Error(l)
		}
		for told := false; !told; {
			f.srv.Load().ToolsChanged()
			select {
			case <-heard:
				told = true
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
}
