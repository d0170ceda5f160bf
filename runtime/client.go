package runtime

import (
	"context"
	"strconv"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Conn is what generated clients call through. [Session] is one. All methods may be called by many goroutines.
type Conn interface {
	// NextID reserves n consecutive ids and returns the first. Ids increase, are never repeated, and stay below 2^60; after
	// that it fails with [ErrIDsExhausted].
	NextID(n int) (int64, error)

	// Call sends the request msg, which has the given id, and returns the message with the response to it. It does not keep
	// msg, but may use its spare capacity. What it returns is the caller's. The error wraps [ErrClosed] when the connection
	// is closed, and is ctx's when that ends first.
	Call(ctx context.Context, id int64, msg []byte) ([]byte, error)

	// CallBatch sends the batch msg, which has n requests with ids from first on, and returns the messages with their
	// responses in that order. A nil one means that the peer left it out. With n zero it waits for nothing.
	CallBatch(ctx context.Context, first int64, n int, msg []byte) ([][]byte, error)

	// Notify sends the notification msg.
	Notify(ctx context.Context, msg []byte) error
}

// Request is one request of a generated client while it is made: params are appended, it is sent, and the result is decoded.
type Request struct {
	conn         Conn
	method       string
	id           int64
	buf          []byte
	notification bool
	err          error
	reply        reply
	violations   rule.Violations
}

var requests = sync.Pool{New: func() any { return new(Request) }}

// NewRequest begins a request. [Request.Close] ends it.
func NewRequest(conn Conn, method string) *Request {
	q := requests.Get().(*Request)
	q.conn, q.method = conn, method
	q.id, q.err = conn.NextID(1)
	q.buf = appendRequest(q.buf[:0], q.id, method)
	return q
}

// NewNotification begins a notification. [Request.Close] ends it.
func NewNotification(conn Conn, method string) *Request {
	q := requests.Get().(*Request)
	q.conn, q.method, q.notification = conn, method, true
	q.buf = appendNotification(q.buf[:0], method)
	return q
}

func appendRequest(b []byte, id int64, method string) []byte {
	b = append(b, responseHead...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"method":`...)
	return appendString(b, method)
}

func appendNotification(b []byte, method string) []byte {
	b = append(b, `{"jsonrpc":"2.0","method":`...)
	return appendString(b, method)
}

const paramsMember = `,"params":`

// ID returns the id of a request; zero for a notification.
func (q *Request) ID() int64 { return q.id }

// Violations returns where the rules are collected that the params break before they are sent, and later the result.
func (q *Request) Violations() *rule.Violations { return &q.violations }

// Params returns the buffer that the params are to be appended to; [Request.Send] takes it.
func (q *Request) Params() []byte { return append(q.buf, paramsMember...) }

// Send sends the request with b, which is [Request.Params] with the params appended, and waits for the response; a notification
// is only sent. Params that broke a rule are not sent: the error is a [*ParamsError].
func (q *Request) Send(ctx context.Context, b []byte) {
	q.buf = append(b, '}')
	if q.err == nil && q.violations.Len() > 0 {
		q.err = &ParamsError{Method: q.method, Violations: q.violations.All()}
	}
	q.violations.Reset()
	if q.err != nil {
		return
	}
	if q.notification {
		q.err = q.conn.Notify(ctx, q.buf)
		return
	}
	q.reply.msg, q.err = q.conn.Call(ctx, q.id, q.buf)
}

// SendEmpty sends the request without params, like Send.
func (q *Request) SendEmpty(ctx context.Context) { q.Send(ctx, q.buf) }

// Result is the condition of the loop that decodes the result. Its body runs once, and a second time when something is wrong, to
// collect every violation. It does not run when there is an error: one that the peer answered has gone through declared, which
// may turn it into another; nil leaves it a [*Error].
func (q *Request) Result(declared func(*Error) error) bool {
	if q.err != nil {
		return false
	}
	more, err := q.reply.next(q.method, declared, &q.violations)
	q.err = err
	return more
}

// NoResult is Result for methods without one: whatever result there is, it is read past.
func (q *Request) NoResult(declared func(*Error) error) {
	for q.Result(declared) {
		q.Reader().Skip()
	}
}

// Reader returns the cursor at the result.
func (q *Request) Reader() *wire.Reader { return &q.reply.reader }

// Err returns what went wrong, or nil.
func (q *Request) Err() error { return q.err }

// Close gives the request's memory back. It is deferred: when params could not be written as JSON, *err says so.
func (q *Request) Close(err *error) {
	switch p := recover().(type) {
	case nil:
	case *wire.EncodeError:
		*err = p
	default:
		panic(p)
	}
	const most = 64 << 10 // bytes; larger buffers are rare enough
	buf := q.buf
	if cap(buf) > most {
		buf = nil
	}
	*q = Request{buf: buf}
	requests.Put(q)
}
