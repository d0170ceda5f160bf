package mcp

import (
	"context"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Request is one request while it is served. It is valid until its handler has returned; the context of the handler may be held longer.
type Request struct {
	params
	context context.Context // of the session or the transport
	scope   *scope          // the handler's context; nil: there is no handler
	server  *Server
	ended   <-chan struct{} // closed when the session's client sends nothing more; nil outside of sessions
	shake   *handshake      // what the session began with; nil: the request is stateless
	call    *runtime.Call
	route   *route
	method  string

	missing  bool    // there is no tool, prompt or resource of the name
	isError  bool    // the tool has returned a result that says so
	reported bool    // there was progress
	progress float64 // the last that was reported
	rounds   *rounds // of questions to a stateless client; nil: none was asked
}

var requests = sync.Pool{New: func() any { return new(Request) }}

// newRequest returns a request of which nothing is known yet but its method.
func (s *Server) newRequest(ctx context.Context, c *runtime.Call) *Request {
	q := requests.Get().(*Request)
	q.context, q.server, q.call, q.method, q.level = ctx, s, c, c.Method(), protocol.NoLevel
	return q
}

// enter returns the context of the handler. Where no code but the server's own is going to run, that is the context there is.
func (q *Request) enter() context.Context {
	if q.route != nil && q.route.runs == alone && len(q.server.opts.Middleware) == 0 {
		return q.context
	}
	q.scope = &scope{context: q.context, request: q, oneWay: q.shake == nil}
	return q.scope
}

// release ends the request, and gives its memory back.
func (q *Request) release() {
	if q.scope != nil {
		q.scope.end()
	}
	*q = Request{}
	requests.Put(q)
}

// Method returns the method, such as tools/call.
func (q *Request) Method() string { return q.method }

// ID returns the id of the request.
func (q *Request) ID() runtime.ID { return q.call.ID() }

// HTTP returns the headers of the HTTP request that the request came in; nil: it came over something else.
func (q *Request) HTTP() Headers { return headersFrom(q.context) }

// Name returns the name of the tool or prompt, or the URI of the resource, that the request is for; empty for other methods.
func (q *Request) Name() string { return q.name }

// Era reports whether the request is stateless or belongs to a session that began with a handshake.
func (q *Request) Era() Era {
	if q.shake == nil {
		return Stateless
	}
	return Handshake
}

// Revision returns the revision of the protocol that the request speaks.
func (q *Request) Revision() string {
	if q.shake == nil {
		return q.version
	}
	return q.shake.revision
}

// Caller returns what the client says of itself.
func (q *Request) Caller() Caller {
	if q.shake != nil {
		return q.shake.caller
	}
	return newCaller(q.version, q.info, q.capabilities)
}

// Meta returns a string of the request's _meta, such as traceparent (basic, OpenTelemetry trace context).
func (q *Request) Meta(key string) (string, bool) {
	return q.call.PeekParams().In("_meta").In(key).Text()
}

// RequestFrom returns the request that ctx is the context of; nil outside of requests, and after they are over.
func RequestFrom(ctx context.Context) *Request {
	s, err := acquire(ctx)
	if err != nil {
		return nil
	}
	defer s.mu.Unlock()
	return s.request
}

// respond answers with a whole result.
func (q *Request) respond(result []byte) error {
	q.call.Return(append(q.call.Result(), result...))
	return nil
}

// tail is how results end: what every result carries, and the brace.
func (q *Request) tail() string {
	if q.shake == nil {
		return q.server.tail
	}
	return "}"
}

// decode reads the whole params, for methods that are not called often.
func (q *Request) decode(read func(r *wire.Reader)) error {
	text := q.call.PeekParams().JSON()
	if text == nil {
		text = []byte("{}")
	}
	return decode(text, read)
}
