package runtime

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/when"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

const (
	responseHead = `{"jsonrpc":"2.0","id":`
	resultMember = `,"result":`
	errorMember  = `,"error":`
)

// Result returns the buffer that the result is to be appended to; [Call.Return] takes it. After an answer it is one that nobody will
// read.
//
//go:noinline
func (c *Call) Result() []byte {
	b := c.dst[:c.start]
	if c.state != unanswered {
		b = nil
	}
	b = append(b, responseHead...)
	b = append(b, c.env.id.of(c.msg)...)
	return append(b, resultMember...)
}

// Return answers with b, which is [Call.Result] with the result appended. A result that breaks its schema, as told by
// [Call.Violations], or is larger than a message may be, answers -32603 instead.
func (c *Call) Return(b []byte) {
	if c.state != unanswered {
		return
	}
	c.state = answered
	if c.violations.Len() > 0 {
		c.d.log.Error("the result breaks its schema", "method", c.env.method, "violations", c.describe())
		c.write(internal)
		return
	}
	if c.IsNotification() {
		return
	}
	b = append(b, '}')
	if size := len(b) - c.start; size > c.d.opts.MaxMessage {
		c.d.log.Error("the result is larger than a message may be", "method", c.env.method, "size", size, "max", c.d.opts.MaxMessage)
		c.write(internal)
		return
	}
	c.dst = b
}

// ReturnEmpty answers with the result {}, for methods without one. A notification is not answered.
func (c *Call) ReturnEmpty() { c.Return(append(c.Result(), "{}"...)) }

// Fail answers with err. A [Coder] says itself what the peer is told; after a declared timeout it is told that; anything else
// is -32603, and err's text goes to the log only. For a notification there is only the log.
func (c *Call) Fail(err error) {
	if c.state != unanswered {
		return
	}
	if err == nil {
		err = errors.New("the handler failed with a nil error")
	}
	object, declared := object(err)
	switch {
	case declared:
		c.logDeclared(object, err)
	case c.timedOut != nil && c.timedOut() && errors.Is(err, context.DeadlineExceeded):
		object = c.d.condition(Condition{Kind: when.Timeout, Method: c.env.method, Timeout: c.timeout})
	case errors.Is(err, context.Canceled):
		object = c.d.condition(Condition{Kind: when.Cancelled, Method: c.env.method, Reason: err.Error()})
	default:
		c.LogFailure(c.d.log, "the handler failed", err, "method", c.env.method)
		object = internal
	}
	c.answer(object)
}

// logDeclared logs a declared error at the level that its severity asks for.
func (c *Call) logDeclared(o ErrorObject, err error) {
	level := slog.LevelDebug
	switch o.Severity {
	case "info":
		level = slog.LevelInfo
	case "warning":
		level = slog.LevelWarn
	case "error", "critical":
		level = slog.LevelError
	}
	c.d.log.Log(context.Background(), level, "the handler answered an error", "method", c.env.method, "code", o.Code, "error", peerlog.Error(err))
}

// MethodNotFound answers that there is no such method. Names are the names there are, newline-separated.
func (c *Call) MethodNotFound(methods string) {
	if c.state != unanswered || !c.finish() {
		return
	}
	if c.IsNotification() {
		c.d.peerLog.Debug("unknown notification", "method", c.env.method)
		c.state = answered
		return
	}
	all := names(methods)
	c.answer(c.d.condition(Condition{
		Kind: when.MethodNotFound, Method: c.env.method, Suggestion: rule.Closest(c.env.method, all),
		Available: func() []string { return all },
	}))
}

// Condition answers with the error for cond.
func (c *Call) Condition(cond Condition) { c.answer(c.d.condition(cond)) }

// answer answers with an error. The id may stand behind params that nobody has read.
func (c *Call) answer(o ErrorObject) {
	if c.state != unanswered || c.phase == untouched && !c.finish() {
		return
	}
	c.state = answered
	c.write(o)
}

// write puts an error where the answer goes, in place of what is there. An error whose data cannot be written is -32603.
func (c *Call) write(o ErrorObject) {
	o = c.d.mapped(o)
	c.record(o)
	c.dst = c.dst[:c.start]
	if !c.IsNotification() {
		c.dst = c.d.appendError(c.dst, c.env.id.of(c.msg), o)
	}
}

