package mcpgosdk

import (
	"context"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
)

// Dial returns a Dialer for a server of the SDK in the same program. Every connection is a session of the
// server, which ends with the connection.
func Dial(server *sdk.Server) mcpclient.Dialer {
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		ctx = context.WithoutCancel(ctx)
		fromClient, toServer := io.Pipe()
		fromServer, toClient := io.Pipe()
		serving, err := server.Connect(ctx, &sdk.IOTransport{Reader: fromClient, Writer: toClient}, nil)
		if err != nil {
			return nil, err
		}
		c := frame.NewConn(frame.Lines.NewReader(fromServer, 0), frame.Lines.NewWriter(toServer, 0), func() error {
			toServer.Close()
			return fromServer.Close()
		})
		return &connection{runtime.NewSession(ctx, c, inbound, runtime.Options{}), serving}, nil
	}
}

// connection is a session of a client with that of the server.
type connection struct {
	*runtime.Session
	serving *sdk.ServerSession
}

// Close closes both ends and waits for their calls.
func (c *connection) Close() error {
	c.Session.Close()
	err := c.Session.Wait()
	c.serving.Close()
	_ = c.serving.Wait() // an error says that the client has closed its end
	return err
}
