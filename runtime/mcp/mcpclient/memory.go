package mcpclient

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// InMemory returns how a client reaches a server of the same program, for tests and embedding. Every connection is a session of the
// server's.
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

// memory is both ends of a connection in memory.
type memory struct {
	*runtime.Session
	server *runtime.Session
}

// Close ends both ends, and waits for their calls.
func (m *memory) Close() error {
	m.Session.Close()
	m.Session.Wait()
	m.server.Close()
	return m.server.Wait()
}
