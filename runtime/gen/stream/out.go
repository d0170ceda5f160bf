package stream

import (
	"context"
	"crypto/rand"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/tap"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Out is a stream that a handler sends.
type Out struct {
	t      *streams
	form   *Form
	ctx    context.Context // of the handler
	cancel context.CancelCauseFunc
	answer func(result []byte) bool // before the handler returns
	call   *runtime.Call
	watch  observers
	sent   atomic.Int64 // items
	id     wire.ID
	head   []byte // of the params of an item
	begun  sync.Once
	err    error // of begun
}

// Serve makes the call c a stream, and returns the context for its handler. If that is not possible, it answers, and the stream is nil. The params are
// decoded afterwards: until then no other message is read, so that calls after it find it counted as a stream.
func Serve(ctx context.Context, c *runtime.Call, f *Form) (context.Context, *Out) {
	t := of(runtime.PeerFrom(ctx))
	if t == nil && f.First {
		c.Condition(runtime.Condition{Kind: when.StreamUnsupported, Method: c.Method(), Reason: needsSession})
		return ctx, nil
	} else if t == nil {
		t = runtime.Tap(nil, func(seam tap.Seam) tap.Tap { return newStreams(nil, nil, seam) }).(*streams)
	}
	lasting, answer := t.Detach(ctx, c)
	if lasting == nil {
		c.Fail(misuseError{}) // unless it is answered
		return ctx, nil
	}
	o := &Out{watch: observe(ctx, runtime.PeerFrom(ctx), c.Method()), t: t, form: f, answer: answer, call: c, id: c.ID()}
	if f.First {
		o.id = wire.StringID(rand.Text())
	}
	b := append(wire.AppendID(member([]byte{'{'}, f.ID), o.id), ',')
	o.head = member(b, f.Item)
	o.ctx, o.cancel = context.WithCancelCause(lasting)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.serving[o] = struct{}{}
	if t.stopped {
		o.cancel(errShutdown)
	}
	return o.ctx, o
}

// misuseError is the error of a stream where there can be none.
type misuseError struct{}

func (misuseError) Error() string {
	return "Invalid request: a stream needs a session, or a request of its own over HTTP, and is not part of a batch"
}

// RPCError implements [runtime.Coder].
func (e misuseError) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: runtime.CodeInvalidRequest, Message: e.Error()}
}

// Close forgets a stream whose handler has returned.
func (o *Out) Close() {
	t := o.t
	t.mu.Lock()
	delete(t.serving, o)
	delete(t.own, o.id.Key())
	t.mu.Unlock()
	o.cancel(nil)
	t.Count(o.call, int(o.sent.Load()))
	o.watch.end(int(o.sent.Load()), nil)
}

// Open answers with the id of the stream, unless that was done. Until then the peer does not know that its request is accepted. A stream whose response
// comes last needs none.
func (o *Out) Open() error {
	o.begun.Do(func() {
		if !o.form.First {
			return
		}
		t := o.t
		t.mu.Lock()
		t.own[o.id.Key()], t.ends[o.form.End] = o, true
		over := t.over
		t.mu.Unlock()
		if over != nil { // nobody could end it
			o.cancel(over)
		}
		if !o.answer(wire.AppendID(nil, o.id)) {
			o.err = context.Canceled
		}
	})
	return o.err
}

// Begin begins an item, which [gen.Request.Violations] checks. The caller must call [gen.Request.Close].
func (o *Out) Begin() *gen.Request { return gen.NewNotification(o.t.out, o.form.Method) }

// Text returns the buffer to append the item to.
func (o *Out) Text(q *gen.Request) []byte { return append(q.Params(), o.head...) }

// Send sends an item with b, which is the buffer of [Out.Text] with the item appended. It waits while the connection takes no more, until ctx or the
// stream ends. Goroutines may send at the same time.
func (o *Out) Send(ctx context.Context, q *gen.Request, b []byte) error {
	if q.Violations().Len() == 0 {
		if err := o.Open(); err != nil {
			return err
		}
		if err := o.ctx.Err(); err != nil {
			return err
		}
	}
	q.Send(ctx, append(b, '}'))
	if q.Err() == nil {
		o.sent.Add(1)
	}
	return q.Err()
}

// Encoded is an item of the streams S as JSON. The zero value is none.
type Encoded[S any] struct{ text []byte }

// Encode returns the item b, once q, which [Form.Begin] returned, has checked it.
func Encode[S any](f *Form, q *gen.Request, b []byte) (Encoded[S], error) {
	if vs := q.Violations(); vs.Len() > 0 {
		return Encoded[S]{}, &runtime.ParamsError{Method: f.Method, Violations: vs.All()}
	}
	return Encoded[S]{b}, nil
}

// SendEncoded is [Out.Send] for an item that is encoded already.
func SendEncoded[S any](ctx context.Context, o *Out, item Encoded[S]) (err error) {
	if item.text == nil {
		return errNoItem
	}
	q := o.Begin()
	defer q.Close(&err)
	return o.Send(ctx, q, append(o.Text(q), item.text...))
}

// Answer answers a call whose handler has returned err, if the response comes first.
func (o *Out) Answer(c *runtime.Call, err error) {
	if err != nil {
		c.Fail(err)
		return
	}
	c.Return(wire.AppendID(c.Result(), o.id))
}

// End serves the method that ends streams of the session. Its params are the id, in an array or in the member name.
func End(ctx context.Context, c *runtime.Call, name string) {
	var id runtime.ID
	quoted := string(member(nil, name))
	for c.Params("") {
		var o wire.Members
		r := c.Reader()
		if r.Kind() == wire.Array {
			list := r.Array()
			for n := 0; r.Elem(&list); n++ {
				if n > 0 {
					r.Skip()
				} else {
					id = r.ID()
				}
			}
			continue
		}
		for r.Object(&o); r.More(&o); {
			if r.Key(&o, 0, quoted) {
				id = r.ID()
			}
		}
		r.Need(&o, 1, name)
	}
	if c.Answered() {
		return
	}
	ended := false
	if t := of(runtime.PeerFrom(ctx)); t != nil {
		ended = t.end(c.Method(), id)
	}
	c.Return(strconv.AppendBool(c.Result(), ended))
}

// end ends the stream with an id. It reports false if the session serves none that the method ends.
func (t *streams) end(method string, id wire.ID) bool {
	t.mu.Lock()
	o := t.own[id.Key()]
	ok := o != nil && o.form.End == method
	if ok {
		delete(t.own, id.Key())
	}
	t.mu.Unlock()
	if ok {
		o.cancel(errEnded)
	}
	return ok
}

// Constant returns the first param of a call, which tells methods of one name apart; name is what it is called where params are an object.
func Constant(c *runtime.Call, name string) string {
	p := c.PeekParams()
	first := p.In(name)
	if p.Kind() == wire.Array {
		first = p.At(0)
	}
	text, _ := first.Text()
	return text
}

// NoConstant answers a call whose first param is none of values, which are newline-separated.
func NoConstant(c *runtime.Call, name, values string) {
	if c.PeekParams().Kind() == wire.Array {
		name = "0"
	}
	for c.Params("") {
		c.Reader().NoBranch(name, values)
	}
}
