package mount_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/rpcgen-go/rpcgen/cmd/mcpgateway/mount"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcphttp"
	"github.com/rpcgen-go/rpcgen/test/waits"
)

// TestWaits: a connection of which the peer stops halfway ends.
func TestWaits(t *testing.T) {
	c := config(t, "servers: {a: {url: http://memory}}\nprincipals: {ann: {token: of-ann, allow: ['*']}}")
	waits.Test(t, func(ctx context.Context, l net.Listener) error {
		g, err := mount.New(c, mount.Options{Logger: quiet, Dial: func(string, mount.Server) mcpclient.Dialer {
			return func(context.Context, runtime.Handler) (runtime.Conn, error) { return nil, errors.New("it is away") }
		}})
		if err != nil {
			t.Error(err)
			return err
		}
		defer g.Close()
		return mcphttp.Serve(ctx, l, "/rpc", g.HTTP(mcphttp.Options{}))
	})
}
