package mcpclient

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// InMemory returns a Dialer for a server of the same program, for tests and embedding. Every
// connection is a session of the server.
func InMemory(srv *mcp.Server) Dialer {
	return func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error) {
		ctx = context.WithoutCancel(ctx)
		a, b := pipe.New(0)
		o := runtime.Options{Logger: srv.Logger()}
		m := &memory{server: runtime.NewSession(ctx, b, srv, o)}
		m.Session = runtime.NewSession(ctx, a, inbound, o)
		return m, nil
	}
}

// memory is a connection in memory with both ends.
type memory struct {
	*runtime.Session
	server *runtime.Session
}

// Close closes both ends and waits for their calls.
func (m *memory) Close() error {
	m.Session.Close()
	m.Session.Wait()
	m.server.Close()
	return m.server.Wait()
}
