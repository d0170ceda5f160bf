package mcp

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Open returns the handler of a session, over which conn is the way back; see [runtime.Hooks]. It serves both eras, as far as the
// server does. When conn has the method Cancel of [runtime.Session], the client can cancel its requests.
func (s *Server) Open(conn runtime.Conn) runtime.Handler {
	h := &session{srv: s, conn: conn, ended: make(chan struct{})}
	h.canceller, _ = conn.(protocol.Canceller)
	return h
}

// session is the handler of one session.
type session struct {
	srv       *Server
	conn      runtime.Conn
	canceller protocol.Canceller // nil: requests cannot be cancelled

	ended   chan struct{}             // closed when the client sends nothing more
	ending  sync.Once                 // closes it
	opening sync.Mutex                // held while the handshake is made
	shake   atomic.Pointer[handshake] // nil: there was none yet

	mu     sync.Mutex
	member *listener // of the hub, from the handshake on; nil: there is none
	over   func()    // tells the user's code that the session is; nil: nobody wants to know
	closed bool
}

// handshake is what a session began with.
type handshake struct {
	revision string
	caller   Caller
	session  *session
	level    atomic.Int32 // from which on there is logging
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
	return runtime.Hooks{Closed: h.leave, InputEnded: h.inputEnded, AllowBatch: h.allowBatch, MapError: h.srv.mapError}
}

// allowBatch reports whether batches are part of the revision that the session speaks.
func (h *session) allowBatch() bool {
	shake := h.shake.Load()
	return shake != nil && shake.revision == Revision20250326
}

// Protocol is that of the server.
func (h *session) Protocol() runtime.Protocol { return h.srv.Protocol() }

// Condition is that of the server.
func (h *session) Condition(c runtime.Condition) error { return h.srv.Condition(c) }

// inputEnded ends what the client listens to, so that the session can end.
func (h *session) inputEnded() { h.ending.Do(func() { close(h.ended) }) }

// leave ends what the session has with the server.
func (h *session) leave() {
	h.mu.Lock()
	h.closed = true
	member, over := h.member, h.over
	h.mu.Unlock()
	if member != nil {
		h.srv.hub.remove(member)
	}
	if over != nil {
		over()
	}
}

// begun returns the handshake, and waits for one that is being made.
func (h *session) begun() *handshake {
	if shake := h.shake.Load(); shake != nil {
		return shake
	}
	h.opening.Lock()
	defer h.opening.Unlock()
	return h.shake.Load()
}

// admit makes the checks of the handshake era.
func (h *session) admit(q *Request) error {
	if q.route == &initialize {
		return h.admitHandshake(q)
	}
	q.shake = h.begun()
	switch {
	case q.shake != nil:
	case q.route == &ping:
		q.shake = &handshake{}
	case len(h.srv.modern) > 0 && q.meta.said():
		return q.meta.diagnose(q.call.PeekParams().In("_meta"))
	default:
		return notInitialized()
	}
	if q.route != nil && !(q.route.eras.has(Handshake) && q.route.served(h.srv)) {
		q.route = nil
	}
	return q.route.complete(q)
}

// admitHandshake makes the handshake, which is not answered yet.
func (h *session) admitHandshake(q *Request) error {
	if len(h.srv.handshakes) == 0 {
		return h.srv.refuseHandshake(q)
	}
	if h.shake.Load() != nil {
		return &fault{runtime.CodeInvalidRequest, 0, "Already initialized", nil}
	}
	shake := &handshake{session: h}
	shake.level.Store(int32(protocol.InfoLevel))
	err := q.decode(shake.read)
	if err == nil {
		shake.caller, err = shake.caller.kept(h.srv.opts.MaxClientInfo)
	}
	if err != nil {
		return err
	}
	shake.revision = h.srv.choose(shake.revision)
	shake.caller.Revision, shake.caller.Era = shake.revision, Handshake
	h.join(shake.caller)
	h.shake.Store(shake)
	q.shake = shake
	return nil
}

