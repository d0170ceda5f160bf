package mcp

import (
	"context"
	"strconv"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

var requests = sync.Pool{New: func() any { return new(Request) }}

// newRequest returns a request of which only the method is known.
func (s *Server) newRequest(ctx context.Context, c *runtime.Call) *Request {
	q := requests.Get().(*Request)
	q.context, q.server, q.call, q.method, q.meta.level = ctx, s, c, c.Method(), protocol.NoLevel
	return q
}

// enter returns the context of the handler. If only code of the server itself runs, that is the context of the request.
func (q *Request) enter() context.Context {
	if q.route != nil && q.route.runs == alone && len(q.server.opts.Middleware) == 0 {
		return q.context
	}
	q.scope = &scope{context: q.context, request: q, stateless: q.handshake == nil}
	return q.scope
}

// release ends the request and returns it to the pool.
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

// HTTP returns the headers of the HTTP request that the request arrived in, or nil for another transport.
func (q *Request) HTTP() Headers { return protocol.HTTPFrom(q.context) }

// Name returns the name of the tool or prompt, or the URI of the resource. It is empty for other methods.
func (q *Request) Name() string { return q.name }

// Era returns [Stateless] or, for a request of a session that began with a handshake, [Handshake].
func (q *Request) Era() Era {
	if q.handshake == nil {
		return Stateless
	}
	return Handshake
}

// Revision returns the protocol revision of the request.
func (q *Request) Revision() string {
	if q.handshake == nil {
		return q.meta.version
	}
	return q.handshake.revision
}

// Variant returns a text that is the same for calls of a tool that have equal results if their arguments are equal: the protocol revision and, for a
// tool that was added to the server, which of those that had its name in the course of time it is.
func (q *Request) Variant() string {
	if q.server.opts.Dynamic == nil {
		return q.Revision()
	}
	return q.Revision() + " " + strconv.FormatUint(q.server.opts.Dynamic.Generation(q.name), 10)
}

// Caller returns what the client says about itself.
func (q *Request) Caller() Caller {
	if q.handshake != nil {
		return q.handshake.caller
	}
	return newCaller(q.meta.version, q.meta.info, q.meta.capabilities)
}

// Meta returns a string of the request's _meta, such as traceparent (basic, OpenTelemetry trace
// context). It reports false if there is no such string.
func (q *Request) Meta(key string) (string, bool) {
	return q.call.PeekParams().In("_meta").In(key).Text()
}

// RequestFrom returns the request that ctx belongs to. It is nil outside of requests and after the request has ended.
func RequestFrom(ctx context.Context) *Request {
	s, err := acquire(ctx)
	if err != nil {
		return nil
	}
	defer s.mu.Unlock()
	return s.request
}

// Arguments returns the arguments of a tool or prompt as a JSON object. It is nil if there are none.
func (q *Request) Arguments() []byte { return q.arguments }

// Continues reports whether the request continues an earlier one: it holds answers of the user or the state of a round (basic/patterns/mrtr).
func (q *Request) Continues() bool { return q.responses != nil || q.hasState }

// Result returns the result that the request was answered with. It is nil if there is none, if it is an error, or if it is the result of a tool with
// isError. It is valid until the middleware returns.
func (q *Request) Result() []byte {
	if q.isError {
		return nil
	}
	return q.call.ResultJSON()
}

// respond answers with a complete result.
func (q *Request) respond(result []byte) error {
	q.call.Return(append(q.call.Result(), result...))
	return nil
}

// tail returns the end of results: the members that every result has, and the closing brace.
func (q *Request) tail() string {
	if q.handshake == nil {
		return q.server.tail
	}
	return "}"
}

// decode reads all params, for methods that are called rarely.
func (q *Request) decode(read func(r *wire.Reader)) error {
	text := q.call.PeekParams().JSON()
	if text == nil {
		text = []byte("{}")
	}
	return decode(text, read)
}

// ClientOf returns what the client says about itself, for the request that ctx belongs to. It is zero outside of requests.
func ClientOf(ctx context.Context) Caller {
	s, err := acquire(ctx)
	if err != nil {
		return Caller{}
	}
	defer s.mu.Unlock()
	return s.request.Caller()
}

// notFound is the error for a tool, prompt or resource that does not exist.
func (q *Request) notFound(code int64, text, member, name, suggestion string) error {
	if q.handshake != nil {
		return notFoundError(0, code, text, member, name, suggestion)
	}
	return notFoundError(400, code, text, member, name, suggestion)
}

// Headers are the header fields of an HTTP request; net/http.Header implements it. Names are not case-sensitive.
type Headers interface {
	Get(name string) string
	Values(name string) []string
}
