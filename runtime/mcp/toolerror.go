package mcp

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
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
type argumentsError struct{ broken *rule.Error }

func (e *argumentsError) Error() string { return "invalid arguments: " + e.broken.Error() }
func (e *argumentsError) Unwrap() error { return e.broken }

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
	coder, _ := errors.AsType[runtime.Coder](runtime.InvalidParams(e.broken.Violations, e.broken.Dropped))
	return coder.RPCError().AppendData(b)
}

// text returns the message for the model, which says what to correct.
func (e *argumentsError) text(tool string) string {
	var s strings.Builder
	s.WriteString("The arguments of " + tool + " are invalid. Correct them and call the tool again:")
	for _, v := range e.broken.Violations {
		s.WriteString("\n- " + advice(v))
	}
	if e.broken.Dropped > 0 {
		s.WriteString("\n- and more of the kind")
	}
	return s.String()
}

// advice returns what is wrong at one place and what would be valid.
func advice(v rule.Violation) string {
	where := v.Pointer
	if where == "" {
		where = "the arguments"
	}
	text := where + ": expected " + v.Expected
	if v.Got != "" {
		text += ", got " + v.Got
	}
	text += " (" + v.Rule + ")"
	if v.Closest != "" {
		text += "; did you mean " + protocol.Quote(v.Closest) + "?"
	}
	return text
}

// failTool answers a call of a tool with err. An error that the model can correct or has to accept
// becomes a result; an error that the protocol defines is answered as such.
func (q *Request) failTool(err error) {
	c := q.call
	if !q.becomesResult(err) {
		c.Fail(err)
		return
	}
	text := "The tool failed."
	declared, ok := errors.AsType[ToolError](err)
	switch {
	case ok:
		text = declared.Error()
		if invalid, ok := declared.(*argumentsError); ok {
			text = invalid.text(q.name)
		}
	case errors.Is(err, runtime.ErrUnimplemented):
		text = "This tool is not implemented."
	default:
		c.LogFailure(q.server.log, "the tool failed", err, "tool", peerlog.Text(q.name))
	}
	c.Return(q.appendToolError(c.Result(), text, declared))
}

// becomesResult reports whether the error of a tool is answered as a result with isError.
func (q *Request) becomesResult(err error) bool {
	if errors.As(err, new(ToolError)) || errors.Is(err, runtime.ErrUnimplemented) {
		return true
	}
	return !errors.As(err, new(runtime.Coder)) && !(errors.Is(err, context.Canceled) && q.context.Err() != nil)
}

// appendToolError appends a result with isError (CallToolResult).
func (q *Request) appendToolError(b []byte, text string, declared ToolError) []byte {
	b = wire.AppendString(append(b, `{"content":[{"type":"text","text":`...), text)
	b = append(b, `}],"isError":true`...)
	if declared == nil {
		return append(b, q.tail()...)
	}
	if q.handshake == nil {
		b = append(b, `,"resultType":"complete"`...)
	}
	b = append(b, `,"_meta":{`...)
	if q.handshake == nil && !q.server.opts.Anonymous {
		b = append(append(b, `"`+protocol.MetaServerInfo+`":`...), q.server.implementation+","...)
	}
	b = wire.AppendString(append(b, `"`+MetaError+`":{"name":`...), declared.ToolError())
	if data := declared.AppendData(nil); len(data) > 0 {
		b = append(append(b, `,"data":`...), data...)
	}
	return append(b, "}}}"...)
}
