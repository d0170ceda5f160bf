package gen

import (
	"cmp"
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Batch is a batch of a generated client: requests and notifications are added, and sent as one
// message (JSON-RPC 2.0 section 6). It is used by one goroutine.
type Batch struct {
	conn    runtime.Conn
	codec   Codec
	buf     []byte
	calls   []*Pending
	offsets []int // where the id of each request goes in buf
	err     error // the first error while messages were added
	sent    bool
}

// Codec writes and reads the params and results of [Batch.AddCall] and [Batch.AddNote], and reports violations of their rules.
type Codec struct {
	Append func(b []byte, v any, vs *violation.List) []byte
	Decode func(v any, r *wire.Reader, vs *violation.List)
}

// NewBatch returns an empty batch over conn. Its params are a [wire.Appender], its results a [wire.Decoder], those with rules a [violation.Checker].
func NewBatch(conn runtime.Conn) *Batch { return NewBatchOf(conn, Codec{AppendChecked, DecodeChecked}) }

// NewBatchOf is [NewBatch] with another codec.
func NewBatchOf(conn runtime.Conn, codec Codec) *Batch {
	return &Batch{conn: conn, codec: codec, err: checkConn(conn)}
}

// checkConn returns an error if there is no connection: servers make clients of what [runtime.PeerFrom] returns.
func checkConn(conn runtime.Conn) error {
	if conn != nil {
		return nil
	}
	return errors.New("there is no connection to call on: runtime.PeerFrom returns nil if the transport cannot call its clients, as over HTTP")
}

// DecodeChecked reads v, which is a [wire.Decoder], and reports violations of its rules to vs.
func DecodeChecked(v any, r *wire.Reader, vs *violation.List) {
	v.(wire.Decoder).DecodeJSON(r)
	if v, ok := v.(violation.Checker); ok {
		v.CheckRules(vs)
	}
}

// AppendChecked reports violations of the rules of v to vs, and appends v, which is a [wire.Appender].
func AppendChecked(b []byte, v any, vs *violation.List) []byte {
	if v, ok := v.(violation.Checker); ok {
		v.CheckRules(vs)
	}
	return v.(wire.Appender).AppendJSON(b)
}

// Pending is a call of a batch. When the batch was sent, its result is in the variable that was given for it.
type Pending struct {
	method   string
	decode   func(r *wire.Reader, vs *violation.List) // nil skips the result
	declared func(*runtime.Error) error
	err      error
}

// ErrPending is the error of a [Pending] before its batch is sent.
var ErrPending = errors.New("the batch is not sent yet")

// Err returns the error of the call, or nil if its result is there. Before the batch was sent it is [ErrPending].
func (p *Pending) Err() error { return p.err }

// AddCall adds a request to b, whose result is decoded into result. Nil params are left out of the message, and with a nil result the result is
// skipped. The function declared turns the error of a response into a declared one, as for [Request.Result].
func AddCall[T any](b *Batch, method string, params any, result *T, declared func(*runtime.Error) error) *Pending {
	return AddRequest(b, method, b.appender(params), result, func(r *wire.Reader, vs *violation.List) { b.codec.Decode(result, r, vs) }, declared)
}

// appender returns a function that checks and appends params.
func (b *Batch) appender(params any) func([]byte, *violation.List) []byte {
	if params == nil {
		return nil
	}
	return func(buf []byte, vs *violation.List) []byte { return b.codec.Append(buf, params, vs) }
}

// AddRequest is [AddCall] for params and results that are not types of their own. The function params appends the params and reports their
// violations; nil means no params. The function decode reads into result and reports violations, and is called a second time if there are any; it is
// not called if result is nil.
func AddRequest[T any](b *Batch, method string, params func(b []byte, vs *violation.List) []byte, result *T,
	decode func(r *wire.Reader, vs *violation.List), declared func(*runtime.Error) error) *Pending {
	p := &Pending{method: method, declared: declared, err: ErrPending}
	if result != nil {
		p.decode = decode
	}
	if err := b.add(method, params, true); err != nil {
		p.err = err
	} else {
		b.calls = append(b.calls, p)
	}
	return p
}

// AddNote adds a notification to b. Nil params are left out of the message.
func (b *Batch) AddNote(method string, params any) { b.add(method, b.appender(params), false) }

// AddNotification adds a notification to b. The function params is that of AddRequest.
func (b *Batch) AddNotification(method string, params func(b []byte, vs *violation.List) []byte) {
	b.add(method, params, false)
}

// add appends one message. Ids are filled in when the batch is sent, because their number is unknown until then.
func (b *Batch) add(method string, params func([]byte, *violation.List) []byte, request bool) (err error) {
	start := len(b.buf)
	defer func() {
		if err != nil {
			b.buf = b.buf[:start]
			b.err = cmp.Or(b.err, err)
		}
	}()
	defer wire.CatchEncodeError(&err)
	if b.sent {
		return errSent
	}
	buf, at := append(b.buf, ','), 0
	if request {
		buf = append(buf, requestHead...)
		at = len(buf)
		buf = append(buf, methodMember...)
		buf = wire.AppendString(buf, method)
	} else {
		buf = appendNotification(buf, method)
	}
	if params != nil {
		var vs violation.List
		buf = params(append(buf, paramsMember...), &vs)
		if vs.Len() > 0 {
			return &runtime.ParamsError{Method: method, Violations: vs.All()}
		}
	}
	b.buf = append(buf, '}')
	if request {
		b.offsets = append(b.offsets, at)
	}
	return nil
}

var errSent = errors.New("the batch was sent already")

// Send sends the batch as one message and waits for all responses. If a message could not be added, nothing is sent and the error says why. Errors in
// responses are those of the individual results. An empty batch is not sent.
func (b *Batch) Send(ctx context.Context) error {
	if b.sent {
		return errSent
	}
	b.sent = true
	if b.err != nil {
		return b.settleAll(b.err)
	}
	if len(b.buf) == 0 {
		return nil
	}
	first := int64(0)
	if len(b.calls) > 0 {
		var err error
		if first, err = b.conn.NextID(len(b.calls)); err != nil {
			return b.settleAll(err)
		}
	}
	replies, err := b.conn.CallBatch(ctx, first, len(b.calls), b.message(first))
	if err != nil {
		return b.settleAll(err)
	}
	for i, call := range b.calls {
		call.settle(replies[i], nil)
	}
	return nil
}

// settleAll completes every result with the same error.
func (b *Batch) settleAll(err error) error {
	for _, call := range b.calls {
		call.settle(nil, err)
	}
	return err
}

// message returns the whole message, with consecutive ids from first on.
func (b *Batch) message(first int64) []byte {
	const digits = 20
	msg := make([]byte, 0, len(b.buf)+len(b.offsets)*digits+2)
	from := 0
	for i, at := range b.offsets {
		msg = append(msg, b.buf[from:at]...)
		msg = wire.AppendInt(msg, first+int64(i))
		from = at
	}
	msg = append(msg, b.buf[from:]...)
	msg[0] = '['
	return append(msg, ']')
}

// settle decodes the response.
func (p *Pending) settle(msg []byte, err error) {
	if err != nil {
		p.err = err
		return
	}
	if msg == nil {
		p.err = &runtime.ResponseError{Method: p.method, What: "it was left out of the batch"}
		return
	}
	var r response
	r.reset(p.method, msg)
	var vs violation.List
	for {
		more, err := r.next(p.declared, &vs)
		if p.err = err; !more {
			return
		}
		if p.decode == nil {
			r.result().Skip()
		} else {
			p.decode(r.result(), &vs)
		}
	}
}
