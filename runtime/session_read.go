package runtime

import (
	"errors"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/buffer"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// maxRefusals limits how many refusals may wait to be written before the session stops reading. A refusal is written by a goroutine of its own, so
// without a limit a peer that sends invalid messages and never reads could make any number of goroutines.
const maxRefusals = 64

// serve is the main loop of the session's goroutines, in the leader/followers pattern: one of them, the leader, reads. When it has read a call it
// handles that call itself, and another goroutine becomes the leader as soon as the params are decoded. So calls start in the order of their messages,
// and no call waits for a goroutine to be started. Afterwards the goroutine parks and waits to become the leader again: its stack has grown to the size
// that calls need, and starting anew would grow it again.
func (s *Session) serve() {
	for {
		call, ok := s.next()
		if !ok {
			return
		}
		if call.ctx == nil {
			s.readOn()
			s.callBatch(call.c, call.after)
		} else {
			s.call(call.ctx, call.c)
		}
		if !s.park() {
			return
		}
	}
}

// next reads frames until one of them is a call. It reports false if the connection has ended, or if another goroutine took over reading.
func (s *Session) next() (call acceptedCall, ok bool) {
	for {
		msg, err := s.conn.ReadFrame()
		switch {
		case err == nil:
			if call, ok = s.message(msg); ok {
				return call, true
			}
		case errors.Is(err, frame.ErrInterrupted):
			go s.serve() // a new goroutine has a small stack, see rest
			return call, false
		case !s.badFrame(err):
			s.readEnded(err)
			return call, false
		}
	}
}

// readOn makes another goroutine the reader: a parked one, or a new one.
func (s *Session) readOn() {
	if !s.turn.pass() {
		go s.serve()
	}
}

// park waits until this goroutine is the reader. It reports false if the goroutine has to end: others are parked already, or the session rests or has ended.
func (s *Session) park() bool {
	if !s.turn.claim() {
		return false
	}
	s.countCall()
	if s.ctx.Err() != nil {
		s.turn.dismiss()
	}
	return s.turn.wait()
}

// badFrame answers for a frame that could not be read, and reports whether the connection is still usable. Like the other rare paths here it is not
// inlined, so that the reader's stack stays small.
//
//go:noinline
func (s *Session) badFrame(err error) bool {
	if large, ok := errors.AsType[*frame.TooLargeError](err); ok {
		s.d.peerLog.Warn("a message over the size limit was skipped", "size", large.Size, "max", large.Max)
		s.tooLarge(large)
		return true
	}
	if _, ok := errors.AsType[*frame.HeaderError](err); ok {
		s.d.peerLog.Warn("a frame with an invalid header was skipped", "error", err)
		s.refuse(s.d.appendRefusal(nil, envelope.Verdict{Code: envelope.ParseError, Detail: err.Error()}))
		return true
	}
	return false
}

// tooLarge answers a request that was skipped, with its id if that is readable. If it was a response, or a batch of them, the call that waits for it fails.
func (s *Session) tooLarge(e *frame.TooLargeError) {
	head, tail := e.Head, e.Tail
	i := wire.Space(head, 0)
	batch := i < len(head) && head[i] == '['
	if batch {
		head, tail = head[i+1:], nil
	}
	id, seen := envelope.Edges(head, tail, s.d.protocol.NullID)
	if seen&envelope.HasMethod == 0 && seen&(envelope.HasResult|envelope.HasError) != 0 {
		if s.outgoing.fail(id, e) || !batch {
			return
		} // requests may follow in the batch
	}
	if batch {
		id = nil
	}
	cond := Condition{Kind: when.MessageTooLarge, MaxSize: e.Max, Size: int(e.Size), Unit: "bytes"}
	s.refuse(s.d.appendError(nil, id, s.d.condition(cond)))
}

// message does everything about a message that needs no waiting. If the message is a call that was accepted, it is returned to be handled.
func (s *Session) message(msg []byte) (call acceptedCall, ok bool) {
	if i := wire.Space(msg, 0); i < len(msg) && msg[i] == '[' {
		return s.array(msg)
	}
	e := envelope.Envelope{Loose: s.d.protocol.NullID, Depth: s.d.opts.MaxDepth - 1}
	opened := e.Open(msg)
	if opened && e.Seen&(envelope.HasID|envelope.HasMethod) == envelope.HasMethod {
		opened = e.Finish(msg) // an id may follow the params
	}
	switch {
	case opened && e.IsRequest() && e.Seen&envelope.HasID != 0:
		return s.request(msg, &e)
	case opened && e.IsRequest() && e.Seen&envelope.HasParams != 0 && s.watches.takes(e.Method, e.Params.Of(msg), cap(msg)):
	case opened && e.IsRequest():
		c := s.d.newCall(nil, msg)
		c.env = e
		if cancel := s.d.protocol.cancel; cancel != nil && e.Method == cancel.method {
			s.cancelRequest(c, cancel.id)
		}
		if pass, _ := s.gate(c); pass {
			s.queue(c)
		} else {
			c.release()
		}
	case opened && e.IsResponse():
		s.response(msg, &e)
	default:
		s.invalid(msg)
	}
	return call, false
}

// invalid answers a message that is neither a request nor a response. A message that was meant as a response gets no answer: two peers could otherwise
// answer each other's errors for ever. If it has the id of an own request, that request fails with it.
//
//go:noinline
func (s *Session) invalid(msg []byte) {
	v := s.d.diagnose(msg)
	switch {
	case s.outgoing.failsBy(v, msg):
		return
	case v.Seen&(envelope.HasMethod|envelope.HasParams) == 0 && v.Seen&(envelope.HasResult|envelope.HasError) != 0:
		s.d.peerLog.Warn("a malformed response was dropped", "reason", v.Detail)
		return
	}
	s.refuse(s.d.appendRefusal(nil, v))
}

// refuse sends an answer from a goroutine of its own, so that a peer which does not read its answers cannot block the reader. After maxRefusals it
// waits, see waitFor.
//
//go:noinline
func (s *Session) refuse(answer []byte) {
	if s.refusals == nil { // no lock: only the reader gets here
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

// waitFor waits for a token. It reports false at the end of the session, and after Options.StallTimeout, when it closes the connection.
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

var errStalled = errors.New("the peer does not read the answers that it is sent")

// acceptedCall is a call that was accepted and has to be handled.
type acceptedCall struct {
	c   *Call
	ctx *callContext // nil for a batch

	after uint64 // for a batch: number of notifications that must be handled before it, see Hooks.Ordered
}

// request accepts a request, or refuses it.
func (s *Session) request(msg []byte, e *envelope.Envelope) (call acceptedCall, ok bool) {
	id := e.ID.Of(msg)
	ctx := &callContext{Context: s.ctx, peer: s, method: methodOf(e, msg), s: s, after: s.notifications.Ordered(), read: s.notifications.Count()}
	ctx.id, _ = wire.ParseID(id)
	if ctx.key = ctx.id.Key(); ctx.key == "" {
		ctx.key = wire.IDKey(string(id))
	}
	if refusal := s.admit(ctx, id, cap(msg)); refusal != nil {
		s.refuse(refusal)
		return call, false
	}
	c := s.d.newCall(nil, msg)
	c.env, c.late, c.reads, c.held = *e, ctx, ctx, &s.held
	ctx.reads.Store(true)
	return acceptedCall{c: c, ctx: ctx}, true
}

// array accepts a batch of requests or responses, or refuses it.
//
//go:noinline
func (s *Session) array(msg []byte) (call acceptedCall, ok bool) {
	if refusal := s.admit(nil, nil, cap(msg)); refusal != nil {
		s.refuse(refusal)
		return call, false
	}
	c := s.d.newCall(nil, msg)
	c.held = &s.held
	return acceptedCall{c: c, after: s.notifications.Ordered()}, true
}

// admit takes a slot for a call and size bytes for its message, or returns the refusal to send. For a batch, ctx is nil.
//
// Only the reader calls it, and only the reader increments slots, so checking and incrementing need no lock. The call enters the lifecycle before it
// enters the table: the end of the session then waits for it, and cancels what the table holds.
func (s *Session) admit(ctx *callContext, id []byte, size int) (refusal []byte) {
	inFlight, most := int(s.inbound.slots.Load()), s.d.opts.MaxCalls
	if inFlight >= most && ctx != nil && s.watches.ends(ctx.method) {
		most += s.d.opts.MaxStreams // a stream that cannot be ended would go on for nobody
	}
	if inFlight >= most {
		return s.d.overloadRefusal(id, inFlight)
	}
	if s.held.Take(size) != nil {
		return s.d.overloadedBy(id)
	}
	if ok, due := s.life.enter(); !ok {
		s.held.Give(size)
		s.closeIf(due)
		return s.d.overloadRefusal(id, inFlight)
	}
	if ctx != nil && !s.inbound.add(ctx.key, ctx) {
		s.held.Give(size)
		s.leave()
		return s.d.duplicate(id)
	}
	s.inbound.slots.Add(1)
	return nil
}

// call runs the handler and sends its answer, unless the timeout was answered before. The id is freed before the answer is written, because the peer may
// reuse it as soon as it has read the answer.
func (s *Session) call(ctx *callContext, c *Call) {
	buf := buffer.Get()
	c.dst = *buf
	pass, opening := s.gate(c)
	defer func() {
		ctx.begin()
		ctx.end()
		claimed := ctx.claim()
		if opening {
			_, failed := c.Failure()
			s.handshake.endOpening(claimed && !failed && c.state != refused)
		}
		if claimed {
			s.inbound.remove(ctx.key)
			s.send(c.dst)
		} else if !ctx.detached {
			s.d.peerLog.Warn("a late result was dropped", "method", ctx.method)
		}
		buffer.Put(buf, c.dst)
		c.release()
		s.inbound.after(ctx)
		if ctx.detached {
			s.inbound.detached.Add(-1)
			s.leave()
			return
		}
		s.exit()
	}()
	if pass {
		s.d.run(ctx, c)
	}
}

// callBatch handles a batch and sends its answer.
func (s *Session) callBatch(c *Call, after uint64) {
	defer s.exit()
	s.notifications.Wait(s.ctx, after)
	answer := s.d.batch(s.ctx, nil, c.msg, s)
	c.release()
	s.send(answer)
}

// exit frees the slot of a call.
func (s *Session) exit() {
	s.inbound.slots.Add(-1)
	s.leave()
}

// Cancel cancels the context of the peer's call with the given id. It reports whether such a call is in flight. It is for protocols in which a peer can
// cancel its requests, such as MCP. While a notification is handled, a call that was read after it is not meant: the peer has used the id again.
func (s *Session) Cancel(id ID, cause error) bool {
	ctx := s.inbound.get(id.Key())
	if ctx == nil || s.notifications.Precede(ctx.read) {
		return false
	}
	ctx.cancellable().cancel(cause)
	return true
}

// cancelRequest cancels the request that a member of the peer's notification names, see [Protocol.CancelMethod]. A request that is unknown or has been
// answered is ignored: the notification may cross the answer.
func (s *Session) cancelRequest(c *Call, member string) {
	id, _ := wire.ParseID(c.PeekParams().In(member).JSON())
	if ctx := s.inbound.get(id.Key()); ctx != nil {
		ctx.cancellable().cancel(errCancelled)
	}
}

var errCancelled = errors.New("the peer has cancelled the request")
