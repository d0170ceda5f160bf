// Package everything is the server that the conformance suite of MCP wants to talk to: it has a tool, a resource or a prompt for each of the
// suite's scenarios. What can be said of them in a schema is in conformance.rpc.yaml.
package everything

import (
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/x/mcptask"
	conformance "github.com/rpcgen-go/rpcgen/test/conformance/rpc"
)

// server implements what the schema declares.
type server struct {
	conformance.UnimplementedServer
	changes *mcp.Server  // tells listeners what has changed
	clicks  atomic.Int32 // on the page
}

// New returns the server.
func New(o mcp.Options) *mcp.Server {
	s := new(server)
	o.Middleware = append(o.Middleware, askBefore)
	if o.Tasks == nil {
		o.Tasks = mcptask.New(mcptask.Options{PollInterval: 100 * time.Millisecond})
	}
	s.changes = conformance.NewServer(s, o)
	return s.changes
}