// join has the session hear of changes, and the user's code hear of the session. Of which changes, is for its client to say.
func (h *session) join(client Caller) {
	var over func()
	if began := h.srv.opts.OnSession; began != nil {
		over = began(client)
	}
	h.mu.Lock()
	h.member = newListener(h.conn, nil)
	closed := h.closed
	if !closed {
		h.over = over
		h.srv.hub.add(h.member)
	}
	h.mu.Unlock()
	if closed && over != nil {
		over()
	}
}

// choose returns the revision that a session speaks for which one was requested (2025-11-25, basic/lifecycle, Version Negotiation).
func (s *Server) choose(requested string) string {
	latest := ""
	for _, r := range s.handshakes {
		if r == requested {
			return r
		}
		latest = r
	}
	return latest
}

// read reads the params of initialize.
func (s *handshake) read(r *wire.Reader) {
	const names = "protocolVersion\ncapabilities\nclientInfo"
	var capabilities, info []byte
	var o wire.Members
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"protocolVersion":`) {
			s.revision = r.String()
		}
		if r.Key(&o, 1, `"capabilities":`) {
			capabilities = protocol.Object(r)
		}
		if r.Key(&o, 2, `"clientInfo":`) {
			info = protocol.Object(r)
		}
	}
	r.Need(&o, 0b111, names)
	s.caller = newCaller(s.revision, info, capabilities)
}

// serveInitialize answers the handshake.
func serveInitialize(_ context.Context, q *Request) error {
	b := append(q.call.Result(), `{"protocolVersion":`...)
	b = wire.AppendString(b, q.shake.revision)
	q.call.Return(append(b, q.server.lists.initialized...))
	return nil
}

// note takes a notification of the client.
func (h *session) note(ctx context.Context, c *runtime.Call) {
	switch c.Method() {
	case "notifications/initialized":
		if c.NoParams() && h.begun() != nil {
			h.member.want(protocol.Lists{Tools: true, Prompts: true, Resources: true})
		}
		c.ReturnEmpty()
	case "notifications/cancelled":
		h.cancel(c)
	case "notifications/roots/list_changed":
		h.rootsChanged(ctx, c)
	case "notifications/progress":
		c.ReturnEmpty() // nothing that the server asks for carries a token
	default:
		h.srv.ignore(c)
	}
}

// rootsChanged tells the user's code that the client has other roots.
func (h *session) rootsChanged(ctx context.Context, c *runtime.Call) {
	shake := h.begun()
	if !c.NoParams() || shake == nil {
		return
	}
	if changed := h.srv.opts.OnRootsChanged; changed != nil {
		q := h.srv.newRequest(ctx, c)
		q.shake = shake
		defer q.release()
		changed(q.enter())
	}
	c.ReturnEmpty()
}

// cancel cancels a request (basic/patterns/cancellation). What is malformed, unknown, or over already is ignored.
func (h *session) cancel(c *runtime.Call) {
	p := c.PeekParams()
	id, ok := wire.ParseID(p.In("requestId").JSON())
	reason, _ := p.In("reason").Text()
	if c.NoParams() && ok && h.canceller != nil {
		h.canceller.Cancel(id, &CancelledError{reason})
	}
	c.ReturnEmpty() // nothing, for a notification
}

// serveSubscribe subscribes the session to changes of a resource (2025-11-25, server/resources, Subscriptions).
func serveSubscribe(_ context.Context, q *Request) error {
	const most = 8 << 10 // bytes, as everybody who takes URIs takes
	if len(q.name) > most {
		return runtime.InvalidParams([]rule.Violation{{Pointer: "/uri", Rule: "maxLength", Expected: "at most 8192 bytes"}}, 0)
	}
	if !q.shake.session.member.subscribe(strings.Clone(q.name), &q.server.opts) {
		return &fault{runtime.CodeInvalidRequest, 0, "Too many subscriptions", nil}
	}
	return q.respond(empty)
}

// serveUnsubscribe ends that.
func serveUnsubscribe(_ context.Context, q *Request) error {
	q.shake.session.member.unsubscribe(q.name)
	return q.respond(empty)
}

// lines splits names that are newline-separated.
func lines(names string) []string {
	if names == "" {
		return nil
	}
	return strings.Split(names, "\n")
}
