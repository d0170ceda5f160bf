package mcp

import (
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// admitStateless makes the checks that every stateless request has to pass, in a fixed order: first
// the required members of the body, then whether the headers agree with it, then whether the
// revision is served.
func (s *Server) admitStateless(q *Request) error {
	if q.route.is(initialize) && q.meta.version == "" {
		return s.refuseHandshake(q)
	}
	if len(s.modern) == 0 {
		return s.notInitialized(q)
	}
	if !q.meta.sound() {
		return q.meta.diagnose(q.call.PeekParams().In("_meta"))
	}
	headers := protocol.HTTPFrom(q.context)
	if headers != nil {
		if wrong := headers.Differs(protocol.HeaderVersion, q.meta.version); wrong != "" {
			return headerMismatch(wrong)
		}
	}
	if !slices.Contains(s.modern, q.meta.version) {
		return unsupportedVersion(s.revisions, q.meta.version)
	}
	switch {
	case headers == nil:
		return nil
	case protocol.IsHTTPBatch(q.context):
		return s.checkBatchHeaders(headers)
	}
	return s.checkHeaders(q, headers)
}

// refuseHandshake answers a client that begins a session where there is none with the revisions that
// are served there (basic/versioning): those without sessions.
func (s *Server) refuseHandshake(q *Request) error {
	requested, _ := q.call.PeekParams().In("protocolVersion").Text()
	if len(s.modern) == 0 {
		return &fault{runtime.CodeInvalidRequest, 400, "This transport has no sessions, which all revisions that the server supports need", nil}
	}
	return unsupportedVersion(s.modern, requested)
}

// notInitialized is the error for a request before the handshake of a session (2025-11-25,
// basic/lifecycle), unless the schema declares another.
func (s *Server) notInitialized(q *Request) error {
	return s.declaredError(runtime.Condition{Kind: when.NotInitialized, Method: q.Method()},
		&fault{runtime.CodeInvalidRequest, 400, "Not initialized: a session begins with initialize", nil})
}

// admit determines the era of the request and makes the checks of that era. If the era or the
// server does not have the method, the route is nil afterwards.
func (s *Server) admit(q *Request, h *session) error {
	modern := q.meta.version != "" && len(s.modern) > 0 && protocol.Of(q.meta.version).Era != Handshake
	if h != nil && !modern && len(s.handshakes) > 0 {
		return h.admit(q)
	}
	if err := s.admitStateless(q); err != nil {
		return err
	}
	if q.route != nil && !(q.route.eras.has(Stateless) && q.route.served(s)) {
		q.route = nil
	}
	return q.route.complete(q)
}

// waitHandshake returns the handshake. It waits for one that is being made, because requests run
// concurrently and may overtake it.
func (h *session) waitHandshake() *handshake {
	if handshake := h.handshake.Load(); handshake != nil {
		return handshake
	}
	h.opening.Lock()
	defer h.opening.Unlock()
	return h.handshake.Load()
}

// admit makes the checks of the handshake era.
func (h *session) admit(q *Request) error {
	if q.route.is(initialize) {
		return h.admitHandshake(q)
	}
	q.handshake = h.waitHandshake()
	switch {
	case q.handshake != nil:
	case q.route.is(ping):
		q.handshake = &handshake{}
	case len(h.srv.modern) > 0 && (q.meta.faults != 0 || q.meta.capabilities != nil):
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
		return h.srv.declaredError(runtime.Condition{Kind: when.AlreadyInitialized, Method: q.Method()},
			&fault{runtime.CodeInvalidRequest, 400, "Already initialized", nil})
	}
	handshake := &handshake{session: h}
	handshake.level.Store(int32(protocol.InfoLevel))
	err := q.decode(handshake.read)
	if err == nil {
		handshake.caller, err = handshake.caller.retain(h.srv.opts.MaxClientInfo)
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
