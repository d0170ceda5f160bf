package runtime

import (
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// element is one message of a batch and its answer.
type element struct {
	run    *batchRun
	msg    []byte
	opened usualRequest
	answer []byte // empty: none
	closed atomic.Bool
	key    string // the id in the session's list of calls; empty: not in it
}

// usualRequest is what was found when a request that is written as most are was checked, so that it need not be found again.
type usualRequest struct {
	method     string // empty: it is to be opened
	id, params span
}

// openUsual reads the request at i of msg when it is written as Go clients write it, and returns where it ends; a negative number
// when it is not. Depth is how deep its params may be nested.
func openUsual(msg []byte, i, depth int) (o usualRequest, end int) {
	var env envelope
	b := msg[i:]
	if !env.usual(b) || env.method == "" {
		return o, fault
	}
	end = wire.Skip(b, env.params.start, depth)
	if uint(end) >= uint(len(b)) || b[end] != '}' {
		return o, fault
	}
	return usualRequest{env.method, env.id, span{env.params.start, end}}, i + end + 1
}

// open is envelope.open for the call of an element. False: the message is at fault.
func (e *element) open(env *envelope) bool {
	if o := &e.opened; o.method != "" {
		env.seen, env.complete = hasVersion|hasID|hasMethod|hasParams, true
		env.method, env.id, env.params = o.method, o.id, o.params
		return true
	}
	opened := env.open(e.msg)
	if opened && (e.run.s != nil || env.seen&hasMethod == 0) {
		opened = env.finish(e.msg)
	}
	return opened
}

// id returns the text of the id of a request.
func (e *element) id(d *Dispatcher) []byte {
	env := envelope{loose: d.protocol.NullID, depth: d.depth - 1}
	if !env.open(e.msg) || !env.isRequest() || env.seen&hasID == 0 {
		return nil
	}
	return env.id.of(e.msg)
}

// call runs the handler.
func (e *element) call(c *Call) {
	r := e.run
	if r.s == nil {
		ctx := r.ctx
		if r.d.opts.CallContext {
			ctx = &callContext{Context: ctx, id: c.ID(), method: c.env.method}
		}
		r.d.run(ctx, c)
		return
	}
	ctx := &callContext{Context: r.ctx, peer: r.s, id: c.ID(), method: c.env.method, s: r.s}
	if !c.IsNotification() {
		id := c.env.id.of(c.msg)
		key := string(id)
		if !r.s.inbound.add(key, ctx) {
			c.state = refused
			c.dst = r.d.appendRefusal(c.dst[:c.start], duplicateID(id))
			return
		}
		e.key = key
		c.late = e
	}
	defer ctx.end()
	r.d.run(ctx, c)
}

// claim reports whether the answer is still to be given; see [late].
func (e *element) claim() bool { return e.closed.CompareAndSwap(false, true) }

// answerLate gives the answer.
func (e *element) answerLate(answer []byte) {
	e.answer = answer
	if e.key != "" {
		e.run.s.inbound.remove(e.key)
	}
	e.run.answered(1)
}

// answered counts elements that are done with.
func (r *batchRun) answered(n int64) {
	if r.left.Add(-n) == 0 {
		close(r.done)
	}
}

// batchWorker is a goroutine that handles elements of a batch.
type batchWorker struct {
	run     *batchRun
	call    *Call
	element *element // that is being handled; nil: none
	buf     []byte   // the answers, each behind a comma
	count   int64    // of elements that are answered and not counted in run yet
}

// work handles one element after the other until none is left, and appends the answers to buf, each behind a comma; nil has them
// in memory of their own. A handler that ends its goroutine does not end the batch.
func (r *batchRun) work(buf []byte) []byte {
	w := batchWorker{run: r, call: calls.Get().(*Call), buf: buf}
	defer w.end()
	for {
		i := r.next.Add(1) - 1
		if i >= int64(len(r.elements)) {
			return w.buf
		}
		if buf == nil && cap(w.buf)-len(w.buf) < 256 { // bytes; room for a short answer
			w.buf = make([]byte, 0, 4<<10)
		}
		w.handle(&r.elements[i])
	}
}

// end gives back what the goroutine had. One that ends while it handles an element has another one go on.
func (w *batchWorker) end() {
	if w.element != nil {
		w.settle()
		go w.run.work(nil)
	}
	w.call.release()
	if w.count > 0 {
		w.run.answered(w.count)
	}
}

// handle handles one element by itself.
func (w *batchWorker) handle(e *element) {
	c := w.call
	c.prepare(w.run.d, append(w.buf, ','), e.msg)
	c.shared = w.run.budget
	w.element = e
	opened := e.open(&c.env)
	switch {
	case opened && c.env.isRequest():
		e.call(c)
	case opened && w.run.s != nil && c.env.isResponse():
		w.run.s.response(c.msg, &c.env)
	case opened && w.run.s != nil && c.env.seen&(hasMethod|hasParams) == 0 && w.run.s.deliver(c.env.id.of(c.msg), c.msg):
	default:
		c.refuse()
	}
	w.settle()
	c.reset()
}

// settle takes the answer when it is still wanted.
func (w *batchWorker) settle() {
	e, answer, start := w.element, w.call.dst, w.call.start
	w.element = nil
	if w.run.s == nil {
		w.count++
	} else if !e.claim() {
		w.run.d.peerLog.Warn("a late result was dropped")
		return
	}
	if len(answer) > start {
		w.buf, answer = answer, answer[start:len(answer):len(answer)]
	} else {
		answer = nil
	}
	if w.run.s == nil {
		e.answer = answer
		return
	}
	e.answerLate(answer)
}
