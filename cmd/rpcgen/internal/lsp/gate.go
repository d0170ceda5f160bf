package lsp

import (
	"context"

	"github.com/rpcgen-go/rpcgen/generated/lsp"
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// The phases of a session.
const (
	fresh    int32 = iota // initialize has not been answered
	open                  // between initialize and shutdown
	shutDown              // only exit may follow
)

// gate lets through the messages that may be sent in the phase of the session (LSP 3.17, Server lifecycle).
type gate struct {
	runtime.Handler
	server *server
}

// Handle implements [runtime.Handler]. The phase ends with shutdown before the next message is read, and not when its method runs.
func (g *gate) Handle(ctx context.Context, c *runtime.Call) {
	phase, method := g.server.phase.Load(), c.Method()
	if method == lsp.MethodExit {
		g.Handler.Handle(ctx, c)
		return
	}
	switch {
	case phase == open && method == lsp.MethodShutdown:
		g.server.phase.Store(shutDown)
	case phase == open, phase == fresh && method == lsp.MethodInitialize:
	case c.IsNotification():
		c.ReturnEmpty() // dropped
		return
	case phase == fresh:
		c.Fail(&lsp.ServerNotInitializedError{Method: method})
		return
	default:
		c.Fail(invalidRequest("the session has been shut down"))
		return
	}
	g.Handler.Handle(ctx, c)
}

// invalidRequest is the error of a request that may not be sent now.
func invalidRequest(why string) error {
	return runtime.Answer(runtime.CodeInvalidRequest, why, wire.Raw{})
}
