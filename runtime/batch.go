package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// batch handles an array of messages (JSON-RPC 2.0 section 6), and appends the array of answers to dst. For a session s it also
// takes responses, keeps the ids of the calls in flight, and answers timeouts when they pass.
func (d *Dispatcher) batch(ctx context.Context, dst, msg []byte, s *Session) []byte {
	r := &batchRun{d: d, ctx: ctx, s: s, done: make(chan struct{})}
	n, v := r.split(msg)
	switch {
	case v.object.Code != 0:
		return d.appendRefusal(dst, v)
	case n > d.opts.MaxBatch:
		o := d.condition(Condition{Kind: BatchTooLarge, MaxSize: d.opts.MaxBatch, Size: n, Unit: "elements"})
		return d.appendError(dst, nil, o)
	}
	r.left.Store(int64(n))
	r.run()
	return r.join(dst)
}

// slow is how long one goroutine handles a batch before others help it. Most batches are done by then, and cost no more than
// their calls.
const slow = 200 * time.Microsecond

// run handles all elements and returns when they are answered. Calls of a session that run past their timeout are answered
// without their goroutine, so none of them may be this one.
func (r *batchRun) run() {
	help := time.AfterFunc(slow, func() {
		for range min(r.d.opts.BatchCalls, len(r.elements)) - 1 {
			go r.work()
		}
	})
	if r.s == nil {
		r.work()
	} else {
		go r.work()
	}
	<-r.done
	help.Stop()
}

// split finds the elements of the array msg, and counts them; at most one more than allowed is kept. The verdict says what is
// wrong with the whole. Nothing is handled before the syntax of all of it is known to be right.
func (r *batchRun) split(msg []byte) (n int, v verdict) {
	if !r.d.protocol.Batch {
		return 0, r.unsound(msg, "batches are not part of the protocol")
	}
	i := wire.Space(msg, wire.Space(msg, 0)+1)
	if i < len(msg) && msg[i] == ']' {
		return 0, r.unsound(msg, "the batch is empty")
	}
	most := r.d.opts.MaxBatch + 1
	r.elements = make([]element, 0, min(most, len(msg)/64+1)) // a short request is that long
	for {
		end := wire.Skip(msg, i, wire.MaxDepth-1)
		if end < 0 {
			if err := notDeep(wire.Check(msg, wire.MaxDepth)); err != nil {
				return 0, verdict{object: parseError, detail: err.Error()}
			}
			end = skipValid(msg, i) // too deep: the element answers for that
		}
		if n++; n <= most {
			r.elements = append(r.elements, element{run: r, msg: msg[i:end]})
		}
		if i = wire.Space(msg, end); i >= len(msg) || msg[i] != ',' {
			break
		}
		i = wire.Space(msg, i+1)
	}
	if i >= len(msg) || msg[i] != ']' || wire.Space(msg, i+1) != len(msg) {
		return 0, r.unsound(msg, "the batch is no array")
	}
	return n, v
}

// unsound is the verdict on a message that is not to be split: it may not even be JSON.
func (r *batchRun) unsound(msg []byte, detail string) verdict {
	if err := notDeep(wire.Check(msg, wire.MaxDepth)); err != nil {
		return verdict{object: parseError, detail: err.Error()}
	}
	return verdict{object: invalidRequest, detail: detail}
}

// notDeep returns err unless it only says that a text is nested too deep.
func notDeep(err error) error {
	if _, deep := errors.AsType[*wire.DepthError](err); deep {
		return nil
	}
	return err
}

// batchRun is a batch while it is handled.
type batchRun struct {
	d        *Dispatcher
	ctx      context.Context
	s        *Session // nil: outside of sessions
	elements []element
	next     atomic.Int64 // the element to be taken next
	left     atomic.Int64 // elements not answered yet
	done     chan struct{}
}

// element is one message of a batch and its answer.
type element struct {
	run    *batchRun
	msg    []byte
	id     []byte // text of a request's id
	answer []byte // empty: none
	closed atomic.Bool
	key    string // the id in the session's list of calls; empty: not in it
}

// work handles one element after the other. A handler that ends its goroutine does not end the batch.
func (r *batchRun) work() {
	finished := false
	defer func() {
		if !finished {
			go r.work()
		}
	}()
	var answers []byte // one behind the other
	for {
		i := r.next.Add(1) - 1
		if i >= int64(len(r.elements)) {
			finished = true
			return
		}
		if cap(answers)-len(answers) < 256 { // bytes; room for a short answer
			answers = make([]byte, 0, 4<<10)
		}
		answers = r.elements[i].handle(answers)
	}
}

// handle handles one element by itself. The answer goes behind what buf holds.
func (e *element) handle(buf []byte) (answers []byte) {
	r := e.run
	answers = buf
	c := r.d.newCall(answers, e.msg)
	defer e.end(c, &answers)
	opened := c.env.open(e.msg)
	if opened && (r.s != nil || c.env.seen&hasMethod == 0) {
		opened = c.env.finish(e.msg)
	}
	switch {
	case opened && c.env.isRequest():
		e.call(c)
	case r.s != nil && opened && c.env.isResponse():
		r.s.response(c.msg, &c.env)
	default:
		c.refuse()
	}
	return answers
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
		e.id = c.env.id.of(c.msg)
		key := string(e.id)
		if !r.s.addCall(key, ctx) {
			c.state = refused
			c.dst = r.d.appendRefusal(c.dst[:c.start], duplicateID(e.id))
			return
		}
		e.key = key
		c.late = e
	}
	defer ctx.end()
	r.d.run(ctx, c)
}

// end takes the answer when it is still wanted.
func (e *element) end(c *Call, answers *[]byte) {
	answer, start := c.dst, c.start
	if e.run.s == nil && !c.IsNotification() {
		e.id = c.env.id.of(c.msg)
	}
	c.release()
	if e.claim() {
		*answers = answer
		e.answerLate(answer[start:len(answer):len(answer)])
		return
	}
	e.run.d.log.Warn("a late result was dropped")
}

// claim tells whether the answer is still to be given; see [late].
func (e *element) claim() bool { return e.closed.CompareAndSwap(false, true) }

// answerLate gives the answer.
func (e *element) answerLate(answer []byte) {
	e.answer = answer
	if e.key != "" {
		e.run.s.forgetCall(e.key)
	}
	if e.run.left.Add(-1) == 0 {
		close(e.run.done)
	}
}

// join appends the answers in the order of the elements. What would make the message too large is answered -32603.
func (r *batchRun) join(dst []byte) []byte {
	start := len(dst)
	for i := range r.elements {
		e := &r.elements[i]
		if len(e.answer) == 0 {
			continue
		}
		dst = append(dst, ',')
		if size := len(dst) - start + len(e.answer); size >= r.d.opts.MaxMessage && len(e.id) > 0 {
			r.d.log.Error("the results of a batch are larger than a message may be", "max", r.d.opts.MaxMessage)
			dst = r.d.appendError(dst, e.id, internal)
			continue
		}
		dst = append(dst, e.answer...)
	}
	if len(dst) == start {
		return dst
	}
	dst[start] = '['
	return append(dst, ']')
}

// duplicateID refuses a request whose id is in flight already.
func duplicateID(id []byte) verdict {
	return verdict{object: invalidRequest, detail: "a request with this id is in flight", id: id}
}
