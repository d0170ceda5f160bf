package runtime

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Dispatcher turns the bytes of a message into the bytes of its answer. It is for transports without sessions, such as HTTP. It keeps no state between
// messages and is safe for concurrent use.
type Dispatcher struct {
	handler  Handler
	protocol rules
	hooks    Hooks
	opts     Options
	peerLog  *peerlog.Logger             // logs what peers cause, at a limited rate
	handle   HandlerFunc                 // handler with the middleware around it; nil if there is none
	overRate atomic.Pointer[rateAnswers] // nil until a call is over a rate
}

// NewDispatcher returns a dispatcher that serves h. It asks h for its protocol and its hooks once. A nil h has no methods: every call is answered -32601.
func NewDispatcher(h Handler, o Options) *Dispatcher {
	if h == nil {
		h = noMethods{}
	}
	o = o.withDefaults()
	d := &Dispatcher{
		handler: h, protocol: rulesOf(h.Protocol()), hooks: h.Hooks(),
		opts: o, peerLog: peerlog.For(o.Logger),
	}
	d.handle = d.wrapHandler()
	return d
}

// Dispatch handles msg, which is a message or a batch, and appends the answer to dst. If there is no answer, as for a notification, it returns dst
// unchanged. It returns when every call in msg has ended.
//
// The memory of dst and msg must not be used while Dispatch runs. The bytes of msg must never be
// changed afterwards either, because decoded strings share them.
//
// A response in msg is answered as an invalid request. Use a [Session] if calls go both ways.
func (d *Dispatcher) Dispatch(ctx context.Context, dst, msg []byte) []byte {
	if i := wire.Space(msg, 0); i < len(msg) && msg[i] == '[' {
		return d.batch(ctx, dst, msg, nil)
	}
	c := d.newCall(dst, msg)
	c.dispatched = ctx
	if !c.env.Open(msg) || !c.env.IsRequest() {
		c.refuse(nil)
	} else {
		if d.opts.CallContext {
			ctx = &callContext{Context: ctx, id: c.ID(), method: methodOf(&c.env, c.msg)}
		}
		d.run(ctx, c)
	}
	if c.late != nil {
		c.finishLate()
	}
	dst = c.dst
	c.release()
	return dst
}

// run calls the handler. The deferred recover makes sure that there is an answer.
func (d *Dispatcher) run(ctx context.Context, c *Call) {
	defer c.recover()
	c.ctx = ctx
	if d.handle != nil {
		d.handle(ctx, c)
		return
	}
	d.handler.Handle(ctx, c)
}

// calls keeps Call values: a Call holds a reader and the buffers of the violations, so making one for each message would dominate short calls.
var calls = sync.Pool{New: func() any { return new(Call) }}

// newCall returns a call for msg. Its answer is appended to dst.
func (d *Dispatcher) newCall(dst, msg []byte) *Call {
	c := calls.Get().(*Call)
	c.prepare(d, dst, msg)
	return c
}

// prepare sets an empty call up for msg.
func (c *Call) prepare(d *Dispatcher, dst, msg []byte) {
	c.d, c.msg, c.dst, c.start = d, msg, dst, len(dst)
	c.env.Loose, c.env.Depth = d.protocol.NullID, d.opts.MaxDepth-1
}

// release returns the call to the pool. The caller must not use it any more.
func (c *Call) release() {
	if c.held != nil {
		c.held.Give(cap(c.msg))
		c.held = nil
	}
	c.d, c.msg, c.dst, c.source, c.shared = nil, nil, nil, nil, nil
	c.reset()
	calls.Put(c)
}

// reset empties the call for release or for another prepare. It clears field by field and checks first: most fields are still empty, and assigning a whole
// Call costs more than the call of a short method.
func (c *Call) reset() {
	c.env = envelope.Envelope{}
	c.state, c.phase, c.stray, c.stream = unanswered, untouched, false, false
	if c.keys != "" {
		c.keys = ""
	}
	c.reader.Reset(nil, 0, 0)
	if c.violations.Len() > 0 {
		c.violations.Reset()
	}
	if c.timed != nil {
		c.timed, c.timers = nil, nil
	}
	if c.late != nil {
		c.late, c.reads = nil, nil
	}
	c.ctx, c.dispatched, c.items = nil, nil, 0
}

