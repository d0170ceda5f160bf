package runtime

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// batch handles an array of messages (JSON-RPC 2.0 section 6), and appends the array of answers to dst. For a session s it also
// takes responses, keeps the ids of the calls in flight, and answers timeouts when they pass.
func (d *Dispatcher) batch(ctx context.Context, dst, msg []byte, s *Session) []byte {
	elements, v := d.split(msg)
	switch {
	case v.object.Code != 0:
		return d.appendRefusal(dst, v)
	case len(elements) > d.opts.MaxBatch:
		o := d.condition(Condition{Kind: BatchTooLarge, MaxSize: d.opts.MaxBatch, Size: len(elements), Unit: "elements"})
		return d.appendError(dst, nil, o)
	}
	r := &batchRun{d: d, ctx: ctx, s: s, elements: make([]element, len(elements)), done: make(chan struct{})}
	r.left.Store(int64(len(elements)))
	for i := range elements {
		r.elements[i] = element{run: r, msg: elements[i]}
	}
	for range min(d.opts.BatchCalls, len(elements)) {
		go r.work()
	}
	<-r.done
	return r.join(dst)
}

// split returns the elements of a batch, or what is wrong with the whole.
func (d *Dispatcher) split(msg []byte) (elements [][]byte, v verdict) {
	err := wire.Check(msg, wire.MaxDepth)
	if _, deep := errors.AsType[*wire.DepthError](err); err != nil && !deep {
		return nil, verdict{object: parseError, detail: err.Error()}
	}
	if !d.protocol.Batch {
		return nil, verdict{object: invalidRequest, detail: "batches are not part of the protocol"}
	}
	i := wire.Space(msg, wire.Space(msg, 0)+1)
	for msg[i] != ']' {
		end := skipValid(msg, i)
		elements = append(elements, msg[i:end])
		if i = wire.Space(msg, end); msg[i] == ',' {
			i = wire.Space(msg, i+1)
		}
	}
	if len(elements) == 0 {
		v = verdict{object: invalidRequest, detail: "the batch is empty"}
	}
	return elements, v
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
	for {
		i := r.next.Add(1) - 1
		if i >= int64(len(r.elements)) {
			finished = true
			return
		}
		r.elements[i].handle()
	}
}

// handle handles one element by itself.
func (e *element) handle() {
	r := e.run
	c := r.d.newCall(nil, e.msg)
	defer e.end(c)
	opened := c.env.open(e.msg) && c.env.finish(e.msg)
	switch {
	case opened && c.env.isRequest():
		e.call(c)
	case r.s != nil && opened && c.env.isResponse():
		r.s.response(c.msg, &c.env)
	default:
		c.refuse()
	}
}

// call runs the handler.
func (e *element) call(c *Call) {
	r := e.run
	if !c.IsNotification() {
		e.id = c.env.id.of(c.msg)
	}
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
		key := string(e.id)
		if !r.s.addCall(key, ctx) {
			c.state = refused
			c.dst = r.d.appendRefusal(nil, duplicateID(e.id))
			return
		}
		e.key = key
		c.late = e
	}
	defer ctx.end()
	r.d.run(ctx, c)
}

// end takes the answer when it is still wanted.
func (e *element) end(c *Call) {
	answer := c.dst
	c.release()
	if e.claim() {
		e.answerLate(answer)
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
