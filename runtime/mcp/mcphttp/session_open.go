package mcphttp

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// initialize serves the request that begins a session.
func (h *Handler) initialize(ctx context.Context, w http.ResponseWriter, r *http.Request, at *web.Share, msg []byte) {
	p := protocol.Peek(msg)
	switch {
	case wire.Check(msg, wire.MaxDepth) != nil:
		h.serveStateless(ctx, w, r, at, msg) // answers an invalid message
		return
	case p.Method != "initialize" || !p.HasID:
		cond := runtime.Condition{Kind: when.NotInitialized, Method: p.Method, Reason: "the Mcp-Session-Id header is missing, and this is not an initialize request"}
		h.refuse(w, refusal{status: http.StatusBadRequest, condition: cond})
		return
	}
	s, refused := h.sessions.openAs(rand.Text(), at.Client(), mcp.PrincipalFrom(ctx)) // which cannot be found yet
	if refused != nil {
		h.refuse(w, *refused)
		return
	}
	defer s.Unuse()
	c, inner, err := s.begin(ctx, r, at, keyOf(msg))
	if err != nil {
		h.refuse(w, refusalFor(err))
		return
	}
	go c.run(inner, msg)
	select {
	case <-c.ready:
	case <-ctx.Done():
		s.Close() // its id was not sent
		return
	}
	if c.failed() || !h.sessions.add(s) {
		s.Close()
	} else {
		w.Header().Set(headerSession, s.id)
	}
	c.respond(ctx, w)
}

// failed reports whether a call that is ready was answered with an error, or could not be saved.
func (c *sessionCall) failed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unsaved || c.stream == nil && c.outcome.Failed
}
