package runtime

import (
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
)

// element is one message of a batch and its answer.
type element struct {
	msg    []byte
	opened envelope.Usual
	answer []byte // empty if there is no answer
}

// lateElement is an element whose call may be answered while its handler still runs.
type lateElement struct {
	lateBase
	*element
	run *batchRun
	key string // the key of the id in the session's list of calls; empty if the call is not listed
}

// open is Envelope.Open for an element. It reports false if the message is invalid. If whole is set, it reads the message to its end.
func (e *element) open(env *envelope.Envelope, whole bool) bool {
	if e.opened.Into(env, e.msg) {
		return true
	}
	opened := env.Open(e.msg)
	if opened && (whole || env.Seen&envelope.HasMethod == 0) {
		opened = env.Finish(e.msg)
	}
	return opened
}

// id returns the text of the request's id. It is empty for a notification and for an invalid message.
func (e *element) id(d *Dispatcher) []byte {
	env := envelope.Envelope{Loose: d.protocol.NullID, Depth: d.opts.MaxDepth - 1}
	if !env.Open(e.msg) || !env.IsRequest() || env.Seen&envelope.HasID == 0 {
		return nil
	}
	return env.ID.Of(e.msg)
}

// method returns the method of the element for the context of its handler, see methodOf. Elements that follow one another share it.
func (w *batchWorker) method() string {
	if c := w.call; w.last != c.env.Method {
		w.last = methodOf(&c.env, c.msg)
	}
	return w.last
}

// handler calls the handler outside of sessions.
func (w *batchWorker) handler() {
	ctx := w.run.ctx
	if w.run.d.opts.CallContext {
		ctx = &callContext{Context: ctx, id: w.call.ID(), method: w.method()}
	}
	w.run.d.run(ctx, w.call)
}

// call runs the handler. In a session it lists the call first, so that the peer can cancel it, and refuses an id that is already in flight.
func (e *lateElement) call(w *batchWorker) {
	r, c := e.run, w.call
	if r.s == nil {
		if !c.IsNotification() {
			c.late = e
		}
		w.handler()
		return
	}
	ctx := &callContext{Context: r.ctx, peer: r.s, id: c.ID(), method: w.method(), s: r.s}
	if !c.IsNotification() {
		id := c.env.ID.Of(c.msg)
		key := ctx.id.Key()
		if key == "" {
			key = wire.IDKey(string(id))
		}
		if !r.s.inbound.add(key, ctx) {
			c.state = refused
			c.dst = r.d.appendRefusal(c.dst[:c.start], duplicateID(id))
			return
		}
		e.key = key
		c.late = e
	}
	defer ctx.end()
	pass, opening := r.s.gate(c)
	if pass {
		r.d.run(ctx, c)
		r.s.exitIfAsked(c)
	}
	if opening {
		_, failed := c.Failure()
		r.s.handshake.endOpening(!failed)
	}
}

// answerLate answers a claimed element at its timeout.
func (e *lateElement) answerLate(answer []byte, _ ErrorObject) {
	e.run.overdue.Store(true)
	e.store(answer)
}

// store stores the answer of a claimed element. After the last one, the batch is sent.
func (e *lateElement) store(answer []byte) {
	e.answer = answer
	if e.key != "" {
		e.run.s.inbound.remove(e.key)
	}
	e.run.noteAnswers(1)
}

// noteAnswers notes that n more elements are done, and wakes the goroutine that waits for the batch after the last one.
func (r *batchRun) noteAnswers(n int64) {
	if r.left.Add(-n) == 0 {
		close(r.done)
	}
}

// batchWorker is a goroutine that handles elements of a batch.
type batchWorker struct {
	run     *batchRun
	call    *Call
	element *element     // the element being handled; nil if there is none
	late    *lateElement // the same if it may be answered while its handler still runs; else nil
	buf     []byte       // answers, each preceded by a comma
	count   int64        // answered elements that are not yet subtracted from batchRun.left
	last    string       // the method of the last element, see method
}

// work handles elements until none is left. It appends the answers to buf, each preceded by a comma; a nil buf stands for memory of its own. A handler that
// ends its goroutine does not end the batch, see end.
//
// Elements are taken with an atomic counter, so fast elements never wait for slow ones. Outside of sessions, work counts its answers and reports the sum
// once, which keeps the counter off the fast path.
func (r *batchRun) work(buf []byte) []byte {
	w := batchWorker{run: r, call: calls.Get().(*Call), buf: buf}
	defer w.end()
	for {
		i := r.next.Add(1) - 1
		if i >= int64(len(r.elements)) {
			return w.buf
		}
		if buf == nil && cap(w.buf)-len(w.buf) < 256 { // bytes: enough for a short answer
			w.buf = make([]byte, 0, 4<<10)
		}
		w.handle(int(i))
	}
}

// assist is work in a goroutine of its own.
func (r *batchRun) assist() {
	defer r.leave(1)
	r.work(nil)
}

// end releases what the goroutine used. If the goroutine ends while it handles an element, the handler called [runtime.Goexit]: the element is answered by
// Call.recover, and a new goroutine continues. If it is that of run, it does not reach batchRun.leave, and the run is left to the garbage collector.
func (w *batchWorker) end() {
	if w.element != nil {
		w.settle()
		w.run.users.Add(1)
		go w.run.assist()
	}
	w.call.release()
	if w.count > 0 {
		w.run.noteAnswers(w.count)
	}
}

// handle handles one element on its own, as if it had arrived alone. In a session an element may also be a response (JSON-RPC 2.0 section 6).
func (w *batchWorker) handle(i int) {
	c, e, inSession := w.call, &w.run.elements[i], w.run.s != nil
	c.prepare(w.run.d, append(w.buf, ','), e.msg)
	c.shared = w.run.budget
	w.element = e
	if len(w.run.late) > 0 {
		w.late = &w.run.late[i]
	}
	opened := e.open(&c.env, w.late != nil)
	switch {
	case opened && c.env.IsRequest() && w.late != nil:
		w.late.call(w)
	case opened && c.env.IsRequest():
		w.handler()
	case opened && inSession && c.env.IsResponse():
		w.run.s.response(c.msg, &c.env)
	default:
		c.refuse(w.run.s)
	}
	w.settle()
	c.reset()
}

// settle stores the answer of the element, unless the timeout was answered before. The slice has no
// spare capacity, so appending the next answer to buf cannot overwrite it.
func (w *batchWorker) settle() {
	e, answer, start := w.element, w.call.dst, w.call.start
	w.element = nil
	if w.late == nil {
		w.count++
	} else if !w.late.claim() {
		w.run.d.peerLog.Warn("a late result was dropped")
		return
	}
	if len(answer) > start {
		w.buf, answer = answer, answer[start:len(answer):len(answer)]
	} else {
		answer = nil
	}
	if w.late == nil {
		e.answer = answer
		return
	}
	w.late.store(answer)
}
