package gen

import (
	"context"
	"strconv"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/buffer"
)

// Request is one request of a generated client: params are appended, it is sent, and the result is decoded. It is used by one goroutine.
type Request struct {
	conn         runtime.Conn
	method       string
	id           int64
	buf          []byte // the beginning of the message
	sent         []byte // the whole message
	notification bool
	err          error
	response     response
	violations   violation.List
}

var requests = sync.Pool{New: func() any { return new(Request) }}

// NewRequest begins a request. The caller must call [Request.Close]. If conn is nil, the request fails.
func NewRequest(conn runtime.Conn, method string) *Request {
	q := requests.Get().(*Request)
	q.conn, q.method = conn, method
	if q.err = checkConn(conn); q.err == nil {
		q.id, q.err = conn.NextID(1)
	}
	q.buf = appendRequest(q.buf[:0], q.id, method)
	return q
}

// NewNotification begins a notification. The caller must call [Request.Close]. If conn is nil, the notification fails.
func NewNotification(conn runtime.Conn, method string) *Request {
	q := requests.Get().(*Request)
	q.conn, q.method, q.notification, q.err = conn, method, true, checkConn(conn)
	q.buf = appendNotification(q.buf[:0], method)
	return q
}

func appendRequest(b []byte, id int64, method string) []byte {
	b = append(b, requestHead...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, methodMember...)
	return wire.AppendString(b, method)
}

// AppendNotification appends the beginning of a notification, up to its params: they, and a brace, are to follow.
func AppendNotification(b []byte, method string) []byte {
	return append(appendNotification(b, method), paramsMember...)
}

func appendNotification(b []byte, method string) []byte {
	b = append(b, `{"jsonrpc":"2.0","method":`...)
	return wire.AppendString(b, method)
}

const (
	requestHead  = `{"jsonrpc":"2.0","id":`
	methodMember = `,"method":`
	paramsMember = `,"params":`
)

// ID returns the id of a request. It is 0 for a notification.
func (q *Request) ID() int64 { return q.id }

// Violations returns the list to which validation adds the violations of the params, and later those of the result.
func (q *Request) Violations() *violation.List { return &q.violations }

// Params returns the buffer to append the params to. Pass the extended buffer to [Request.Send].
func (q *Request) Params() []byte { return append(sizes.Room(q.buf, q.method), paramsMember...) }

// sizes is how large requests are expected to be.
var sizes buffer.Sizes

// Send sends the request with b, which is the buffer of [Request.Params] with the params appended, and waits for the response; it does not wait after
// a notification. If [Request.Violations] holds violations, nothing is sent and the error is a [*runtime.ParamsError].
func (q *Request) Send(ctx context.Context, b []byte) {
	q.sent = append(b, '}')
	sizes.Saw(q.method, len(q.sent))
	if q.err == nil && q.violations.Len() > 0 {
		q.err = &runtime.ParamsError{Method: q.method, Violations: q.violations.All()}
	}
	q.violations.Reset()
	if q.err != nil {
		return
	}
	if q.notification {
		q.err = q.conn.Notify(ctx, q.sent)
		return
	}
	msg, err := q.conn.Call(ctx, q.id, q.sent)
	q.response.reset(q.method, msg)
	q.err = err
}

// SendEmpty sends the request without params.
func (q *Request) SendEmpty(ctx context.Context) { q.Send(ctx, q.buf) }

// Result is the condition of the loop that decodes the result. The loop body runs once; it runs a second time if the result is invalid, to collect
// every violation. It does not run if there is an error. An error of the response is what declared returns for it, or a [*runtime.Error] if declared
// is nil or returns nil.
func (q *Request) Result(declared func(*runtime.Error) error) bool {
	if q.err != nil {
		return false
	}
	more, err := q.response.next(declared, &q.violations)
	q.err = err
	return more
}

// NoResult is Result for methods without a result: it skips any result.
func (q *Request) NoResult(declared func(*runtime.Error) error) {
	for q.Result(declared) {
		q.Reader().Skip()
	}
}

// Reader returns the reader of the result.
func (q *Request) Reader() *wire.Reader { return q.response.result() }

// Err returns the error of the call, or nil.
func (q *Request) Err() error { return q.err }

// Close releases the memory of the request. It is deferred: if params could not be written as JSON, it recovers the panic and stores that in *err.
func (q *Request) Close(err *error) {
	switch p := recover().(type) {
	case nil:
	case *wire.EncodeError:
		*err = p
	default:
		panic(p)
	}
	*q = Request{buf: buffer.Keep(q.buf, q.sent)}
	requests.Put(q)
}
