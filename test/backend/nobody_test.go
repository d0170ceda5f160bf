package backend_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	rpc "github.com/rpcgen-go/rpcgen/generated/backend"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
	"github.com/rpcgen-go/rpcgen/runtime/transport/tcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend/backendoauth"
)

// TestNoPrincipal: what a principal is needed for refuses calls without one, and what is for one user on this machine refuses clients over HTTP and TCP. Credentials that are meant for all serve them.
func TestNoPrincipal(t *testing.T) {
	auth := newAuthority(t)
	t.Setenv("TEST_BACKEND_TOKEN", "token-of-environment")
	login := func(user func(*http.Request) string) backend.Credentials {
		l, err := backendoauth.NewLogin(backendoauth.LoginOptions{Options: auth.options(), URL: "http://127.0.0.1:1/login", User: user})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	const refused, pending, given = "there is no credential of scheme token", "the user has to log in", ""
	for name, test := range map[string]struct {
		credentials  backend.Credentials
		memory, http string // what the error says
	}{
		"Login with User":    {login(func(*http.Request) string { return "" }), refused, refused},
		"Login without User": {login(nil), pending, refused},
		"PerPrincipal":       {backend.PerPrincipal(new(backend.Memory)), refused, refused},
		"Exchange":           {backendoauth.Exchange(auth.options()), refused, refused},
		"Machine":            {backendoauth.Machine(auth.options()), given, given},
		"Shared":             {backend.Shared{"token": "TEST_BACKEND_TOKEN"}, given, given},
		"Env":                {backend.Env{"token": "TEST_BACKEND_TOKEN"}, given, given},
	} {
		api := bearers(t, nil).client(t, func(o *backend.Options) { o.Credentials = test.credentials })
		server := rpc.NewServer(api, mcp.Options{StateKeys: [][]byte{make([]byte, 32)}})
		site := httptest.NewServer(mcphttp.NewHandler(server, mcphttp.Options{}))
		t.Cleanup(site.Close)
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- tcp.Serve(ctx, listener, server) }()
		check := func(how, want string, err error) {
			t.Helper()
			if want == given && err != nil || want != given && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s, %s: %v", name, how, err)
			}
		}
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			for how, dial := range map[string]mcpclient.Dialer{"memory": mcpclient.InMemory(server), "HTTP": mcphttp.Dial(site.URL, mcphttp.ClientOptions{}),
				"TCP": func(ctx context.Context, h runtime.Handler) (runtime.Conn, error) {
					return tcp.Dial(ctx, listener.Addr().String(), h)
				}} {
				conn, err := mcpclient.Connect(t.Context(), dial, mcpclient.Options{Revisions: []string{revision}})
				if err != nil {
					t.Fatal(err)
				}
				_, err = rpc.NewClient(conn).IssuesList(t.Context(), list)
				want := test.http
				if how == "memory" {
					want = test.memory
				}
				check(revision+" "+how, want, err)
				_ = conn.Close()
			}
		}
		_, err = api.IssuesList(context.WithValue(t.Context(), http.ServerContextKey, new(http.Server)), list) // a WebSocket, or a handler of the program's own
		check("in the handler of a server", test.http, err)
		_, err = api.IssuesList(transport.WithLate(t.Context(), func([]byte, transport.Outcome) {}), list)
		check("over NATS", test.http, err)
		stop()
		<-served
	}
	if n := auth.count("authorization_code"); n != 0 {
		t.Errorf("%d codes were exchanged", n)
	}
}

// TestLoginOfNobody: with User, a login that an earlier version has sealed for no principal cannot be finished by a browser without a session.
func TestLoginOfNobody(t *testing.T) {
	auth := newAuthority(t)
	o := backendoauth.LoginOptions{Options: auth.options(), URL: "http://127.0.0.1:1/login", Key: make([]byte, 32)}
	begins, err := backendoauth.NewLogin(o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = begins.Credential(t.Context(), backend.Ask{Backend: "tracker", Scheme: "token"})
	if err == nil {
		t.Fatal("there is a credential")
	}
	for _, user := range []string{"", "ann"} {
		o.User = func(*http.Request) string { return user }
		other, err2 := backendoauth.NewLogin(o)
		if err2 != nil {
			t.Fatal(err2)
		}
		w := httptest.NewRecorder()
		other.ServeHTTP(w, httptest.NewRequest("GET", pageOf(err, o.URL), nil))
		if w.Code != http.StatusForbidden {
			t.Errorf("%q: %d %s", user, w.Code, w.Body)
		}
	}
}
