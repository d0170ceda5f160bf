package backend_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend/backendoauth"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// connectedWith starts another process with the same store, whose client logs in.
func connectedWith(t *testing.T, auth *authority, a *api, store backend.Store) func() string {
	site, _ := loginServer(t, a, func(o *backendoauth.LoginOptions) { o.Options, o.Store = auth.options(), store })
	c := connected(t, site, "ann", "2025-11-25", func(page string) { browser("ann").visit(t, browser("ann").client(), page) })
	return func() string {
		out, err := c.IssuesList(t.Context(), list)
		if err != nil {
			t.Error(err)
			return ""
		}
		return out.Issues[0].User.Login
	}
}

// TestExchange: the token of the client goes to the token endpoint and not to the API, and each principal gets a token of its own.
func TestExchange(t *testing.T) {
	auth := newAuthority(t)
	a := bearers(t, nil)
	o := auth.options()
	o.Audience, o.SecretInBody = "tracker", true
	server := rpc.NewServer(a.client(t, func(b *backend.Options) { b.Credentials = backendoauth.Exchange(o) }), mcp.Options{})
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcphttp.NewHandler(server, mcphttp.Options{Auth: mcphttp.Tokens(map[string]string{"secret-of-ann": "ann", "secret-of-bob": "bob"})}))
	both := httptest.NewServer(mux)
	t.Cleanup(both.Close) // after those of the clients
	var group sync.WaitGroup
	for _, user := range []string{"ann", "bob"} {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			c := connected(t, both, user, revision, nil)
			for range 4 {
				group.Go(func() {
					for range 25 {
						if out, err := c.IssuesList(t.Context(), list); err != nil || !strings.HasPrefix(out.Issues[0].User.Login, "token-of-exchanged-"+user+"-") {
							t.Errorf("%s: %v %v", user, out, err)
							return
						}
					}
				})
			}
		}
	}
	group.Wait()
	if n := len(auth.forms); n != 2 {
		t.Errorf("%d exchanges", n)
	}
	form := auth.forms[0]
	if form.Get("audience") != "tracker" || form.Get("scope") != "issues" || form.Get("client_secret") != "client-secret" || form.Get("subject_token_type") != "urn:ietf:params:oauth:token-type:access_token" {
		t.Error(form)
	}
	for _, line := range a.seen {
		if strings.Contains(line, "secret-of") {
			t.Error(line)
		}
	}
	if _, err := backendoauth.Exchange(o).Credential(t.Context(), backend.Ask{Principal: "ann"}); !errors.Is(err, backend.ErrNoCredential) {
		t.Error(err)
	}
	if _, err := backendoauth.Exchange(o).Credential(t.Context(), backend.Ask{}); !errors.Is(err, backend.ErrNoCredential) {
		t.Error(err)
	}
}

// TestMachine: the program has one token for all.
func TestMachine(t *testing.T) {
	auth := newAuthority(t)
	a := bearers(t, nil)
	c := a.client(t, func(b *backend.Options) { b.Credentials = backendoauth.Machine(auth.options()) })
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if out, err := c.IssuesList(t.Context(), list); err != nil || out.Issues[0].User.Login != "token-of-machine-1" {
				t.Error(out, err)
			}
		})
	}
	group.Wait()
	if n := auth.count("client_credentials"); n != 1 {
		t.Errorf("%d tokens", n)
	}
	wrong := auth.options()
	wrong.ClientSecret = "wrong-secret"
	_, err := backendoauth.Machine(wrong).Credential(t.Context(), backend.Ask{})
	if err == nil || !strings.Contains(err.Error(), "400 invalid_client") || strings.Contains(err.Error(), "wrong-secret") {
		t.Error(err)
	}
	for _, at := range []string{"http://example.com/token", "https://user@example.com/token", "", "https://example.com/#x"} {
		wrong.Token = at
		if _, err := backendoauth.Machine(wrong).Credential(t.Context(), backend.Ask{}); err == nil {
			t.Error(at)
		}
	}
}
