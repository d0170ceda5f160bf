package gen

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Batch is a batch of a generated client while it is made: requests and notifications are added, and it is sent as one
// message. It is used by one goroutine.
type Batch struct {
	conn    runtime.Conn
	buf     []byte
	calls   []*PendingCall
	offsets []int // where in buf the id of each request goes
	err     error // the first error while it was made
	sent    bool
}

// NewBatch begins a batch.
func NewBatch(conn runtime.Conn) *Batch { return &Batch{conn: conn} }

// Pending is a result that is there after the batch was sent. It is made with new. There is one for every result type of a schema,
// so what does not need to know the type is not part of it.
type Pending[T any] struct {
	Call  PendingCall
	Value T // the result, when there is one: Result tells
}

// Result returns the result, or what went wrong. Before the batch was sent that is [ErrPending].
func (p *Pending[T]) Result() (T, error) { return p.Value, p.Call.err }

// ErrPending is the result of a [Pending] before the batch is sent.
var ErrPending = errors.New("the batch is not sent yet")

// PendingCall is the call of a [Pending].
type PendingCall struct {
	method   string
	decode   func(r *wire.Reader, vs *rule.Violations) // nil: the result is read past
	declared func(*runtime.Error) error
	err      error
}

// Err returns what went wrong, or nil.
func (p *PendingCall) Err() error { return p.err }

// AddCall adds a request to b whose params and result know how to write, read and check themselves. Params nil leaves them out,
// result nil has it read past. Declared turns an error that the peer answered into a declared one, as for [Request.Result].
func (b *Batch) AddCall(p *PendingCall, method string, params wire.Appender, result wire.Decoder, declared func(*runtime.Error) error) {
	*p = PendingCall{method: method, declared: declared}
	if result != nil {
		p.decode = func(r *wire.Reader, vs *rule.Violations) { decodeChecked(result, r, vs) }
	}
	b.request(p, appender(params))
}

// appender returns the function that checks and appends params.
func appender(params wire.Appender) func([]byte, *rule.Violations) []byte {
	if params == nil {
		return nil
	}
	return func(b []byte, vs *rule.Violations) []byte { return appendChecked(b, params, vs) }
}

// AddRequest is [Batch.AddCall] for params and results that are no types of their own. Params appends the params and reports the rules
// that they break; nil leaves them out. Decode reads the result and reports the rules that it breaks; it is called a second
// time when there are any; nil reads past it.
func AddRequest[T any](b *Batch, method string, params func(b []byte, vs *rule.Violations) []byte,
	decode func(r *wire.Reader, v *T, vs *rule.Violations), declared func(*runtime.Error) error) *Pending[T] {
	p := new(Pending[T])
	p.Call = PendingCall{method: method, declared: declared}
	if decode != nil {
		p.Call.decode = func(r *wire.Reader, vs *rule.Violations) { decode(r, &p.Value, vs) }
	}
	b.request(&p.Call, params)
	return p
}

// request adds the request that p is the result of.
func (b *Batch) request(p *PendingCall, params func([]byte, *rule.Violations) []byte) {
	p.err = ErrPending
	if err := b.add(p.method, params, true); err != nil {
		p.err = err
		return
	}
	b.calls = append(b.calls, p)
}

// AddNote adds a notification to b whose params know how to write and check themselves; nil leaves them out.
func (b *Batch) AddNote(method string, params wire.Appender) { b.add(method, appender(params), false) }

// AddNotification adds a notification to b; params are those of [AddRequest].
func AddNotification(b *Batch, method string, params func(b []byte, vs *rule.Violations) []byte) {
	b.add(method, params, false)
}

// add appends one message. The ids are filled in when the batch is sent: until then nobody knows how many there are.
func (b *Batch) add(method string, params func([]byte, *rule.Violations) []byte, request bool) (err error) {
	start := len(b.buf)
	defer func() {
		if err != nil {
			b.buf = b.buf[:start]
			b.fail(err)
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
		var vs rule.Violations
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

func (b *Batch) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Send sends the batch as one message and waits for all responses. It is sent only when everything could be added to it; the
// error says otherwise. Errors that the peer answers are those of the single results. An empty batch is not sent.
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

// settleAll gives every result the same error.
func (b *Batch) settleAll(err error) error {
	for _, call := range b.calls {
		call.settle(nil, err)
	}
	return err
}

// message returns the whole message, with the ids from first on.
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
func (p *PendingCall) settle(msg []byte, err error) {
	if err != nil {
		p.err = err
		return
	}
	if msg == nil {
		p.err = &runtime.ResponseError{Method: p.method, What: "it was left out of the batch"}
		return
	}
	var r runtime.Response
	r.Reset(p.method, msg)
	var vs rule.Violations
	for {
		more, err := r.Next(p.declared, &vs)
		if p.err = err; !more {
			return
		}
		if p.decode == nil {
			r.Reader().Skip()
		} else {
			p.decode(r.Reader(), &vs)
		}
	}
}
