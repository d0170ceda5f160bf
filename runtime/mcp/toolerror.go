package mcp

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/internal/report"
)

// ToolError is an error that a schema declares for a tool. The model gets its message as a result
// with isError; typed clients find name and data in the result's _meta under [MetaError].
type ToolError interface {
	error
	ToolError() string          // the name of the error
	AppendData(b []byte) []byte // appends its data as JSON, or returns b if there is none
}

// MetaError is the key in _meta of a tool result with isError. Its value is an object with the
// members name and data.
const MetaError = "io.github.rpcgen-go/error"

// InvalidArguments is the name in [MetaError] of the error for invalid arguments. Its data is
// {"detail", "violations"}.
const InvalidArguments = "InvalidArguments"

// argumentsError means that the arguments violate their schema.
type argumentsError struct{ broken violation.Error }

func (e *argumentsError) Error() string { return "invalid arguments: " + e.broken.Error() }
func (e *argumentsError) Unwrap() error { return &e.broken }

// LogValue returns the places and rules of the violations without the values.
func (e *argumentsError) LogValue() slog.Value {
	var s strings.Builder
	s.WriteString("invalid arguments:")
	for _, v := range e.broken.Violations {
		s.WriteString(" " + v.Pointer + " (" + v.Rule + ")")
	}
	return slog.StringValue(s.String())
}

// ToolError implements [ToolError].
func (*argumentsError) ToolError() string { return InvalidArguments }

// AppendData implements [ToolError].
func (e *argumentsError) AppendData(b []byte) []byte {
	return append(report.Append(b, e.broken.Violations, e.broken.Dropped, ""), '}')
}

// appendText appends the message for the model, which says what to correct.
func (e *argumentsError) appendText(b []byte, tool string) []byte {
	b = append(append(b, "The arguments of "...), tool...)
	b = append(b, " are invalid. Correct them and call the tool again:"...)
	for i := range e.broken.Violations {
		b = appendAdvice(append(b, "\n- "...), &e.broken.Violations[i])
	}
	if e.broken.Dropped > 0 {
		b = append(b, "\n- and more of the kind"...)
	}
	return b
}

// appendAdvice appends what is wrong at one place and what would be valid.
func appendAdvice(b []byte, v *violation.Violation) []byte {
	if v.Pointer == "" {
		b = append(b, "the arguments"...)
	}
	b = append(append(b, v.Pointer...), ": expected "...)
	b = append(b, v.Expected...)
	if v.Got != "" {
		b = append(append(b, ", got "...), v.Got...)
	}
	b = append(append(append(b, " ("...), v.Rule...), ')')
	if v.Closest != "" {
		b = append(wire.AppendString(append(b, "; did you mean "...), v.Closest), '?')
	}
	return b
}

// failTool answers a call of a tool with err. An error that the model can correct or has to accept
// becomes a result; an error that the protocol defines is answered as such.
func (q *Request) failTool(err error) {
	c := q.call
	declared, ok := errors.AsType[ToolError](err)
	if !ok && !q.becomesResult(err) {
		c.Fail(err)
		return
	}
	var short [512]byte
	text := append(short[:0], "The tool failed."...)
	switch invalid, is := declared.(*argumentsError); {
	case is:
		text = invalid.appendText(short[:0], q.name)
	case ok:
		text = append(short[:0], declared.Error()...)
	case errors.Is(err, runtime.ErrUnimplemented):
		text = append(short[:0], "This tool is not implemented."...)
	default:
		c.LogFailure(q.server.log, "the tool failed", err, "tool", peerlog.Text(q.name))
	}
	c.Return(q.appendToolError(c.Result(), text, declared))
}

// becomesResult reports whether the error of a tool is answered as a result with isError.
func (q *Request) becomesResult(err error) bool {
	if _, ok := errors.AsType[ToolError](err); ok || errors.Is(err, runtime.ErrUnimplemented) {
		return true
	}
	_, ok := errors.AsType[runtime.Coder](err)
	return !ok && !(errors.Is(err, context.Canceled) && q.context.Err() != nil)
}

// appendToolError appends a result with isError (CallToolResult).
func (q *Request) appendToolError(b, text []byte, declared ToolError) []byte {
	b = wire.AppendQuoted(append(b, `{"content":[{"type":"text","text":`...), text)
	b = append(b, `}],"isError":true`...)
	if declared == nil {
		return append(b, q.tail()...)
	}
	if q.handshake == nil {
		b = append(b, `,"resultType":"complete"`...)
	}
	b = append(b, `,"_meta":{`...)
	if q.handshake == nil && !q.server.opts.Anonymous {
		b = append(append(b, `"`+protocol.MetaServerInfo+`":`...), q.server.implementation...)
		b = append(b, ',')
	}
	b = wire.AppendString(append(b, `"`+MetaError+`":{"name":`...), declared.ToolError())
	end := len(b)
	b = append(b, `,"data":`...)
	data := len(b)
	if b = declared.AppendData(b); len(b) == data {
		b = b[:end]
	}
	return append(b, "}}}"...)
}
