package runtime

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/buffer"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/report"
	"github.com/rpcgen-go/rpcgen/runtime/internal/room"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// The fixed parts of a response (JSON-RPC 2.0 section 5). Call.Failure, Call.EditResult and afterID find the result in an answer by the lengths of these
// constants, so a response is always written in this order: version, id, result or error.
const (
	responseHead = `{"jsonrpc":"2.0","id":`
	resultMember = `,"result":`
	errorMember  = `,"error":`
)

// Result returns the buffer to append the JSON of the result to. Pass the extended buffer to [Call.Return]. The envelope of the response precedes the result,
// so the result is never copied. After an answer was given, Result returns a buffer that is discarded, so generated code needs no check.
//
// It is not inlined because every generated method calls it: the call costs less than the code.
//
//go:noinline
func (c *Call) Result() []byte {
	b := c.dst[:c.start]
	switch {
	case c.state != unanswered:
		b = nil
	case c.start == 0:
		b = answers.Room(b, c.env.Method)
	}
	b = append(b, responseHead...)
	b = append(b, c.env.ID.Of(c.msg)...)
	return append(b, resultMember...)
}

func init() { room.Of = func(call any) int { return call.(*Call).d.opts.MaxMessage } }

// Return answers with b, which is the buffer of [Call.Result] with the result appended.
//
// It answers -32603 Internal error instead, and logs the reason, if [Call.Violations] holds violations; -32603 with the sizes if the response is larger than
// [Options.MaxMessage]; and the condition Timeout if the timeout of the method has passed. For a notification nothing is sent, but violations are logged.
// After an answer was given, Return does nothing.
func (c *Call) Return(b []byte) {
	if c.state != unanswered {
		return
	}
	c.state = answered
	if c.violations.Len() > 0 {
		c.d.opts.Logger.Error("the result violates its schema", "method", c.env.Method, "violations", describe(&c.violations))
		c.write(internal)
		return
	}
	if c.IsNotification() {
		return
	}
	if c.timed != nil && c.timed.Err() == context.DeadlineExceeded {
		c.d.peerLog.Warn("a late result was dropped", "method", c.env.Method)
		c.write(c.d.condition(Condition{Kind: when.Timeout, Method: c.env.Method, Timeout: c.timeout}))
		return
	}
	b = append(b, '}')
	size := len(b) - c.start
	if size > c.d.opts.MaxMessage {
		c.d.opts.Logger.Error("the result exceeds the maximum message size", "method", c.env.Method, "size", size, "max", c.d.opts.MaxMessage)
		c.write(oversize(largeResult, size, c.d.opts.MaxMessage))
		return
	}
	answers.Saw(c.env.Method, size)
	c.dst = b
}

// answers is how large answers are expected to be.
var answers buffer.Sizes

// ReturnEmpty answers with the result {}, for methods that declare no result. A notification is not answered (JSON-RPC 2.0 section 4.1).
func (c *Call) ReturnEmpty() { c.Return(append(c.Result(), "{}"...)) }

// Fail answers with err. The answer depends on what err wraps:
//
//   - a [Coder] supplies the error object itself;
//   - [context.DeadlineExceeded] after the declared timeout of the method is the condition Timeout;
//   - [context.Canceled] is the condition Cancelled;
//   - any other error is -32603 Internal error. Its text is logged and not sent to the peer, because it may hold secrets.
//
// A nil err is an error of the handler, and is -32603 too. A notification is not answered; its error is only logged.
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
	case c.timed != nil && c.timed.Err() == context.DeadlineExceeded && errors.Is(err, context.DeadlineExceeded):
		object = c.d.condition(Condition{Kind: when.Timeout, Method: c.env.Method, Timeout: c.timeout})
	case errors.Is(err, context.Canceled):
		object = c.d.condition(Condition{Kind: when.Cancelled, Method: c.env.Method, Reason: err.Error()})
	default:
		c.LogFailure(c.d.opts.Logger, "the handler failed", err, "method", c.env.Method)
		object = internal
	}
	c.answer(object)
}

// logDeclared logs a declared error at the level of its severity. A declared error is an expected
// outcome, so the level is debug if the schema names no severity.
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
	if !c.d.opts.Logger.Enabled(context.Background(), level) {
		return
	}
	c.d.opts.Logger.Log(context.Background(), level, "the handler returned a declared error", "method", c.env.Method, "code", o.Code, "error", peerlog.Error(err))
}

// MethodNotFound answers with the condition MethodNotFound, -32601 by default (JSON-RPC 2.0 section
// 5.1). The argument holds the names of all methods, newline-separated; the closest one becomes a
// suggestion. An unknown notification is logged at debug level and not answered.
func (c *Call) MethodNotFound(methods string) {
	c.stray = true
	if c.state != unanswered || !c.finish() {
		return
	}
	if c.IsNotification() {
		c.d.peerLog.Debug("unknown notification", "method", c.env.Method)
		c.state = answered
		return
	}
	c.answer(c.d.condition(Condition{
		Kind: when.MethodNotFound, Method: c.env.Method, Suggestion: violation.ClosestOf(c.env.Method, methods),
		Available: func() []string { return violation.Names(methods) },
	}))
}

// Condition answers with the error that the schema declares for cond, or with the default error of the condition.
func (c *Call) Condition(cond Condition) {
	c.answer(c.d.condition(cond))
	c.record(cond.RetryAfter, strings.Join(cond.Scopes, " "))
}

// answer answers with the error o. It first reads the rest of the message if nothing has read it
// yet, because the id may follow the params and the envelope may turn out to be invalid.
func (c *Call) answer(o ErrorObject) {
	if c.state != unanswered || c.phase == untouched && !c.finish() {
		return
	}
	c.state = answered
	c.write(o)
}

