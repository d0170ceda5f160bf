package mcp

import (
	"context"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// Open returns the handler of a session, which calls its client over conn, see [runtime.Hooks]. It
// serves the eras that the server serves. If conn has the method Cancel of [runtime.Session], the
// client can cancel its requests.
func (s *Server) Open(conn runtime.Conn) runtime.Handler {
	h := &session{srv: s, conn: conn, ended: make(chan struct{})}
	h.canceller, _ = conn.(protocol.Canceller)
	return h
}

// Handle implements [runtime.Handler].
func (h *session) Handle(ctx context.Context, c *runtime.Call) {
	switch method := c.Method(); {
	case method == "initialize":
		h.opening.Lock()
		defer h.opening.Unlock()
		h.srv.serve(ctx, c, h)
	case strings.HasPrefix(method, notifications):
		h.note(ctx, c)
	default:
		h.srv.serve(ctx, c, h)
	}
}

// Hooks implements [runtime.Handler].
func (h *session) Hooks() runtime.Hooks {
	var own runtime.Hooks
	if h.srv.methods != nil {
		own = h.srv.methods.Hooks()
	}
	return runtime.Hooks{
		Permit: own.Permit,
		Closed: h.leave, InputEnded: h.inputEnded, AllowBatch: h.allowBatch, MapError: h.srv.mapError, Limiter: h.srv.info.Limiter, Continuation: h.continuation,
		Latest: func(method string) bool { return method == "notifications/roots/list_changed" },
	}
}

// allowBatch reports whether the session has batches.
func (h *session) allowBatch() bool {
	if h.srv.opts.Batches {
		return true
	}
	handshake := h.handshake.Load()
	return handshake != nil && protocol.Of(handshake.revision).Batches
}

// Protocol returns the protocol of the server.
func (h *session) Protocol() runtime.Protocol { return h.srv.Protocol() }

// Condition returns the error for c of the server.
func (h *session) Condition(c runtime.Condition) error { return h.srv.Condition(c) }

// inputEnded ends the subscriptions of the client, so that the session can end.
func (h *session) inputEnded() { h.ending.Do(func() { close(h.ended) }) }

// leave removes the session from the server.
func (h *session) leave() {
	h.mu.Lock()
	h.closed = true
	member, over := h.subscriber, h.over
	h.mu.Unlock()
	if member != nil {
		h.srv.subscribers.remove(member)
	}
	if over != nil {
		over()
	}
}

// note handles a notification from the client.
func (h *session) note(ctx context.Context, c *runtime.Call) {
	switch c.Method() {
	case "notifications/initialized":
		if c.NoParams() && h.waitHandshake() != nil {
			h.srv.subscribers.want(h.subscriber, h.srv.offeredLists())
			h.version.Add(1)
		}
		c.ReturnEmpty()
	case "notifications/cancelled":
		h.cancel(c)
	case "notifications/roots/list_changed":
		h.rootsChanged(ctx, c)
	case "notifications/progress":
		c.ReturnEmpty() // requests of the server carry no progress token
	default:
		h.srv.ignore(c)
	}
}

// rootsChanged calls Options.OnRootsChanged.
func (h *session) rootsChanged(ctx context.Context, c *runtime.Call) {
	handshake := h.waitHandshake()
	if !c.NoParams() || handshake == nil {
		return
	}
	if changed := h.srv.opts.OnRootsChanged; changed != nil {
		q := h.srv.newRequest(ctx, c)
		q.handshake = handshake
		defer q.release()
		changed(q.enter())
	}
	c.ReturnEmpty()
}

// cancel cancels a request (basic/patterns/cancellation). A notification that is malformed, or
// whose request is unknown or has ended, is ignored.
func (h *session) cancel(c *runtime.Call) {
	p := c.PeekParams()
	id, ok := wire.ParseID(p.In("requestId").JSON())
	reason, _ := p.In("reason").Text()
	if c.NoParams() && ok && h.canceller != nil {
		h.canceller.Cancel(id, &CancelledError{reason})
	}
	c.ReturnEmpty() // a notification is not answered
}

// Hooks implements [runtime.Handler].
func (s *Server) Hooks() runtime.Hooks {
	var h runtime.Hooks
	if own := s.declarations.Methods(); own != nil {
		h = own.Hooks()
	}
	h.Open, h.MapError, h.Limiter = s.Open, s.mapError, s.info.Limiter
	return h
}