// Drop ends the call without an answer, as a peer wants it that has cancelled the call; an answer that was given already is taken
// back.
func (c *Call) Drop() {
	if c.state != refused {
		c.state = answered
		c.dst = c.dst[:c.start]
	}
}

// EditResult has edit append another result in place of the one that was answered, if it was a result and not an error.
func (c *Call) EditResult(edit func(b, result []byte) []byte) {
	at := c.behindID()
	if c.state != answered || c.IsNotification() || !has(c.dst, at, resultMember) {
		return
	}
	result := bytes.Clone(c.dst[at+len(resultMember) : len(c.dst)-1])
	c.state = unanswered
	c.Return(edit(c.Result(), result))
}

// Failure returns the code of the error that was answered. False: there was none.
func (c *Call) Failure() (code int64, failed bool) {
	if c.state == unanswered || has(c.dst, c.behindID(), resultMember) {
		return 0, false
	}
	text, _ := wire.PeekAt(c.dst[c.start:]).In("error").In("code").Scalar()
	code, err := strconv.ParseInt(text, 10, 64)
	return code, err == nil
}

// behindID is where, in an answer, the member behind the id begins.
func (c *Call) behindID() int { return c.start + len(responseHead) + c.env.id.end - c.env.id.start }

// refuse answers a message that is at fault. It is answered even without an id: who knows whether it was to have one.
func (c *Call) refuse() {
	v := c.d.diagnose(c.msg)
	c.state = refused
	c.record(c.d.mapped(v.object))
	c.dst = c.d.appendRefusal(c.dst[:c.start], v)
}

// describe returns the violations as one text, without the values that break the rules.
func (c *Call) describe() string {
	all := slices.Clone(c.violations.All())
	for i := range all {
		all[i].Got, all[i].Closest = "", ""
	}
	return (&rule.Error{Violations: all, Dropped: c.violations.Dropped()}).Error()
}

// invalidParams answers with the violations that were collected.
func (c *Call) invalidParams() {
	if c.IsNotification() {
		c.d.peerLog.Warn("a notification with invalid params was dropped", "method", c.env.method, "violations", c.violations.Len())
	}
	o := ErrorObject{Code: CodeInvalidParams, Message: "Invalid params", AppendData: c.paramsData}
	c.answer(o)
	c.violations.Reset()
}

// paramsData appends {"detail","violations"}, with Options.Explain also "expected" and "received".
func (c *Call) paramsData(b []byte) []byte {
	b = appendViolations(b, c.violations.All(), c.violations.Dropped(), c.mapPointer)
	if c.d.opts.Explain {
		b = c.explain(b)
	}
	return append(b, '}')
}

// explain appends the params' schema, when the handler knows it, and what was received.
func (c *Call) explain(b []byte) []byte {
	if c.d.hooks.ParamsSchema != nil {
		if schema, err := wire.ParseRaw([]byte(c.d.hooks.ParamsSchema(c.env.method))); err == nil {
			b = append(b, `,"expected":`...)
			b = wire.AppendRaw(b, schema)
		}
	}
	const most = 4 << 10 // bytes; more would not help anybody
	if p := c.env.params; c.HasParams() && p.end-p.start <= most {
		if raw, err := wire.ParseRaw(p.of(c.msg)); err == nil {
			b = append(b, `,"received":`...)
			b = wire.AppendRaw(b, raw)
		}
	}
	return b
}

// recover is deferred around the handler: whatever it does, there is an answer, and nobody else is harmed.
func (c *Call) recover() {
	switch p := recover().(type) {
	case nil:
		if c.state != unanswered || c.IsNotification() {
			return
		}
		c.d.log.Error("the handler did not answer", "method", c.env.method)
	case *wire.EncodeError:
		c.d.log.Error("the answer cannot be written as JSON", "method", c.env.method, "error", peerlog.Error(p))
	default:
		c.d.log.Error("the handler panicked", "method", c.env.method, "panic", peerlog.Value(p), "stack", string(debug.Stack()))
	}
	c.state = answered
	c.write(internal)
}