// write replaces what was appended to the answer by the error o. An error whose data cannot be written is answered as -32603. The outcome is recorded for
// notifications too: a transport may have to answer them with a status.
func (c *Call) write(o ErrorObject) {
	o = c.d.mapError(o)
	recordIn(c.dispatched, o)
	c.dst = c.dst[:c.start]
	if !c.IsNotification() {
		c.dst = c.d.appendError(c.dst, c.env.ID.Of(c.msg), o)
	}
}

// Drop ends the call without an answer. An answer that was given already is discarded. It is for protocols in which a cancelled request gets no response,
// such as MCP (cancellation, behavior requirements). The answer to an invalid message is kept.
func (c *Call) Drop() {
	if c.state != refused {
		c.state = answered
		c.dst = c.dst[:c.start]
	}
}

// EditResult replaces the result of an answered call by what edit appends to b. It does nothing if there is no answer, or if the answer is an error. The
// argument result is a copy, because b shares its memory with the answer.
func (c *Call) EditResult(edit func(b, result []byte) []byte) {
	result := bytes.Clone(c.ResultJSON())
	if result == nil {
		return
	}
	c.state = unanswered
	c.Return(edit(c.Result(), result))
}

// Failure returns the code of the error that the call was answered with. It reports false if the call has no answer, or was answered with a result.
func (c *Call) Failure() (code int64, failed bool) {
	if c.state == unanswered || wire.Has(c.dst, c.afterID(), resultMember) {
		return 0, false
	}
	text, _ := wire.PeekAt(c.dst[c.start:]).In("error").In("code").Scalar()
	code, err := strconv.ParseInt(text, 10, 64)
	return code, err == nil
}

// afterID returns the index in dst of the member that follows the id of the answer.
func (c *Call) afterID() int { return c.start + len(responseHead) + c.env.ID.End - c.env.ID.Start }

// refuse answers a message that is not a valid request. It is answered even if it has no id: the fault may be what hides the id, so it cannot be taken for a
// notification (JSON-RPC 2.0 section 5, on the id null). Only a response to an own request of the session s is not answered, since the request fails with it;
// s is nil outside of sessions.
func (c *Call) refuse(s *Session) {
	v := c.d.diagnose(c.msg)
	c.state = refused
	if s != nil && s.outgoing.failsBy(v, c.msg) {
		c.dst = c.dst[:c.start]
		return
	}
	recordIn(c.dispatched, c.d.mapError(refusal(v)))
	c.dst = c.d.appendRefusal(c.dst[:c.start], v)
}

// describe returns violations as text for the log. It leaves out the values that break the rules, because params and results are never logged.
func describe(vs *Violations) string {
	all := slices.Clone(vs.All())
	for i := range all {
		all[i].Got, all[i].Closest = "", ""
	}
	return (&RuleError{Violations: all, Dropped: vs.Dropped()}).Error()
}

// invalidParams answers -32602 Invalid params with the violations that were collected. They are
// reset then, so that the result is not taken for invalid because of them.
func (c *Call) invalidParams() {
	if c.IsNotification() {
		c.d.peerLog.Warn("a notification with invalid params was dropped", "method", c.env.Method, "violations", c.violations.Len())
	}
	if c.appendParams == nil {
		c.appendParams = c.paramsData
	}
	c.answer(ErrorObject{Code: CodeInvalidParams, Message: "Invalid params", AppendData: c.appendParams})
	c.violations.Reuse()
}

// paramsData appends the data of -32602: an object with the members detail and violations. With
// Options.Explain it also holds the members schema and received.
func (c *Call) paramsData(b []byte) []byte {
	b = report.Append(b, c.violations.All(), c.violations.Dropped(), c.keys)
	if c.d.opts.Explain {
		b = c.explain(b)
	}
	return append(b, '}')
}

// explain appends the member schema, which is the JSON Schema of the params if the handler provides it, and the member received, which is the params of the
// message unless they may hold sensitive values.
func (c *Call) explain(b []byte) []byte {
	if c.d.hooks.ParamsSchema != nil {
		if schema, err := wire.ParseRaw([]byte(c.d.hooks.ParamsSchema(c.env.Method))); err == nil {
			b = append(b, `,"schema":`...)
			b = wire.AppendRaw(b, schema)
		}
	}
	if sensitive := c.d.hooks.Sensitive; sensitive != nil && sensitive(c.env.Method) {
		return b
	}
	const most = 4 << 10 // bytes; larger params are left out, to bound the size of the answer
	if p := c.env.Params; c.HasParams() && p.End-p.Start <= most {
		if raw, err := wire.ParseRaw(p.Of(c.msg)); err == nil {
			b = append(b, `,"received":`...)
			b = wire.AppendRaw(b, raw)
		}
	}
	return b
}

// recover is deferred around every handler, so that a call always gets an answer and a panic in one handler does not end the process. It also covers a
// handler that ends its goroutine with [runtime.Goexit], and one that returns without an answer. The peer receives -32603 in each case; the reason is logged.
func (c *Call) recover() {
	if c.timers != nil {
		c.endTimers()
	}
	switch p := recover().(type) {
	case nil:
		if c.state != unanswered || c.IsNotification() {
			return
		}
		c.d.opts.Logger.Error("the handler returned without an answer", "method", c.env.Method)
	case *wire.EncodeError:
		c.d.opts.Logger.Error("the answer cannot be written as JSON", "method", c.env.Method, "error", peerlog.Error(p))
	default:
		c.d.opts.Logger.Error("the handler panicked", "method", c.env.Method, "panic", peerlog.Value(p), "stack", string(debug.Stack()))
	}
	c.state = answered
	c.write(internal)
}
