package mcp

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// The codes of MCP (basic, Error Codes), and of conditions for which it has none, outside of the range that JSON-RPC reserves.
const (
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
	CodeTimeout            = 504
	CodeOverloaded         = 503
	CodeRateLimited        = 429

	codeForbidden = 403
)

// ownCategory is the category of errors of this package, which may use codes that handlers must not
// use.
const ownCategory = "mcp"

// fault is a protocol error that the server answers with.
type fault struct {
	code   int64
	status int // HTTP status; 0 lets the transport choose
	text   string
	data   func(b []byte) []byte // nil means no data
}

func (f *fault) Error() string { return f.text }

func (f *fault) RPCError() runtime.ErrorObject {
	return runtime.ErrorObject{Code: f.code, Message: f.text, AppendData: f.data, HTTPStatus: f.status, Category: ownCategory}
}

// badRequest returns err with the HTTP status 400.
func badRequest(err error) error {
	coder, ok := errors.AsType[runtime.Coder](err)
	if !ok {
		return err
	}
	o := coder.RPCError()
	return &fault{o.Code, 400, o.Message, o.AppendData}
}

// unsupportedVersion is the error for a request of a revision that is not served
// (basic/versioning).
func unsupportedVersion(supported []string, requested string) error {
	return &fault{CodeUnsupportedVersion, 400, "Unsupported protocol version", func(b []byte) []byte {
		b = wire.AppendStrings(append(b, `{"supported":`...), supported)
		b = wire.AppendString(append(b, `,"requested":`...), requested)
		return append(b, '}')
	}}
}

// headerMismatch is the error for a request whose HTTP headers differ from its body.
func headerMismatch(wrong string) error {
	return &fault{CodeHeaderMismatch, 400, "Header mismatch: " + wrong, nil}
}

// MissingCapabilityError means that a client could not be asked because it has not declared the
// capability to answer. Stateless clients receive -32021 with the required capabilities (basic,
// Error Codes).
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

// missingCapabilityFault is a fault that implements [ToolError].
type missingCapabilityFault struct {
	fault
	required string // capabilities, as a JSON object
}

func (l *missingCapabilityFault) Error() string {
	return "The client cannot be asked for required information: it lacks a capability of " + l.required + "."
}

// ToolError implements [ToolError].
func (*missingCapabilityFault) ToolError() string { return "MissingCapability" }

// AppendData implements [ToolError].
func (l *missingCapabilityFault) AppendData(b []byte) []byte { return l.data(b) }

// notFoundError is the error for something that does not exist. Its data holds the closest name, if there
// is one.
func notFoundError(status int, code int64, text, member, name, suggestion string) error {
	if member == "" && suggestion == "" {
		return &fault{code, status, text, nil}
	}
	return &fault{code, status, text, func(b []byte) []byte {
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

// CancelledError is the context.Cause of a request that its sender cancelled
// (basic/patterns/cancellation).
type CancelledError struct {
	Reason string // as sent by the client; may be empty
}

func (e *CancelledError) Error() string {
	if e.Reason == "" {
		return "the request was cancelled"
	}
	return "the request was cancelled: " + e.Reason
}

// isCancelled reports whether the client has cancelled the request that ctx belongs to.
func isCancelled(ctx context.Context) bool {
	if ctx.Err() == nil {
		return false
	}
	_, ok := errors.AsType[*CancelledError](context.Cause(ctx))
	return ok
}

// isReserved reports whether JSON-RPC reserves the code and neither JSON-RPC 2.0 nor MCP define it
// for use by handlers.
func isReserved(code int64) bool {
	switch code {
	case runtime.CodeParseError, runtime.CodeInvalidRequest, runtime.CodeMethodNotFound, runtime.CodeInvalidParams, runtime.CodeInternalError:
		return false
	}
	return -32768 <= code && code <= -32000
}

// nameList is a list of names.
type nameList struct {
	names string // newline-separated
	all   func() []string
}

// closest returns the name that is closest to s. The argument names is newline-separated.
func closest(s, names string) string { return violation.ClosestOf(s, names) }

var empty = []byte("{}")
