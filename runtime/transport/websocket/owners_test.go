package websocket

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/test/owners"
)

// TestOwners: credentials of the person who runs a server serve no client over WebSocket, also if Auth makes a context of its own.
func TestOwners(t *testing.T) {
	owners.Test(t, owners.Over{Serve: func(t *testing.T, s *mcp.Server, ann bool) mcpclient.Dialer {
		h := NewHandler(s, Options{Auth: func(context.Context, *http.Request) (context.Context, error) {
			if ann {
				return principal.With(context.Background(), owners.Ann), nil
			}
			return context.Background(), nil
		}})
		site := httptest.NewServer(h)
		t.Cleanup(func() {
			_ = h.Shutdown(context.Background())
			site.Close()
		})
		return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
			return Dial(ctx, "ws"+site.URL[len("http"):], inbound, ClientOptions{})
		}
	}})
}
