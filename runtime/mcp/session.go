package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/listing"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Open returns the handler of a session, which calls its client over conn, see [runtime.Hooks]. It
// serves the eras that the server serves. If conn has the method Cancel of [runtime.Session], the
// client can cancel its requests.
func (s *Server) Open(conn runtime.Conn) runtime.Handler {
	h := &session{srv: s, conn: conn, ended: make(chan struct{})}
	h.canceller, _ = conn.(protocol.Canceller)
	return h
}

// session is the handler of one session.
type session struct {
	srv       *Server
	conn      runtime.Conn
	canceller protocol.Canceller // nil if requests cannot be cancelled

	ended     chan struct{}             // closed when the input of the session ends
	ending    sync.Once                 // closes ended
	opening   sync.Mutex                // held while the handshake is made
	handshake atomic.Pointer[handshake] // nil until it is made
	version   atomic.Uint64             // of what State returns

	mu sync.Mutex
	// added to the subscribers of the server by the handshake; nil before
	subscriber *subscriber
	// the function that Options.OnSession returned; nil if there is none
	over   func()
	closed bool
	id     string // see taskID; empty until it is needed
}

// handshake is the result of the handshake of a session.
type handshake struct {
	revision string
	caller   Caller
	session  *session
	level    atomic.Int32               // the least severe level that is logged to the client
	unknown  map[string]json.RawMessage // members of the state that another version has added, see Restore
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
	return runtime.Hooks{
		Closed: h.leave, InputEnded: h.inputEnded, AllowBatch: h.allowBatch, MapError: h.srv.mapError, Limiter: h.srv.info.Limiter, Continuation: h.continuation,
	}
}

// allowBatch reports whether the session has batches. Of the revisions, only 2025-03-26 has them
// (basic, Batching).
func (h *session) allowBatch() bool {
	if h.srv.opts.Batches {
		return true
	}
	handshake := h.handshake.Load()
	return handshake != nil && handshake.revision == Revision20250326
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

// begun returns the handshake. It waits for one that is being made, because requests run
// concurrently and may overtake it.
func (h *session) begun() *handshake {
	if handshake := h.handshake.Load(); handshake != nil {
		return handshake
	}
	h.opening.Lock()
	defer h.opening.Unlock()
	return h.handshake.Load()
}

// admit makes the checks of the handshake era.
func (h *session) admit(q *Request) error {
	if q.route == &initialize {
		return h.admitHandshake(q)
	}
	q.handshake = h.begun()
	switch {
	case q.handshake != nil:
	case q.route == &ping:
		q.handshake = &handshake{}
	case len(h.srv.modern) > 0 && q.meta.said():
		return q.meta.diagnose(q.call.PeekParams().In("_meta"))
	default:
		return h.srv.notInitialized(q)
	}
	if q.route != nil && !(q.route.eras.hasRevision(q.handshake.revision) && q.route.served(h.srv)) {
		q.route = nil
	}
	return q.route.complete(q)
}

// admitHandshake makes the handshake. It is answered afterwards.
func (h *session) admitHandshake(q *Request) error {
	if len(h.srv.handshakes) == 0 {
		return h.srv.refuseHandshake(q)
	}
	if h.handshake.Load() != nil {
		return h.srv.declared(runtime.Condition{Kind: when.AlreadyInitialized, Method: q.Method()},
			&fault{runtime.CodeInvalidRequest, 400, "Already initialized", nil})
	}
	handshake := &handshake{session: h}
	handshake.level.Store(int32(protocol.InfoLevel))
	err := q.decode(handshake.read)
	if err == nil {
		handshake.caller, err = handshake.caller.kept(h.srv.opts.MaxClientInfo)
	}
	if err != nil {
		return err
	}
	handshake.revision = h.srv.choose(handshake.revision)
	handshake.caller.Revision, handshake.caller.Era = handshake.revision, Handshake
	h.join(handshake.caller)
	h.handshake.Store(handshake)
	h.version.Add(1)
	q.handshake = handshake
	return nil
}

// join adds the session to the subscribers of the server and calls Options.OnSession. The client
// selects later which changes it receives.
func (h *session) join(client Caller) {
	var over func()
	if began := h.srv.opts.OnSession; began != nil {
		over = began(client)
	}
	h.mu.Lock()
	h.subscriber = newSubscriber(h.conn, nil)
	closed := h.closed
	if !closed {
		h.over = over
		h.srv.subscribers.add(h.subscriber)
	}
	h.mu.Unlock()
	if closed && over != nil {
		over()
	}
}

// choose returns the revision of a session for the requested one (2025-11-25, basic/lifecycle,
// Version Negotiation).
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
	var others wire.Others
	for r.Object(&o); r.More(&o); {
		if r.Key(&o, 0, `"protocolVersion":`) {
			s.revision = r.String()
		}
		if r.Key(&o, 1, `"capabilities":`) {
			capabilities = protocol.ObjectOnce(r)
		}
		if r.Key(&o, 2, `"clientInfo":`) {
			info = protocol.ObjectOnce(r)
		}
		others.Take(r, &o)
	}
	r.Need(&o, 0b111, names)
	s.caller = newCaller(s.revision, info, capabilities)
}

// serveInitialize answers the handshake.
func serveInitialize(_ context.Context, q *Request) error {
	b := append(q.call.Result(), `{"protocolVersion":`...)
	b = wire.AppendString(b, q.handshake.revision)
	q.call.Return(append(b, q.server.lists.initialized...))
	return nil
}

// note handles a notification from the client.
func (h *session) note(ctx context.Context, c *runtime.Call) {
	switch c.Method() {
	case "notifications/initialized":
		if c.NoParams() && h.begun() != nil {
			h.subscriber.want(h.srv.offered())
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
	handshake := h.begun()
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

// serveSubscribe subscribes the session to changes of a resource (2025-11-25, server/resources,
// Subscriptions).
func serveSubscribe(ctx context.Context, q *Request) error {
	const most = 8 << 10 // bytes of a URI, as in most servers of HTTP
	if len(q.name) > most {
		return runtime.InvalidParams([]rule.Violation{{Pointer: "/uri", Rule: "maxLength", Expected: "at most 8192 bytes"}}, 0)
	}
	l := q.handshake.session.subscriber
	switch q.server.subscribers.subscribe(l, strings.Clone(q.name), &q.server.opts) {
	case tooManySubscriptions:
		return &fault{runtime.CodeInvalidRequest, 0, "Too many subscriptions", nil}
	case notSubscribable:
		return q.unknownEntry(listing.Resources)
	}
	l.show(context.WithoutCancel(ctx), q.server)
	q.handshake.session.version.Add(1)
	return q.respond(empty)
}

// serveUnsubscribe ends the subscription to a resource.
func serveUnsubscribe(_ context.Context, q *Request) error {
	q.server.subscribers.unsubscribe(q.handshake.session.subscriber, q.name)
	q.handshake.session.version.Add(1)
	return q.respond(empty)
}

// lines splits newline-separated names.
func lines(names string) []string {
	if names == "" {
		return nil
	}
	return strings.Split(names, "\n")
}
