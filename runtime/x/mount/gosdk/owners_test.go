package gosdk_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount/gosdk"
	"github.com/rpcgen-go/rpcgen/test/owners"
)

// mounted returns a server of the SDK with the entries of another one.
func mounted(t *testing.T, s *mcp.Server) *sdk.Server {
	out := sdk.NewServer(&sdk.Implementation{Name: "old", Version: "1.0.0"}, nil)
	if err := gosdk.Add(out, s, gosdk.Options{}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestOwners: in a server of the SDK, credentials of the person who runs it serve no client over HTTP, and a principal is whose token the SDK has verified.
func TestOwners(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		owners.Test(t, owners.Over{Local: true, Serve: func(t *testing.T, s *mcp.Server, ann bool) mcpclient.Dialer {
			dial := gosdk.Dial(mounted(t, s))
			return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
				if ann {
					ctx = mcp.WithPrincipal(ctx, owners.Ann)
				}
				return dial(ctx, inbound)
			}
		}})
	})
	for name, stateless := range map[string]bool{"HTTP with sessions": false, "HTTP without sessions": true} {
		revision := map[bool]string{false: mcp.Revision20251125, true: mcp.Revision20260728}[stateless]
		t.Run(name, func(t *testing.T) {
			owners.Test(t, owners.Over{Revisions: []string{revision}, Serve: func(t *testing.T, s *mcp.Server, ann bool) mcpclient.Dialer {
				out := mounted(t, s)
				var handler http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return out }, &sdk.StreamableHTTPOptions{Stateless: stateless})
				var client mcphttp.ClientOptions
				if ann {
					handler = auth.RequireBearerToken(func(context.Context, string, *http.Request) (*auth.TokenInfo, error) {
						return &auth.TokenInfo{UserID: owners.Ann, Expiration: time.Now().Add(time.Hour)}, nil
					}, nil)(handler)
					client.Token = mcphttp.StaticToken(owners.Token)
				}
				site := httptest.NewServer(handler)
				t.Cleanup(site.Close)
				return mcphttp.Dial(site.URL, client)
			}})
		})
	}
}
