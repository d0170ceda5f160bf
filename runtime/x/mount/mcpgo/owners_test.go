package mcpgo_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mount/mcpgo"
	"github.com/rpcgen-go/rpcgen/test/owners"
)

// mounted returns a server of mcp-go with the entries of another one.
func mounted(t *testing.T, s *mcp.Server) *server.MCPServer {
	out := server.NewMCPServer("old", "1.0.0", server.WithElicitation())
	if err := mcpgo.Add(out, s, mcpgo.Options{}); err != nil {
		t.Fatal(err)
	}
	return out
}

func as(ctx context.Context, ann bool) context.Context {
	if ann {
		return mcp.WithPrincipal(ctx, owners.Ann)
	}
	return ctx
}

// TestOwners: in a server of mcp-go, credentials of the person who runs it serve no client over HTTP.
func TestOwners(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		owners.Test(t, owners.Over{Local: true, Serve: func(t *testing.T, s *mcp.Server, ann bool) mcpclient.Dialer {
			dial := mcpgo.Dial(mounted(t, s))
			return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
				return dial(as(ctx, ann), inbound)
			}
		}})
	})
	t.Run("HTTP", func(t *testing.T) {
		owners.Test(t, owners.Over{Serve: func(t *testing.T, s *mcp.Server, ann bool) mcpclient.Dialer {
			known := server.WithHTTPContextFunc(func(ctx context.Context, _ *http.Request) context.Context { return as(context.WithoutCancel(ctx), ann) })
			site := httptest.NewServer(server.NewStreamableHTTPServer(mounted(t, s), known))
			t.Cleanup(site.Close)
			return mcphttp.Dial(site.URL+"/mcp", mcphttp.ClientOptions{})
		}})
	})
}
