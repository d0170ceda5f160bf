package mcphttp_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

// forgetful is a server that loses its sessions, over connections in memory. Refusals are answers to requests for separate streams.
type forgetful struct {
	*mcphttp.Pipes
	serving  atomic.Pointer[http.Handler]
	refusals atomic.Int64
	srv      atomic.Pointer[mcp.Server]

	mu    sync.Mutex
	conns []net.Conn
}

func newForgetful(t *testing.T) *forgetful {
	f := &forgetful{Pipes: mcphttp.NewPipes()}
	f.restart()
	server := http.Server{Handler: f}
	go server.Serve(f)
	t.Cleanup(func() { server.Close() })
	return f
}

// ServeHTTP implements [http.Handler].
func (f *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && f.refusals.Add(-1) >= 0 {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	(*f.serving.Load()).ServeHTTP(w, r)
}

// Accept implements [net.Listener].
func (f *forgetful) Accept() (net.Conn, error) {
	c, err := f.Pipes.Accept()
	if err == nil {
		f.mu.Lock()
		f.conns = append(f.conns, c)
		f.mu.Unlock()
	}
	return c, err
}

// cut closes all connections.
func (f *forgetful) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		c.Close()
	}
	f.conns = nil
}

// restart begins the server anew, without sessions.
func (f *forgetful) restart() {
	srv := toolbox.NewServer(toolbox.UnimplementedServer{}, mcp.Options{Logger: slog.New(slog.DiscardHandler)})
	var h http.Handler = mcphttp.NewHandler(srv, mcphttp.Options{})
	f.serving.Store(&h)
	f.srv.Store(srv)
}

// listener connects a client that only listens.
func (f *forgetful) listener(t *testing.T) <-chan mcpclient.List {
	t.Helper()
	heard := make(chan mcpclient.List, 100)
	c, err := mcpclient.Connect(t.Context(), mcphttp.Dial("http://127.0.0.1/", mcphttp.ClientOptions{HTTP: f.Client(t), Reconnects: 1}),
		mcpclient.Options{
			Revisions: []string{mcp.Revision20250618}, Logger: slog.New(slog.DiscardHandler),
			OnListChanged: func(_ context.Context, l mcpclient.List) { heard <- l },
		})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := c.Listen(t.Context(), mcpclient.Changes{Tools: true}); err != nil {
		t.Fatal(err)
	}
	return heard
}

// TestListenerWithoutCalls: a client that only listens hears of changes although its separate stream is refused at first, or its session is lost.
func TestListenerWithoutCalls(t *testing.T) {
	for name, happen := range map[string]func(f *forgetful){
		"refused at first":                       func(*forgetful) {},
		"refused more often than that of a call": func(f *forgetful) { f.refusals.Store(1); f.cut() },
		"lost":                                   func(f *forgetful) { f.restart(); f.cut() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newForgetful(t)
				if name == "refused at first" {
					f.refusals.Store(1)
				}
				heard := f.listener(t)
				happen(f)
				time.Sleep(time.Minute)
				if name == "lost" {
					if l := <-heard; l != mcpclient.ListOfTools { // which may have changed meanwhile
						t.Error(l)
					}
				}
				f.srv.Load().ToolsChanged()
				<-heard
			})
		})
	}
}
