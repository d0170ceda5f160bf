package runtime

import (
	"context"
	"log/slog"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Dispatcher turns the bytes of messages into the bytes of their answers. It keeps nothing between messages, and may be used by
// many goroutines.
type Dispatcher struct {
	handler  Handler
	protocol Protocol
	hooks    Hooks
	opts     Options
	depth    int
	log      *slog.Logger
	peerLog  *peerlog.Logger // of what peers do
}

// NewDispatcher returns a dispatcher to h. A nil h knows no method.
func NewDispatcher(h Handler, o Options) *Dispatcher {
	if h == nil {
		h = nobody{}
	}
	o = o.withDefaults()
	return &Dispatcher{
		handler: h, protocol: h.Protocol(), hooks: h.Hooks(),
		opts: o, depth: o.MaxDepth, log: o.Logger, peerLog: peerlog.For(o.Logger),
	}
}

// Dispatch handles the message or batch msg, and appends the answer to dst. Nothing is appended when there is none: for
// notifications. It returns when every call in msg has ended. Neither may be changed while that lasts, and msg never again: what is
// decoded shares it.
//
// A response in msg is no request, and is answered as such; see [Session] for peers that call both ways.
func (d *Dispatcher) Dispatch(ctx context.Context, dst, msg []byte) []byte {
	if i := wire.Space(msg, 0); i < len(msg) && msg[i] == '[' {
		return d.batch(ctx, dst, msg, nil)
	}
	c := d.newCall(dst, msg)
	c.dispatched = ctx
	if !c.env.open(msg) || !c.env.isRequest() {
		c.refuse()
	} else {
		if d.opts.CallContext {
			ctx = &callContext{Context: ctx, id: c.ID(), method: c.env.method}
		}
		d.run(ctx, c)
	}
	dst = c.dst
	c.release()
	return dst
}

// run hands the call to the handler, and sees to it that there is an answer.
func (d *Dispatcher) run(ctx context.Context, c *Call) {
	defer c.recover()
	c.ctx = ctx
	d.handler.Handle(ctx, c)
}

var calls = sync.Pool{New: func() any { return new(Call) }}

// newCall returns a call for msg, whose answer goes behind dst.
func (d *Dispatcher) newCall(dst, msg []byte) *Call {
	c := calls.Get().(*Call)
	c.prepare(d, dst, msg)
	return c
}

// prepare makes an empty call one for msg.
func (c *Call) prepare(d *Dispatcher, dst, msg []byte) {
	c.d, c.msg, c.dst, c.start = d, msg, dst, len(dst)
	c.env.loose, c.env.depth = d.protocol.NullID, d.depth-1
}

// release gives the call back. Nothing in it may be used any more.
func (c *Call) release() {
	c.d, c.msg, c.dst, c.source, c.shared = nil, nil, nil, nil, nil
	c.reset()
	calls.Put(c)
}

// reset empties the call, for release or another prepare. That is done by hand: most of it is empty already.
func (c *Call) reset() {
	c.env = envelope{}
	c.state, c.phase = unanswered, untouched
	if c.keys != "" {
		c.keys = ""
	}
	c.reader.Reset(nil, 0, 0)
	if c.violations.Len() > 0 {
		c.violations.Reset()
	}
	if c.timeout != 0 {
		c.timeout, c.timedOut = 0, nil
	}
	if c.late != nil {
		c.late, c.reads = nil, nil
	}
	c.ctx, c.dispatched = nil, nil
}

// appendError appends a response that is an error. No id is null.
func (d *Dispatcher) appendError(dst, id []byte, o ErrorObject) (b []byte) {
	start := len(dst)
	o = d.mapped(o)
	defer func() {
		if p := recover(); p != nil {
			d.log.Error("the data of an error cannot be written as JSON", "code", o.Code, "panic", peerlog.Value(p))
			b = d.appendPlainError(dst[:start], id, internal)
		}
	}()
	b = d.appendPlainError(dst, id, o)
	if len(b)-start > d.opts.MaxMessage {
		d.log.Error("the data of an error is larger than a message may be", "code", o.Code)
		b = d.appendPlainError(dst[:start], id, internal)
	}
	return b
}

// Refuse appends the answer to what a transport cannot serve at all, such as one connection or message too many: the error that the schema
// declares for cond, or the default, without an id. The outcome says what it is.
func (d *Dispatcher) Refuse(dst []byte, cond Condition) ([]byte, Outcome) {
	o := d.mapped(d.condition(cond))
	return d.appendError(dst, nil, o), Outcome{Failed: true, Code: o.Code, HTTPStatus: o.HTTPStatus}
}

// Unfinished appends the answer to msg of a handler that has ended its goroutine, so that Dispatch did not return: -32603, as to a handler
// that does not answer.
func (d *Dispatcher) Unfinished(dst, msg []byte) []byte {
	d.log.Error("the handler ended its goroutine")
	e := envelope{loose: d.protocol.NullID, depth: d.depth - 1}
	if !e.open(msg) || !e.finish(msg) || e.seen&hasID == 0 {
		return d.appendError(dst, nil, internal)
	}
	return d.appendError(dst, e.id.of(msg), internal)
}

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

// diagnose finds out what is wrong with a message that was refused.
func (d *Dispatcher) diagnose(msg []byte) verdict {
	v := diagnose(msg, d.protocol.NullID, d.depth)
	if v.object.Code == 0 {
		d.log.Error("a message was refused without a reason")
		v.object = internal
		return v
	}
	d.peerLog.Debug("a message was refused", "code", v.object.Code, "reason", v.detail)
	return v
}

// appendRefusal appends the answer to a message that was refused.
func (d *Dispatcher) appendRefusal(dst []byte, v verdict) []byte {
	o := v.object
	if d.opts.Explain && v.detail != "" {
		o.AppendData = func(b []byte) []byte {
			return append(appendString(append(b, `{"detail":`...), v.detail), '}')
		}
	}
	return d.appendError(dst, v.id, o)
}
