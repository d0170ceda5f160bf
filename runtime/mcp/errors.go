package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Codes of MCP (basic, Error Codes), and, outside of what JSON-RPC reserves, those of conditions that it has no code for.
const (
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
	CodeTimeout            = 504
	CodeOverloaded         = 503
	CodeRateLimited        = 429

	codeResourceNotFound = -32002 // only in the handshake era
)

// own is the category of errors that are this package's own: they may use codes that others may not.
const own = "mcp"

// fault is an error of the protocol that the server answers.
type fault struct {
	code   int64
	status int // of HTTP; 0: the transport's choice
	text   string
	data   func(b []byte) []byte // nil: none
}

func (f *fault) Error() string { return f.text }

func (f *fault) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: f.code, Message: f.text, AppendData: f.data, HTTPStatus: f.status, Category: own}
}

// badRequest is err, answered with the HTTP status 400.
func badRequest(err error) error {
	coder, ok := errors.AsType[runtime.Coder](err)
	if !ok {
		return err
	}
	o := coder.RPCError()
	return &fault{o.Code, 400, o.Message, o.AppendData}
}

// unsupportedVersion answers a request for a revision that is not served (basic/versioning).
func unsupportedVersion(supported []string, requested string) error {
	return &fault{CodeUnsupportedVersion, 400, "Unsupported protocol version", func(b []byte) []byte {
		b = wire.AppendStrings(append(b, `{"supported":`...), supported)
		b = wire.AppendString(append(b, `,"requested":`...), requested)
		return append(b, '}')
	}}
}

// headerMismatch answers a request whose HTTP headers do not say what its body says.
func headerMismatch(format string, args ...any) error {
	return &fault{CodeHeaderMismatch, 400, "Header mismatch: " + fmt.Sprintf(format, args...), nil}
}

// MissingCapabilityError says that a client was to be asked something that it has not declared it can answer. Stateless clients are
// told so as -32021 with the capabilities that are required.
type MissingCapabilityError struct {
	Required string // capabilities, as a JSON object
}

func (e *MissingCapabilityError) Error() string {
	return "the client lacks a capability: " + e.Required
}

// RPCError implements [runtime.Coder].
func (e *MissingCapabilityError) RPCError() runtime.ErrorObject {
	return (&fault{CodeMissingCapability, 400, "Missing required client capability", e.appendData}).RPCError()
}

func (e *MissingCapabilityError) appendData(b []byte) []byte {
	b = append(b, `{"requiredCapabilities":`...)
	return append(append(b, e.Required...), '}')
}

// inSession is the error in the handshake era, which has no code for it. A model is told.
func (e *MissingCapabilityError) inSession() error {
	return &lacking{fault{runtime.CodeInvalidParams, 0, "Missing required client capability", e.appendData}}
}

// lacking is a fault that is also an error of a tool.
type lacking struct{ fault }

func (*lacking) Error() string {
	return "The client cannot be asked what has to be known: it lacks a capability."
}

// ToolError implements [ToolError].
func (*lacking) ToolError() string { return "MissingCapability" }

// AppendData implements [ToolError].
func (l *lacking) AppendData(b []byte) []byte { return l.data(b) }

// unknown answers that there is no tool, prompt or resource of a name. The data holds the name that is nearest, if one is.
func unknown(code int64, text, member, name, suggestion string) error {
	return &fault{code, 0, text, func(b []byte) []byte {
		start := len(b)
		if member != "" {
			b = append(wire.AppendString(append(b, ','), member), ':')
			b = wire.AppendString(b, name)
		}
		if suggestion != "" {
			b = wire.AppendString(append(b, `,"suggestion":`...), suggestion)
		}
		return wire.CloseObject(b, start)
	}}
}

// CancelledError is the cause that the context of a request ends with when who has made it has cancelled it.
type CancelledError struct {
	Reason string // as it was given; may be empty
}

func (e *CancelledError) Error() string {
	if e.Reason == "" {
		return "the request was cancelled"
	}
	return "the request was cancelled: " + e.Reason
}

// cancelled reports whether the client has cancelled the request that ctx is the context of.
func cancelled(ctx context.Context) bool {
	if ctx.Err() == nil {
		return false
	}
	_, ok := errors.AsType[*CancelledError](context.Cause(ctx))
	return ok
}

// reserved reports whether code is one of those that JSON-RPC reserves, and neither JSON-RPC 2.0 nor MCP gives a meaning that
// handlers may use.
func reserved(code int64) bool {
	switch code {
	case runtime.CodeParseError, runtime.CodeInvalidRequest, runtime.CodeMethodNotFound, runtime.CodeInvalidParams, runtime.CodeInternalError:
		return false
	}
	return -32768 <= code && code <= -32000
}

// closest returns the name nearest to s among names, newline-separated.
func closest(s, names string) string { return rule.Closest(s, lines(names)) }
