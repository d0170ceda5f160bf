package natsrpc

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/principal"
	"github.com/rpcgen-go/rpcgen/test/owners"
)

// TestOwners: credentials of the person who runs a server serve no client over NATS.
func TestOwners(t *testing.T) {
	owners.Test(t, owners.Over{Revisions: []string{mcp.Revision20260728}, Serve: func(t *testing.T, s *mcp.Server, ann bool) mcpclient.Dialer {
		site := newSite(t)
		site.serve(s, Options{Context: func(ctx context.Context, _ *nats.Msg) (context.Context, error) {
			if ann {
				ctx = principal.With(ctx, owners.Ann)
			}
			return ctx, nil
		}})
		return func(_ context.Context, inbound runtime.Handler) (runtime.Conn, error) {
			return Dial(site.connect(), subject, inbound, ClientOptions{})
		}
	}})
}
