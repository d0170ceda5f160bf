package mcphttp

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/replicas"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// This file is the handler as the other replicas of its server see it, if there are any: see package replicas.

// join makes the handler a replica.
func (h *Handler) join(c replicas.Cluster) {
	if !h.srv.SharesState() {
		panic("mcphttp: Options.Replicas needs mcp.Options.StateKeys: the replicas of a server have the same keys")
	}
	place, err := c.Join(replicas.Host{
		Server: h.srv.Info().Name, Log: h.log, PeerLog: h.peerLog, SessionIdle: h.o.SessionIdle, WriteTimeout: h.o.WriteTimeout, Sessions: residents{h},
		Serve: h.serveReplica, Closing: h.closing.Load, Relay: h.srv.Relay,
	})
	if err != nil {
		h.log.Error("sessions cannot be served", "error", err)
	}
	h.place, h.joining = place, err
}

// serveReplica serves a request of another replica.
func (h *Handler) serveReplica(w http.ResponseWriter, r *http.Request) {
	if !h.enter() {
		return
	}
	defer h.leave()
	if ctx, ok := h.authenticate(w, r); ok {
		h.route(ctx, w, r)
	}
}

// sessionOf returns the session that the request belongs to, marked as in use. If there is none, or another replica serves it, it
// answers the request and returns nil. The argument msg is the body of the request.
func (h *Handler) sessionOf(ctx context.Context, w http.ResponseWriter, r *http.Request, msg []byte) *session {
	id, principal := r.Header.Get(headerSession), mcp.PrincipalFrom(ctx)
	switch {
	case h.place != nil:
		found, refused := h.place.Find(ctx, w, replicas.Request{ID: id, Principal: principal, HTTP: r, Body: msg})
		if refused != nil {
			h.refuse(w, refusalOf(refused))
		}
		if found == nil {
			return nil
		}
		return found.(resident).session
	case h.joining != nil:
		h.refuse(w, unavailable)
		return nil
	}
	s := h.sessions.find(id, principal)
	if s == nil || !s.Use() {
		h.refuse(w, noSession)
		return nil
	}
	return s
}

// deliveryRefusal is the refusal of a response that could not be passed on.
func deliveryRefusal(err error) refusal {
	if large, ok := errors.AsType[*frame.TooLargeError](err); ok {
		return refusalOf(replicas.TooLarge(large))
	}
	return unavailable
}

// unavailable is the refusal while sessions cannot be served.
var unavailable = refusalOf(replicas.Unavailable(replicas.NotNow))

// refusalOf returns a refusal of the replicas.
func refusalOf(r *replicas.Refusal) refusal {
	if r.Condition.Kind == 0 {
		return *conditionRefusal(r.Condition)
	}
	return refusal{status: r.Status, condition: r.Condition}
}

// residents are the sessions of a handler.
type residents struct{ h *Handler }

// Get implements [replicas.Sessions].
func (r residents) Get(id string) replicas.Session {
	if s := r.h.sessions.get(id); s != nil {
		return resident{s}
	}
	return nil
}

// All implements [replicas.Sessions].
func (r residents) All() (all []replicas.Session) {
	for _, s := range r.h.sessions.list() {
		all = append(all, resident{s})
	}
	return all
}

// Open implements [replicas.Sessions].
func (r residents) Open(ctx context.Context, request replicas.Request) (replicas.Session, *replicas.Refusal) {
	s, refused := r.h.sessions.openAs(strings.Clone(request.ID), r.h.callerOf(ctx, request.HTTP), request.Principal)
	if refused != nil {
		return nil, &replicas.Refusal{Status: refused.status, Condition: refused.condition}
	}
	return resident{s}, nil
}

// Add implements [replicas.Sessions].
func (r residents) Add(s replicas.Session) bool { return r.h.sessions.add(s.(resident).session) }

// resident is a session as the replicas see it, who use and close it as its handler does.
type resident struct{ *session }

// ID implements [replicas.Session].
func (s resident) ID() string { return s.id }

// Principal implements [replicas.Session].
func (s resident) Principal() string { return s.principal }

// State implements [replicas.Session].
func (s resident) State() protocol.Continuation { return s.hooks.Continuation() }

// Part implements [replicas.Session].
func (s resident) Part() replicas.Part { return s.part }

// InUse implements [replicas.Session].
func (s resident) InUse() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uses > 0 && !s.closed
}

// Move implements [replicas.Session].
func (s resident) Move() {
	s.mu.Lock()
	if s.closed || s.moved {
		s.mu.Unlock()
		return
	}
	s.moved = true
	s.store.finish(s.standalone)
	s.closeIfSpent()
	s.mu.Unlock()
	s.h.sessions.forget(s.session)
}

// Closed implements [replicas.Session].
func (s resident) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Waits implements [replicas.Session].
func (s resident) Waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pending) > 0
}

// LoseResponses implements [replicas.Session].
func (s resident) LoseResponses() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, waits := range s.pending {
		delete(s.pending, id)
		waits <- nil
	}
}

// Cancel implements [replicas.Session].
func (s resident) Cancel(id runtime.ID, cause error) bool { return s.cancelHere(id, cause, false) }

// stateVersion returns the version of the state of a session with replicas.
func (s *session) stateVersion() uint64 {
	if s.part == nil {
		return 0
	}
	return s.part.Version()
}

// keep saves the state of a session with replicas if it has changed since it had that version. It reports false if that failed.
func (s *session) keep(since uint64) bool {
	if s.part == nil {
		return true
	}
	err := s.part.Keep(since)
	if err != nil {
		s.h.peerLog.Warn("the record of a session could not be saved", "error", err)
	}
	return err == nil
}

// suffix returns what the ids of a stream's events end with; the stream is that of a request with the id, or of none.
func (s *session) suffix(request string) string {
	if s.part == nil {
		return ""
	}
	return s.part.Suffix(request)
}

// lostError means that a stream was lost with the replica that began it.
type lostError struct{ answer []byte } // which ends the stream

func (*lostError) Error() string { return "the replica that began the stream is gone" }
