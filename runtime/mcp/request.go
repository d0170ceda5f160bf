package mcp

import (
	"context"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Request is one request while it is served. It is also the context that its handler gets, and may be held as long as that.
type Request struct {
	params
	context context.Context // of the session or the transport
	server  *Server
	shake   *handshake    // what the session began with; nil: the request is stateless
	call    *runtime.Call // until the request is answered
	route   *route
	method  string

	mu       sync.Mutex
	over     bool    // the handler has returned
	reported bool    // there was progress
	progress float64 // the last that was reported
	rounds   *rounds // of questions to a stateless client; nil: none was asked
}

// Method returns the method, such as tools/call.
func (q *Request) Method() string { return q.method }

// Name returns the name of the tool or prompt, or the URI of the resource, that the request is for; empty for other methods.
func (q *Request) Name() string { return q.name }

// Era tells whether the request is stateless or belongs to a session that began with a handshake.
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

// Meta returns a string of the request's _meta, such as traceparent (basic, OpenTelemetry trace context). It is to be asked while the
// request is served.
func (q *Request) Meta(key string) (string, bool) {
	if q.call == nil {
		return "", false
	}
	return q.call.PeekParams().In("_meta").In(key).Text()
}

// Deadline is that of the session or transport; see [context.Context].
func (q *Request) Deadline() (time.Time, bool) { return q.context.Deadline() }

// Done is closed when the request is cancelled or over; see [context.Context].
func (q *Request) Done() <-chan struct{} { return q.context.Done() }

// Err says why the request is cancelled; see [context.Context].
func (q *Request) Err() error { return q.context.Err() }

// Value returns the value for key; see [context.Context].
func (q *Request) Value(key any) any {
	if key == (requestKey{}) {
		return q
	}
	v := q.context.Value(key)
	if conn, ok := v.(runtime.Conn); ok && q.shake == nil && runtime.IsPeerKey(key) {
		return oneWay{conn}
	}
	return v
}

type requestKey struct{}

// RequestFrom returns the request that ctx is the context of; nil outside of requests.
func RequestFrom(ctx context.Context) *Request {
	q, _ := ctx.Value(requestKey{}).(*Request)
	return q
}

// end is the end of the handler: what it still does says nothing to the client any more.
func (q *Request) end() {
	q.mu.Lock()
	q.over = true
	q.mu.Unlock()
	q.call = nil
}

// ended tells whether the handler has returned.
func (q *Request) ended() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.over
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
