package mcphttp

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/mirror"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
)

// serveSession serves a message of the handshake era (2025-11-25, basic/transports). A message
// without the header for the revision would be of 2025-03-26, which did not have the header; the
// revision of the session is used instead.
func (h *Handler) serveSession(ctx context.Context, w http.ResponseWriter, r *http.Request, at *web.Share, msg []byte) {
	if version := r.Header.Get(headerVersion); version != "" && protocol.Of(version).Era != mcp.Handshake {
		h.refuse(w, refusal{status: http.StatusBadRequest, text: "the MCP-Protocol-Version " + peerlog.Clip(version) + " is not served"})
		return
	}
	if r.Header.Get(headerSession) == "" {
		h.initialize(ctx, w, r, at, msg)
		return
	}
	s := h.sessionOf(ctx, w, r, msg)
	if s == nil {
		return
	}
	defer s.Unuse()
	p := protocol.Peek(msg)
	switch {
	case isArray(msg):
		s.serveBatch(ctx, w, r, at, msg)
	case p.Method == "" && isResponse(msg) || s.fails(msg):
		if err := s.deliver(msg); err != nil {
			h.refuse(w, deliveryRefusal(err))
			return
		}
		writeAnswer(w, h.o.WriteTimeout, http.StatusAccepted, nil)
	case p.Method != "" && p.HasID:
		s.serveCall(ctx, w, r, at, msg, keyOf(msg))
	default:
		s.serveNote(ctx, w, r, msg)
	}
}

// isResponse reports whether a message has a member of responses.
func isResponse(msg []byte) bool {
	p := wire.PeekAt(msg)
	return (p.Has("result") || p.Has("error")) && wire.Check(msg, wire.MaxDepth) == nil
}

// fails reports whether a message has the id of an own request, and is neither a response nor a
// request: it has the members of both, or of none. The request fails then.
func (s *session) fails(msg []byte) bool {
	p := wire.PeekAt(msg)
	id, ok := p.In("id").Int64()
	s.mu.Lock()
	waits := ok && s.pending[id] != nil
	s.mu.Unlock()
	return waits && (isResponse(msg) || !p.Has("method") && !p.Has("params") && wire.Check(msg, wire.MaxDepth) == nil)
}

// keyOf returns the key of the id of a message, see [wire.IDKey].
func keyOf(msg []byte) string { return wire.IDKey(string(wire.PeekAt(msg).In("id").JSON())) }

// serveNote serves a notification, or answers an invalid message.
func (s *session) serveNote(ctx context.Context, w http.ResponseWriter, r *http.Request, msg []byte) {
	var o transport.Outcome
	ctx = protocol.WithHTTP(context.WithoutCancel(ctx), mirror.Headers(r.Header))
	ctx = transport.WithOutcome(transport.WithPeer(ctx, s), &o)
	before := s.stateVersion()
	answer := s.d.Dispatch(ctx, nil, msg)
	if !s.keep(before) {
		s.h.refuse(w, unavailable)
		return
	}
	status := http.StatusOK
	if len(answer) > 0 {
		status = http.StatusBadRequest
	}
	writeAnswer(w, s.h.o.WriteTimeout, status, answer)
}

// serveCall serves a request.
func (s *session) serveCall(ctx context.Context, w http.ResponseWriter, r *http.Request, at *web.Share, msg []byte, key string) {
	c, inner, err := s.begin(ctx, r, at, key)
	if err != nil {
		s.h.refuse(w, refusalFor(err))
		return
	}
	go c.run(inner, msg)
	select {
	case <-c.ready:
		c.respond(ctx, w)
	case <-ctx.Done():
	}
}

// refusalFor returns the answer for a call that could not begin.
func refusalFor(err error) refusal {
	switch err {
	case errSessionOver:
		return noSession
	case errOverload:
		return *conditionRefusal(web.TooMany("requests in flight in this session", 0, 0))
	}
	return refusal{status: http.StatusBadRequest, text: err.Error()}
}

// serveBatch serves a batch, if the session has batches. Responses in it are delivered first, because
// a dispatcher does not know them.
func (s *session) serveBatch(ctx context.Context, w http.ResponseWriter, r *http.Request, at *web.Share, msg []byte) {
	if rest, ok, err := s.deliverFrom(msg); ok {
		switch {
		case err != nil:
			s.h.refuse(w, deliveryRefusal(err))
			return
		case len(rest) == 0:
			writeAnswer(w, s.h.o.WriteTimeout, http.StatusAccepted, nil)
			return
		}
		msg = rest
	}
	s.serveCall(ctx, w, r, at, msg, "")
}

// deliverFrom delivers the responses in a batch and returns the batch without them, empty if
// nothing is left, and nil if the client has to send it again. It reports false if there are none or
// if the session has no batches.
func (s *session) deliverFrom(msg []byte) (rest []byte, ok bool, err error) {
	if allow := s.hooks.AllowBatch; allow == nil || !allow() {
		return nil, false, nil
	}
	var all, others []json.RawMessage
	if json.Unmarshal(msg, &all) != nil {
		return nil, false, nil
	}
	for _, m := range all {
		if p := wire.PeekAt(m); !p.Has("method") && isResponse(m) {
			if err := s.deliver(m); err != nil {
				return nil, true, err
			}
		} else {
			others = append(others, m)
		}
	}
	if len(others) == len(all) {
		return nil, false, nil
	}
	if len(others) > 0 {
		rest, _ = json.Marshal(others) // cannot fail: it was read from JSON
	}
	return rest, true, nil
}
