package kit

import (
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/mcpclient"
	"github.com/rpcgen-go/rpcgen/runtime/transport/pipe"
)

// ConnectMCP connects a client to an MCP server in memory. The connection is closed when the test ends.
func ConnectMCP(t testing.TB, server *mcp.Server) *mcpclient.Client {
	t.Helper()
	c, err := mcpclient.Connect(t.Context(), mcpclient.InMemory(server), mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// Connect connects a client to a JSON-RPC server in memory, given what serves the calls of the server, which may be nil. The connection is
// closed when the test ends.
func Connect(t testing.TB, server, callbacks runtime.Handler) runtime.Conn {
	t.Helper()
	near, far := pipe.New(0)
	service := runtime.NewSession(t.Context(), far, server, runtime.Options{})
	conn := runtime.NewSession(t.Context(), near, callbacks, runtime.Options{})
	t.Cleanup(func() {
		conn.Close()
		conn.Wait()
		service.Wait()
	})
	return conn
}