// appendError appends a response with the error o and the id of which id is the text; see appendPlainError for an empty id. The data of an error is
// appended by code of the application, so a panic and a response larger than [Options.MaxMessage] become -32603.
func (d *Dispatcher) appendError(dst, id []byte, o ErrorObject) (b []byte) {
	start := len(dst)
	o = d.mapError(o)
	defer func() {
		if p := recover(); p != nil {
			d.opts.Logger.Error("the data of an error cannot be written as JSON", "code", o.Code, "panic", peerlog.Value(p))
			b = d.appendPlainError(dst[:start], id, internal)
		}
	}()
	b = d.appendPlainError(dst, id, o)
	if size := len(b) - start; size > d.opts.MaxMessage {
		d.opts.Logger.Error("the data of an error exceeds the maximum message size", "code", o.Code, "size", size, "max", d.opts.MaxMessage)
		b = d.appendPlainError(dst[:start], id, oversize("Error too large", size, d.opts.MaxMessage))
	}
	return b
}

// Refuse appends the answer to a message or connection that a transport cannot serve at all, for instance because there are too many. The answer is the
// error that the schema declares for cond, or its default, without an id. Refuse returns that error as well.
func (d *Dispatcher) Refuse(dst []byte, cond Condition) ([]byte, ErrorObject) {
	o := d.mapError(d.condition(cond))
	return d.appendError(dst, nil, o), o
}

// Unfinished appends the answer to msg for a handler that ended its goroutine with [runtime.Goexit], so that [Dispatcher.Dispatch] did not return. The
// answer is -32603, as for a handler that returns without an answer.
func (d *Dispatcher) Unfinished(dst, msg []byte) []byte {
	d.opts.Logger.Error("the handler ended its goroutine")
	e := envelope.Envelope{Loose: d.protocol.NullID, Depth: d.opts.MaxDepth - 1}
	if !e.Open(msg) || !e.Finish(msg) || e.Seen&envelope.HasID == 0 {
		return d.appendError(dst, nil, internal)
	}
	return d.appendError(dst, e.ID.Of(msg), internal)
}

// appendPlainError appends a response with the error o. An empty id is written as null (JSON-RPC
// 2.0 section 5), or left out if the protocol says so ([Protocol.OmitID]).
func (d *Dispatcher) appendPlainError(dst, id []byte, o ErrorObject) []byte {
	switch {
	case len(id) > 0:
		dst = append(append(dst, responseHead...), id...)
		dst = append(dst, errorMember...)
	case d.protocol.OmitID:
		dst = append(dst, `{"jsonrpc":"2.0","error":`...)
	default:
		dst = append(dst, `{"jsonrpc":"2.0","id":null,"error":`...)
	}
	return append(o.AppendJSON(dst), '}')
}

// diagnose returns what is wrong with a message that was rejected, and logs it. If it finds no
// fault, scanner and diagnosis disagree: that is a defect of this package, answered as -32603.
func (d *Dispatcher) diagnose(msg []byte) envelope.Verdict {
	v := envelope.Diagnose(msg, d.protocol.NullID, d.opts.MaxDepth)
	if v.Code == 0 {
		d.opts.Logger.Error("a message was rejected without a reason")
		v.Code = CodeInternalError
		return v
	}
	d.peerLog.Debug("a message was rejected", "code", v.Code, "reason", v.Detail)
	return v
}

// appendRefusal appends the answer to a message that was rejected. The detail is only sent with [Options.Explain].
func (d *Dispatcher) appendRefusal(dst []byte, v envelope.Verdict) []byte {
	o := refusal(v)
	if d.opts.Explain && v.Detail != "" {
		o.AppendData = func(b []byte) []byte {
			return append(wire.AppendString(append(b, `{"detail":`...), v.Detail), '}')
		}
	}
	return d.appendError(dst, v.ID, o)
}

// overloadRefusal returns the refusal of a session's call because there are too many calls, or because the session is ending. Like duplicate it is a function
// of its own that is not inlined, so that the stack of a reader that never needs it stays small.
//
//go:noinline
func (d *Dispatcher) overloadRefusal(id []byte, inFlight int) []byte {
	cond := Condition{Kind: when.Overloaded, Limit: d.opts.MaxCalls, InFlight: inFlight}
	return d.appendError(nil, id, d.condition(cond))
}

// overloadedBy returns the refusal of a call whose message takes too much memory.
//
//go:noinline
func (d *Dispatcher) overloadedBy(id []byte) []byte {
	cond := Condition{Kind: when.Overloaded, Reason: "the messages that are being handled take too much memory"}
	return d.appendError(nil, id, d.condition(cond))
}

// duplicate returns the refusal of a request whose id is in flight already.
//
//go:noinline
func (d *Dispatcher) duplicate(id []byte) []byte {
	d.peerLog.Warn("a request was rejected: its id is already in flight")
	return d.appendRefusal(nil, duplicateID(id))
}

// refusal returns the error object for a verdict.
func refusal(v envelope.Verdict) ErrorObject {
	switch v.Code {
	case CodeParseError:
		return parseError
	case CodeInvalidRequest:
		return invalidRequest
	}
	return internal
}
