package backend_test

import (
	"context"
	"encoding/base64"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/backend"
	rpc "github.com/rpcgen-go/rpcgen/test/backend/rpc"
)

// TestTokenOverHTTP calls tools over HTTP, with sessions and without: the function that gives credentials sees the principal and not the token, and
// a credential that is the token of the client does not reach the API.
func TestTokenOverHTTP(t *testing.T) {
	const token = "token-of-ann-1234"
	secret := ""
	a := newAPI(t, says(200, `{}`))
	b := a.client(t, func(o *backend.Options) {
		o.Credentials = backend.Func(func(ctx context.Context, q backend.Ask) (backend.Credential, error) {
			if q.Principal != "ann" || q.Tool != "issue_create" || q.Backend != "tracker" {
				t.Errorf("%+v", q)
			}
			if mcp.RequestFrom(ctx) != nil && mcp.RequestFrom(ctx).HTTP() != nil || mcp.PrincipalFrom(ctx) != "" || mcphttp.ClaimsFrom(ctx) != nil {
				t.Error("the request of the client is found")
			}
			return backend.Bearer(secret), nil
		})
	})
	site := httptest.NewServer(mcphttp.NewHandler(rpc.NewServer(b, mcp.Options{}), mcphttp.Options{Auth: mcphttp.Tokens(map[string]string{token: "ann"})}))
	defer site.Close()
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		conn, err := mcpclient.Connect(t.Context(), mcphttp.Dial(site.URL, mcphttp.ClientOptions{Token: mcphttp.StaticToken(token)}), mcpclient.Options{Revisions: []string{revision}})
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			secret string
			passes bool
		}{{"another", true}, {token, false}, {base64.StdEncoding.EncodeToString([]byte(token)), false}} {
			secret = test.secret
			before := len(a.seen)
			_, err := rpc.NewClient(conn).IssueCreate(t.Context(), rpc.IssueCreateInput{Owner: "o", Repo: "r", Title: "t"})
			if test.passes != (err == nil) || test.passes != (len(a.seen) > before) {
				t.Errorf("%s: %q: %v", revision, test.secret, err)
			}
			if err != nil && (!strings.Contains(err.Error(), "must not be passed on") || strings.Contains(err.Error(), token)) {
				t.Error(err)
			}
		}
		_ = conn.Close()
	}
}
