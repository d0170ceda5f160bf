package gosdk

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
		near, far := transports()
		serving, err := server.Connect(ctx, far, nil)
		if err != nil {
			return nil, err
		}
		c := frame.NewConn(frame.Lines.NewReader(near.Reader, 0), frame.Lines.NewWriter(near.Writer, 0), func() error {
			near.Writer.Close()
			return near.Reader.Close()
		})
		return &connection{runtime.NewSession(ctx, c, inbound, runtime.Options{}), serving}, nil
	}
}

// transports returns both ends of a connection in memory. Those of the SDK would make each program larger.
func transports() (near, far *sdk.IOTransport) {
	fromNear, toFar := io.Pipe()
	fromFar, toNear := io.Pipe()
	return &sdk.IOTransport{Reader: fromFar, Writer: toFar}, &sdk.IOTransport{Reader: fromNear, Writer: toNear}
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
