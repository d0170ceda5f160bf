package runtime

import (
	"errors"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/when"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// maxRefusals is how many refusals may be waiting to be written before reading waits for the peer to take them.
const maxRefusals = 64

// serve is the life of a goroutine of the session. One at a time reads. When it has read a call, it handles that call itself, and
// another one reads on as soon as the params are decoded: so calls start in the order in which they came, and none of them
// waits for a goroutine to be made. Then it waits for its turn to read again.
func (s *Session) serve() {
	for {
		call, ok := s.next()
		if !ok {
			return
		}
		if call.ctx == nil {
			s.readOn()
			s.callBatch(call.c)
		} else {
			s.call(call.ctx, call.c)
		}
		if !s.park() {
			return
		}
	}
}

// next reads frames until one is a call. False: the connection has ended, or another goroutine reads.
func (s *Session) next() (call accepted, ok bool) {
	for {
		msg, err := s.conn.ReadFrame()
		switch {
		case err == nil:
			if call, ok = s.message(msg); ok {
				return call, true
			}
		case errors.Is(err, frame.ErrInterrupted):
			go s.serve() // with a small stack
			return call, false
		case !s.badFrame(err):
			s.readEnded(err)
			return call, false
		}
	}
}

// readOn has another goroutine read: the parked one, or a new one.
func (s *Session) readOn() {
	if !s.turn.pass() {
		go s.serve()
	}
}

// park waits for the turn to read. It reports false when another goroutine is parked, or there is nothing more to do for a while.
func (s *Session) park() bool {
	if !s.turn.claim() {
		return false
	}
	s.used()
	if s.ctx.Err() != nil {
		s.turn.dismiss()
	}
	return s.turn.wait()
}

// badFrame answers for a frame that could not be read. False: the connection has ended.
//
//go:noinline
func (s *Session) badFrame(err error) bool {
	if large, ok := errors.AsType[*frame.TooLargeError](err); ok {
		s.d.peerLog.Warn("a message over the size limit was skipped", "size", large.Size, "max", large.Max)
		cond := Condition{Kind: when.MessageTooLarge, MaxSize: large.Max, Size: int(large.Size), Unit: "bytes"}
		s.refuse(s.d.appendError(nil, nil, s.d.condition(cond)))
		return true
	}
	if _, ok := errors.AsType[*frame.HeaderError](err); ok {
		s.d.peerLog.Warn("a frame with a faulty header was skipped", "error", err)
		s.refuse(s.d.appendRefusal(nil, verdict{object: parseError, detail: err.Error()}))
		return true
	}
	return false
}

// message does with a message what is to be done without waiting. A call that was accepted is returned, to be handled.
func (s *Session) message(msg []byte) (call accepted, ok bool) {
	if i := wire.Space(msg, 0); i < len(msg) && msg[i] == '[' {
		return s.array(msg)
	}
	e := envelope{loose: s.d.protocol.NullID, depth: s.d.depth - 1}
	opened := e.open(msg)
	if opened && e.seen&(hasID|hasMethod) == hasMethod {
		opened = e.finish(msg) // the id may still come
	}
	switch {
	case opened && e.isRequest() && e.seen&hasID != 0:
		return s.request(msg, &e)
	case opened && e.isRequest():
		c := s.d.newCall(nil, msg)
		c.env = e
		s.note(c)
	case opened && e.isResponse():
		s.response(msg, &e)
	default:
		s.invalid(msg)
	}
	return call, false
}

// invalid answers a message that is neither request nor response. What was meant to be a response is not answered: that could
// go on for ever. With the id of a request of our own it fails that, also when it has neither result nor error.
//
//go:noinline
func (s *Session) invalid(msg []byte) {
	v := s.d.diagnose(msg)
	responds := v.seen&(hasMethod|hasParams) == 0
	switch {
	case responds && s.deliver(v.id, msg):
		return
	case responds && v.seen&(hasResult|hasError) != 0:
		s.d.peerLog.Warn("a malformed response was dropped", "reason", v.detail)
		return
	}
	s.refuse(s.d.appendRefusal(nil, v))
}

// refuse writes an answer without making the reader wait for it, as long as the peer takes its answers.
//
//go:noinline
func (s *Session) refuse(answer []byte) {
	if s.refusals == nil { // only the reader is here
		s.refusals = make(chan struct{}, maxRefusals)
	}
	select {
	case s.refusals <- struct{}{}:
	default:
		if !s.waitFor(s.refusals) {
			return
		}
	}
	s.life.hold()
	go func() {
		defer s.leave()
		s.send(answer)
		<-s.refusals
	}()
}

// waitFor waits for a token. A peer that does not let it happen in time loses the connection.
func (s *Session) waitFor(tokens chan struct{}) bool {
	stall := time.NewTimer(s.d.opts.StallTimeout)
	defer stall.Stop()
	select {
	case tokens <- struct{}{}:
		return true
	case <-stall.C:
		s.shut(errStalled)
	case <-s.ctx.Done():
	}
	return false
}

var errStalled = errors.New("the peer does not read what it is answered")

// accepted is a call that is to be handled.
type accepted struct {
	c   *Call
	ctx *callContext // nil: a batch
}

// request accepts a call, or refuses it.
func (s *Session) request(msg []byte, e *envelope) (call accepted, ok bool) {
	id := e.id.of(msg)
	ctx := &callContext{Context: s.ctx, peer: s, method: e.method, s: s}
	ctx.id, _ = wire.ParseID(id)
	if ctx.key = ctx.id.String(); ctx.key == "" {
		ctx.key = string(id)
	}
	if refusal := s.admit(ctx, id); refusal != nil {
		s.refuse(refusal)
		return call, false
	}
	c := s.d.newCall(nil, msg)
	c.env, c.late, c.reads = *e, ctx, ctx
	ctx.reads.Store(true)
	return accepted{c, ctx}, true
}

// array accepts a batch, of requests or of responses, or refuses it.
//
//go:noinline
func (s *Session) array(msg []byte) (call accepted, ok bool) {
	if refusal := s.admit(nil, nil); refusal != nil {
		s.refuse(refusal)
		return call, false
	}
	return accepted{c: s.d.newCall(nil, msg)}, true
}

// admit takes a slot for a call, or says why not. A nil ctx is that of a batch.
func (s *Session) admit(ctx *callContext, id []byte) (refusal []byte) {
	inFlight := int(s.inbound.slots.Load())
	if inFlight >= s.d.opts.MaxCalls {
		return s.overloaded(id, inFlight)
	}
	if ok, due := s.life.enter(); !ok {
		s.closeIf(due)
		return s.overloaded(id, inFlight)
	}
	if ctx != nil && !s.inbound.add(ctx.key, ctx) {
		s.leave()
		return s.duplicate(id)
	}
	s.inbound.slots.Add(1)
	return nil
}

// overloaded refuses a call because there are too many, or because the session is ending. It is kept apart, as is duplicate, so that
// the stack of a reader that never needs it stays small.
//
//go:noinline
func (s *Session) overloaded(id []byte, inFlight int) []byte {
	cond := Condition{Kind: when.Overloaded, Limit: s.d.opts.MaxCalls, InFlight: inFlight}
	return s.d.appendError(nil, id, s.d.condition(cond))
}

// duplicate refuses a call whose id is in flight already.
//
//go:noinline
func (s *Session) duplicate(id []byte) []byte {
	s.d.peerLog.Warn("a request was refused: its id is in flight")
	return s.d.appendRefusal(nil, duplicateID(id))
}

// call runs the handler and sends its answer, unless the timeout was answered before.
func (s *Session) call(ctx *callContext, c *Call) {
	buf := getBuffer()
	c.dst = *buf
	defer func() {
		ctx.begin()
		ctx.end()
		if ctx.claim() {
			s.inbound.remove(ctx.key)
			s.send(c.dst)
		} else {
			s.d.peerLog.Warn("a late result was dropped", "method", ctx.method)
		}
		putBuffer(buf, c.dst)
		c.release()
		s.exit()
	}()
	s.d.run(ctx, c)
}

// callBatch handles a batch and sends its answer.
func (s *Session) callBatch(c *Call) {
	defer s.exit()
	answer := s.d.batch(s.ctx, nil, c.msg, s)
	c.release()
	s.send(answer)
}

// exit gives the slot back.
func (s *Session) exit() {
	s.inbound.slots.Add(-1)
	s.leave()
}

// Cancel cancels the context of the peer's call with the given id, for protocols whose peers can ask for that. It reports
// whether there was such a call.
func (s *Session) Cancel(id ID, cause error) bool {
	ctx := s.inbound.get(id.String())
	if ctx == nil {
		return false
	}
	ctx.cancellable().cancel(cause)
	return true
}
