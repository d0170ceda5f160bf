package web

import (
	"context"
	"net/http"
	goruntime "runtime"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/buffer"
	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
)

// Give passes the answer to a message on. Its memory, which buf may be nil for, is to be given to [buffer.Put].
type Give func(buf *[]byte, answer []byte, o transport.Outcome)

// Dispatch has d serve msg in this goroutine, which was started for it, and calls give once with the answer: when the handlers have returned, or when their
// timeouts have passed. A handler that ends its goroutine is answered for.
func Dispatch(ctx context.Context, d *runtime.Dispatcher, msg []byte, give Give) {
	newExchange(ctx, d, msg, nil, give).dispatch()
}

// Answerer is a request over HTTP, which it answers with what msg is answered with. It does not keep answer.
type Answerer interface {
	Answer(answer, msg []byte, o *transport.Outcome)
}

// ServeMessage has d serve msg, the body of a request that w answers, and returns when a has answered. If ended is nil, the handlers run in this goroutine.
// Otherwise they run as those of [Dispatch] do, in a goroutine that calls ended when they have returned.
func ServeMessage(ctx context.Context, w http.ResponseWriter, r *http.Request, d *runtime.Dispatcher, msg []byte, a Answerer, ended func()) {
	if ended != nil {
		e := newExchange(ctx, d, msg, a, func(buf *[]byte, answer []byte, o transport.Outcome) {
			a.Answer(answer, msg, &o)
			buffer.Put(buf, answer)
		})
		go func() {
			defer ended()
			e.dispatch()
		}()
		e.given.Wait()
		return
	}
	in := &serving{Context: ctx, a: a}
	buf, returned := buffer.Get(), false
	defer func() {
		if !returned { // the handler has ended this goroutine, and the connection with it
			HangUp(w, r)
			a.Answer(d.Unfinished(nil, msg), msg, &transport.Outcome{Failed: true, Code: runtime.CodeInternalError})
		}
	}()
	answer := d.Dispatch(in, (*buf)[:0], msg)
	returned = true
	a.Answer(answer, msg, (*transport.Outcome)(&in.outcome))
	buffer.Put(buf, answer)
}

// growStack makes the stack of a new goroutine large enough for most calls at once. Later, Go has more frames to copy.
//
//go:noinline
func growStack() {
	var room [5 << 10]byte
	goruntime.KeepAlive(&room)
}

// serving is the context of a message, in place of that of [transport.WithOutcome], so that it is one allocation.
type serving struct {
	context.Context
	a       Answerer // a [tap.Response] as well, if the answer may be a stream; may be nil
	outcome contextkey.Outcome
}

// Value implements [context.Context].
func (s *serving) Value(key any) any {
	switch key {
	case contextkey.Response{}:
		return s.a
	case contextkey.Outcomes{}:
		return &s.outcome
	}
	return s.Context.Value(key)
}

// exchange is a message and its answer, and the context of the message as well, in place of that of [transport.WithLate].
type exchange struct {
	serving
	d     *runtime.Dispatcher
	msg   []byte
	give  Give
	once  sync.Once
	given sync.WaitGroup // done when give has returned
}

func newExchange(ctx context.Context, d *runtime.Dispatcher, msg []byte, a Answerer, give Give) *exchange {
	e := &exchange{serving: serving{Context: ctx, a: a}, d: d, msg: msg, give: give}
	e.given.Add(1)
	return e
}

// Value implements [context.Context].
func (e *exchange) Value(key any) any {
	if key == (contextkey.Late{}) {
		return e.late
	}
	return e.serving.Value(key)
}

// late answers while handlers still run.
func (e *exchange) late(answer []byte, o contextkey.Outcome) { e.answer(nil, answer, o) }

// answer gives the answer unless one was given.
func (e *exchange) answer(buf *[]byte, answer []byte, o contextkey.Outcome) {
	e.once.Do(func() {
		defer e.given.Done()
		e.give(buf, answer, transport.Outcome(o))
	})
}

func (e *exchange) dispatch() {
	growStack()
	buf, returned := buffer.Get(), false
	defer func() {
		if !returned { // by runtime.Goexit
			e.late(e.d.Unfinished(nil, e.msg), contextkey.Outcome{Failed: true, Code: runtime.CodeInternalError})
		}
	}()
	answer := e.d.Dispatch(e, (*buf)[:0], e.msg)
	returned = true
	e.answer(buf, answer, e.outcome)
}
