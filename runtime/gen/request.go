package gen

import (
	"context"
	"strconv"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Request is one request of a generated client while it is made: params are appended, it is sent, and the result is decoded.
type Request struct {
	conn         runtime.Conn
	method       string
	id           int64
	buf          []byte
	notification bool
	err          error
	response     runtime.Response
	violations   rule.Violations
}

var requests = sync.Pool{New: func() any { return new(Request) }}

// NewRequest begins a request. [Request.Close] ends it.
func NewRequest(conn runtime.Conn, method string) *Request {
	q := requests.Get().(*Request)
	q.conn, q.method = conn, method
	q.id, q.err = conn.NextID(1)
	q.buf = appendRequest(q.buf[:0], q.id, method)
	return q
}

// NewNotification begins a notification. [Request.Close] ends it.
func NewNotification(conn runtime.Conn, method string) *Request {
	q := requests.Get().(*Request)
	q.conn, q.method, q.notification = conn, method, true
	q.buf = appendNotification(q.buf[:0], method)
	return q
}

func appendRequest(b []byte, id int64, method string) []byte {
	b = append(b, requestHead...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, methodMember...)
	return wire.AppendString(b, method)
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

// ID returns the id of a request; zero for a notification.
func (q *Request) ID() int64 { return q.id }

// Violations returns where the rules are collected that the params break before they are sent, and later the result.
func (q *Request) Violations() *rule.Violations { return &q.violations }

// Params returns the buffer that the params are to be appended to; [Request.Send] takes it.
func (q *Request) Params() []byte { return append(q.buf, paramsMember...) }

// Send sends the request with b, which is [Request.Params] with the params appended, and waits for the response; a notification
// is only sent. Params that broke a rule are not sent: the error is a [*runtime.ParamsError].
func (q *Request) Send(ctx context.Context, b []byte) {
	q.buf = append(b, '}')
	if q.err == nil && q.violations.Len() > 0 {
		q.err = &runtime.ParamsError{Method: q.method, Violations: q.violations.All()}
	}
	q.violations.Reset()
	if q.err != nil {
		return
	}
	if q.notification {
		q.err = q.conn.Notify(ctx, q.buf)
		return
	}
	msg, err := q.conn.Call(ctx, q.id, q.buf)
	q.response.Reset(q.method, msg)
	q.err = err
}

// SendEmpty sends the request without params, like Send.
func (q *Request) SendEmpty(ctx context.Context) { q.Send(ctx, q.buf) }

// Result is the condition of the loop that decodes the result. Its body runs once, and a second time when something is wrong, to
// collect every violation. It does not run when there is an error: one that the peer answered has gone through declared, which
// may turn it into another; nil leaves it a [*runtime.Error].
func (q *Request) Result(declared func(*runtime.Error) error) bool {
	if q.err != nil {
		return false
	}
	more, err := q.response.Next(declared, &q.violations)
	q.err = err
	return more
}

// NoResult is Result for methods without one: whatever result there is, it is read past.
func (q *Request) NoResult(declared func(*runtime.Error) error) {
	for q.Result(declared) {
		q.Reader().Skip()
	}
}

// Reader returns the cursor at the result.
func (q *Request) Reader() *wire.Reader { return q.response.Reader() }

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
