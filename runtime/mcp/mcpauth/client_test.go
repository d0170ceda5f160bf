package mcpauth

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/generated/toolbox"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
)

// books is a server with one tool.
type books struct{ toolbox.UnimplementedServer }

func (books) LookUp(ctx context.Context, in toolbox.Query) (map[string]string, error) {
	return map[string]string{"text": in.Text, "caller": mcp.PrincipalFrom(ctx)}, nil
}

// serveTools puts a server of MCP in the place of the one of the tests. It accepts the tokens of the
// authorization server, and requires scope for the tool.
func serveTools(t *testing.T, a *authority) {
	t.Helper()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	o := mcphttp.Options{Runtime: runtime.Options{Logger: quiet}, Auth: &mcphttp.Auth{
		Resource: a.mcp.URL + "/mcp", AuthorizationServers: []string{a.issuer.URL}, Scopes: []string{"tools"},
		Verify: func(_ context.Context, token string, _ *http.Request) (mcphttp.Principal, error) {
			a.mu.Lock()
			defer a.mu.Unlock()
			if !a.valid[token] {
				return mcphttp.Principal{}, errors.New("not issued")
			}
			return mcphttp.Principal{ID: "ann"}, nil
		},
	}}
	server := toolbox.NewServer(books{}, mcp.Options{Logger: quiet})
	h := mcphttp.NewHandler(server, o)
	a.mcp.Config.Handler = a.log(h)
	t.Cleanup(func() {
		h.Close()
		server.Close()
	})
}

// connect connects a client of MCP.
func (a *authority) connect(auth *Transport, o mcpclient.Options) (*mcpclient.Client, error) {
	o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	return mcpclient.Connect(a.t.Context(), mcphttp.Dial(a.mcp.URL+"/mcp", mcphttp.ClientOptions{HTTP: auth.Client()}), o)
}

// TestClient: a client of MCP logs in at a server of this module, in both eras, goes on when its
// token is revoked, and a person may take longer than the server.
func TestClient(t *testing.T) {
	for _, era := range []mcp.Era{0, mcp.Stateless, mcp.Handshake} {
		for !logsIn(t, era) {
			t.Logf("the machine is slower than the server may be in the era %s", era)
		}
	}
}

// logsIn reports false if everything but the login has taken so long that the client may give the server up.
func logsIn(t *testing.T, era mcp.Era) bool {
	const patience, login = 2 * time.Second, 3 * time.Second
	a := newAuthority(t)
	serveTools(t, a)
	began, waited := time.Now(), time.Duration(0)
	auth := a.transport(Options{Grant: &Login{Agent: &Loopback{Open: func(ctx context.Context, at string) error {
		if asked := time.Now(); era == 0 { // in which alone a server has to answer in time
			time.Sleep(login)
			waited = time.Since(asked)
		}
		return follow(ctx, at)
	}}}})
	conn, err := a.connect(auth, mcpclient.Options{Era: era, ProbeTimeout: patience})
	if err == nil {
		defer conn.Close()
	}
	if era == 0 && time.Since(began)-waited >= patience {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	if era == 0 && conn.Era() != mcp.Stateless {
		t.Errorf("the login took so long that the server seems to be of the era %s", conn.Era())
	}
	for range 2 {
		found, err := toolbox.NewClient(conn).LookUp(t.Context(), toolbox.Query{Text: "tea"})
		if err != nil || found["caller"] != "ann" {
			t.Errorf("%s: %v, %v", era, found, err)
		}
		a.revoke()
	}
	if n := a.count("/authorize"); n != 1 {
		t.Errorf("%s: %d logins", era, n)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	return true
}

// TestClientGivesUp: a login that fails is not tried again in another era.
func TestClientGivesUp(t *testing.T) {
	a := newAuthority(t)
	serveTools(t, a)
	failed, logins := errors.New("the person declines"), 0
	auth := a.transport(Options{Grant: &Login{Agent: &Loopback{Open: func(context.Context, string) error {
		logins++
		return failed
	}}}})
	if _, err := a.connect(auth, mcpclient.Options{}); !errors.Is(err, failed) || logins != 1 {
		t.Errorf("%v after %d logins", err, logins)
	}
}
