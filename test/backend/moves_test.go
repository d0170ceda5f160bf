package backend_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend/backendoauth"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcpcluster"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// fleet is a row of replicas behind a balancer that sends each request to the next one that has not shut down.
type fleet struct {
	site *httptest.Server
	next atomic.Int64

	mu       sync.Mutex
	all      []http.Handler // of the replicas that have not shut down
	handlers []*mcphttp.Handler
}

// newFleet starts replicas that share sessions, each with credentials of its own.
func newFleet(t *testing.T, a *api, size int, credentials func(site string) (backend.Credentials, http.Handler)) *fleet {
	f := new(fleet)
	f.site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		one := f.all[int(f.next.Add(1))%len(f.all)]
		f.mu.Unlock()
		one.ServeHTTP(w, r)
	}))
	t.Cleanup(f.site.Close) // after the clients
	shared := mcpcluster.NewMemory()
	for range size {
		given, pages := credentials(f.site.URL)
		server := rpc.NewServer(a.client(t, func(o *backend.Options) { o.Credentials = given; o.CallTimeout = time.Minute }), mcp.Options{StateKeys: [][]byte{make([]byte, 32)}})
		h := mcphttp.NewHandler(server, mcphttp.Options{
			Replicas: mcpcluster.New(shared), Auth: mcphttp.Tokens(map[string]string{"secret-of-ann": "ann", "secret-of-bob": "bob"}),
		})
		t.Cleanup(func() { _ = h.Close() })
		mux := http.NewServeMux()
		mux.Handle("/mcp", h)
		if pages != nil {
			mux.Handle("/login/", pages)
		}
		f.all, f.handlers = append(f.all, mux), append(f.handlers, h)
	}
	return f
}

// TestMovedSessions: sessions whose calls are served by any replica, and which move when their home shuts down, keep to the credentials of their principals, by Login and
// by Exchange.
func TestMovedSessions(t *testing.T) {
	for name, prefix := range map[string]string{"login": "token-of-", "exchange": "token-of-exchanged-"} {
		t.Run(name, func(t *testing.T) {
			auth, store := newAuthority(t), new(backend.Memory)
			f := newFleet(t, bearers(t, nil), 3, func(site string) (backend.Credentials, http.Handler) {
				if name == "exchange" {
					return backendoauth.Exchange(auth.options()), nil
				}
				login, err := backendoauth.NewLogin(backendoauth.LoginOptions{
					Options: auth.options(), URL: site + "/login", Store: store, Key: bytes.Repeat([]byte{1}, 32), User: func(r *http.Request) string { return r.Header.Get("X-User") },
				})
				if err != nil {
					t.Fatal(err)
				}
				return login, login
			})
			clients := map[string]*rpc.Client{}
			for _, user := range []string{"ann", "bob"} {
				clients[user] = connected(t, f.site, user, "2025-11-25", func(page string) {
					if got := browser(user).visit(t, browser(user).client(), page); !strings.HasPrefix(got, "200") {
						t.Error(got)
					}
				})
			}
			call := func(user string) {
				if out, err := clients[user].IssuesList(t.Context(), list); err != nil || !strings.HasPrefix(out.Issues[0].User.Login, prefix+user+"-") {
					t.Errorf("%s: %v %v", user, out, err)
				}
			}
			for range 3 {
				var calls sync.WaitGroup
				for user := range clients {
					calls.Go(func() {
						call(user) // and logs in, the first time
						for range 8 {
							calls.Go(func() { call(user) })
						}
					})
				}
				calls.Wait()
				if len(f.all) > 1 {
					f.shutDown(t)
				}
			}
			if n := auth.count("authorization_code"); name == "login" && n != 2 {
				t.Errorf("%d codes were exchanged", n)
			}
		})
	}
}

// shutDown shuts the first replica down.
func (f *fleet) shutDown(t *testing.T) {
	f.mu.Lock()
	first := f.handlers[0]
	f.all, f.handlers = f.all[1:], f.handlers[1:]
	f.mu.Unlock()
	if err := first.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}
