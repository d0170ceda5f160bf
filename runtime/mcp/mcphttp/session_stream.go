package mcphttp

import (
	"context"
	"errors"
	"net/http"

	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// get opens the separate stream, or, with Last-Event-ID, resumes any stream (2025-11-25,
// basic/transports, Listening for Messages from the Server).
func (h *Handler) get(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	if h.o.SSE && h.handshakes && r.Header.Get(headerSession) == "" && protocol.Of(r.Header.Get(headerVersion)).Era != mcp.Stateless {
		h.serveSSE(ctx, w, r)
		return
	}
	if !h.inSession(r) {
		h.notAllowed(w, "POST")
		return
	}
	if !web.Accepts(r.Header, typeStream) {
		h.refuse(w, refusal{status: http.StatusNotAcceptable, text: "the Accept header has to list " + typeStream})
		return
	}
	passing, cancel := context.WithCancel(ctx) // a stream that this replica passes on goes on at another one when this one shuts down
	defer cancel()
	defer context.AfterFunc(h.sessions.draining, cancel)()
	s := h.sessionOf(passing, w, r, nil)
	if s == nil {
		return
	}
	defer s.Unuse()
	stream, cond, ok := h.streams.Take(h.callerOf(ctx, r))
	if !ok {
		h.refuse(w, *conditionRefusal(cond))
		return
	}
	defer stream.Leave()
	st, at, err := s.position(r.Header.Get(headerLast))
	if lost, ok := errors.AsType[*lostError](err); ok {
		out := web.NewEvents(w, &h.events, s.caller)
		out.Send("", lost.answer)
		out.End()
		return
	}
	if err != nil {
		h.refuse(w, refusal{status: http.StatusBadRequest, text: err.Error()})
		return
	}
	var calm <-chan struct{}
	if st == s.standalone {
		calm = h.sessions.draining.Done()
	}
	s.pump(ctx, w, st, at, calm)
}

// position returns the stream that a client wants to read and the index of the first event.
func (s *session) position(last string) (*stream, int64, error) {
	if s.part != nil {
		local, answer, ok := s.part.Local(last)
		switch {
		case !ok:
			return nil, 0, errLost
		case answer != nil:
			return nil, 0, &lostError{answer}
		}
		last = local
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last == "" {
		return s.standalone, max(s.standalone.sent, s.standalone.lost+1), nil
	}
	st, at, ok := s.store.find(last)
	if !ok || st.lost >= at {
		return nil, 0, errLost
	}
	return st, at, nil
}

// inSession reports whether a request without a body belongs to the handshake era.
func (h *Handler) inSession(r *http.Request) bool {
	return h.handshakes && r.Header.Get(headerSession) != "" && protocol.Of(r.Header.Get(headerVersion)).Era != mcp.Stateless
}

// delete ends a session.
func (h *Handler) delete(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	if !h.inSession(r) {
		h.notAllowed(w, "POST")
		return
	}
	s := h.sessionOf(ctx, w, r, nil)
	if s == nil {
		return
	}
	if s.part != nil {
		if err := s.part.Remove(ctx); err != nil {
			s.Unuse()
			h.refuse(w, unavailable)
			return
		}
	}
	s.Close()
	s.Unuse()
	web.WriteBody(w, h.o.WriteTimeout, http.StatusNoContent, nil)
}
