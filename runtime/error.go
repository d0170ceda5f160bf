package runtime

import (
	"cmp"
	"errors"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// The error codes of JSON-RPC 2.0 section 5.1. Package when holds those of conditions.
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
)

// ErrorObject is the error member of a response (JSON-RPC 2.0 section 5.1), with the properties that a schema declares for the error. Only Code, Message
// and the data are sent.
type ErrorObject struct {
	Code       int64
	Message    string
	AppendData func(b []byte) []byte // appends the JSON of the data member; nil means no data
	HTTPStatus int                   // status for HTTP transports; 0 lets the transport choose
	Retry      bool                  // the call may succeed if it is repeated
	Severity   string                // info, warning, error or critical; empty means log level debug
	Category   string                // the schema's own classification; empty means none
}

// AppendJSON appends the error object as JSON to b.
func (o ErrorObject) AppendJSON(b []byte) []byte {
	b = append(b, `{"code":`...)
	b = strconv.AppendInt(b, o.Code, 10)
	b = append(b, `,"message":`...)
	b = wire.AppendString(b, o.Message)
	if o.AppendData != nil {
		b = append(b, `,"data":`...)
		b = o.AppendData(b)
	}
	return append(b, '}')
}

// Coder is an error that knows the error object to answer with. Generated errors implement it. The text of any other error is only logged, because it may
// contain what the peer must not see.
type Coder interface {
	error
	RPCError() ErrorObject
}

// object returns the error object of the first Coder that err wraps. It reports false if there is none.
func object(err error) (ErrorObject, bool) {
	if coder, ok := errors.AsType[Coder](err); ok {
		return coder.RPCError(), true
	}
	return ErrorObject{}, false
}

// Error is the error object of a response, as the peer sent it. Generated clients turn declared errors into types of their own.
//
// It is not a [Coder]: a handler that returns the error of another peer answers -32603, so that errors do not pass from one connection to another by
// accident.
type Error struct {
	Code    int64
	Message string
	Data    Raw // null if the response has no data, see HasData
	HasData bool
}

func (e *Error) Error() string {
	return cmp.Or(e.Message, "an error without a message") + " (code " + strconv.FormatInt(e.Code, 10) + ")"
}

// Answer returns a [Coder] for an error that no schema declares. An empty message is replaced by the text that JSON-RPC 2.0 section 5.1 has for the code,
// if it has one. A zero data, which is null, means that the error has no data.
func Answer(code int64, message string, data Raw) error {
	if message == "" {
		message = "Error"
		if info, ok := LookupError(code); ok {
			message = info.Message
		}
	}
	return &answer{code, message, data}
}

type answer struct {
	code    int64
	message string
	data    Raw
}

func (a *answer) Error() string { return a.message + " (code " + strconv.FormatInt(a.code, 10) + ")" }

func (a *answer) RPCError() ErrorObject {
	o := ErrorObject{Code: a.code, Message: a.message}
	if a.data != (Raw{}) {
		o.AppendData = func(b []byte) []byte { return wire.AppendRaw(b, a.data) }
	}
	return o
}

// ErrUnimplemented is returned by the methods of a generated UnimplementedServer. The peer receives -32601 Method not found.
var ErrUnimplemented error = &answer{code: CodeMethodNotFound, message: "Method not found"}

// The errors of JSON-RPC 2.0 section 5.1 that are the same for every peer.
var (
	parseError     = ErrorObject{Code: CodeParseError, Message: "Parse error"}
	invalidRequest = ErrorObject{Code: CodeInvalidRequest, Message: "Invalid Request"}
	internal       = ErrorObject{Code: CodeInternalError, Message: "Internal error"}
)

// oversize is the error for an answer that is not sent because its message would have size bytes, over the limit max. The word what says what is too large.
func oversize(what string, size, max int) ErrorObject {
	text := what + ": " + strconv.Itoa(size) + " bytes, over the limit of " + strconv.Itoa(max)
	return ErrorObject{Code: CodeInternalError, Message: text, AppendData: Condition{MaxSize: max, Size: size, Unit: "bytes"}.sizes()}
}

// Texts for [oversize].
const (
	largeResult = "Result too large"
	largeBatch  = "Results of the batch too large"
)

// Errors of connections and clients.
var (
	// ErrClosed means that the connection is closed. An error that wraps it holds the reason.
	ErrClosed = errors.New("the connection is closed")

	// ErrIDsExhausted means that a connection has used every request id below 2^60.
	ErrIDsExhausted = errors.New("the connection has used up its request ids")
)

// closedError is ErrClosed with the reason.
type closedError struct {
	cause  error
	unsent bool
}

func (e *closedError) Error() string {
	if e.cause == nil {
		return ErrClosed.Error()
	}
	return "the connection is closed: " + e.cause.Error()
}

// Unsent reports whether the connection was closed before the message was sent, so that sending it on another connection does not repeat it. Package
// reconnect asks for it.
func (e *closedError) Unsent() bool { return e.unsent }

func (e *closedError) Is(target error) bool { return target == ErrClosed }
func (e *closedError) Unwrap() error        { return e.cause }

// ResponseError means that a response is not valid JSON-RPC 2.0 (section 5), or that its result does not conform to the schema. The call itself may have
// succeeded.
type ResponseError struct {
	Method     string
	What       string
	Violations []Violation // violations of the schema; nil if the envelope is invalid
}

func (e *ResponseError) Error() string {
	text := "the response to " + e.Method + ": " + e.What
	if len(e.Violations) > 0 {
		text += ": " + (&RuleError{Violations: e.Violations}).Error()
	}
	return text
}

// ParamsError means that the params of a call violate their schema. The message was not sent.
type ParamsError struct {
	Method     string
	Violations []Violation
}

func (e *ParamsError) Error() string {
	return "params of " + e.Method + ": " + (&RuleError{Violations: e.Violations}).Error()
}

func (e *ParamsError) Unwrap() error { return &RuleError{Violations: e.Violations} }

// ErrSlowReader ends a stream whose items were not taken as fast as they came.
var ErrSlowReader = errors.New("the stream has ended: its items were not taken as fast as they came, and there was no room for more")
