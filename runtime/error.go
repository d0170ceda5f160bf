package runtime

import (
	"errors"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Codes of JSON-RPC 2.0 section 5.1. Package when has those of conditions.
const (
	CodeParseError     = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
)

// ErrorObject is the error member of a response (JSON-RPC 2.0 section 5.1), with what a schema says of it beside.
type ErrorObject struct {
	Code       int64
	Message    string
	AppendData func(b []byte) []byte // appends the data member's JSON; nil: no data
	HTTPStatus int                   // for HTTP transports; 0: the transport's choice
	Retry      bool                  // trying again may help
	Severity   string                // info, warning, error, critical; empty: the log level is debug
	Category   string                // the schema's own word for the kind of error; empty: none
}

// AppendJSON appends the error object.
func (o ErrorObject) AppendJSON(b []byte) []byte {
	b = append(b, `{"code":`...)
	b = strconv.AppendInt(b, o.Code, 10)
	b = append(b, `,"message":`...)
	b = appendString(b, o.Message)
	if o.AppendData != nil {
		b = append(b, `,"data":`...)
		b = o.AppendData(b)
	}
	return append(b, '}')
}

// Coder is an error that says what the peer is to be told. Generated errors are Coders. The text of any other error goes to
// the log only.
type Coder interface {
	error
	RPCError() ErrorObject
}

// object returns what a Coder in err's chain wants the peer to be told.
func object(err error) (ErrorObject, bool) {
	if coder, ok := errors.AsType[Coder](err); ok {
		return coder.RPCError(), true
	}
	return ErrorObject{}, false
}

// Error is an error that a peer answered, as it came. It is no [Coder]: a handler that returns what another peer told it
// answers -32603, so nothing leaks by accident. Generated clients turn declared errors into their own types.
type Error struct {
	Code    int64
	Message string
	Data    wire.Raw // null when there was none; see HasData
	HasData bool
}

func (e *Error) Error() string {
	return e.Message + " (code " + strconv.FormatInt(e.Code, 10) + ")"
}

// Answer returns a [Coder] for an error that no schema declares. A zero data is none.
func Answer(code int64, message string, data wire.Raw) error {
	return &answer{code, message, data}
}

type answer struct {
	code    int64
	message string
	data    wire.Raw
}

func (a *answer) Error() string { return a.message + " (code " + strconv.FormatInt(a.code, 10) + ")" }

func (a *answer) RPCError() ErrorObject {
	o := ErrorObject{Code: a.code, Message: a.message}
	if a.data != (wire.Raw{}) {
		o.AppendData = func(b []byte) []byte { return wire.AppendRaw(b, a.data) }
	}
	return o
}

// ErrUnimplemented is what a generated UnimplementedServer returns: the peer is told -32601 Method not found.
var ErrUnimplemented error = &answer{code: CodeMethodNotFound, message: "Method not found"}

// What every peer is told alike.
var (
	parseError     = ErrorObject{Code: CodeParseError, Message: "Parse error"}
	invalidRequest = ErrorObject{Code: CodeInvalidRequest, Message: "Invalid Request"}
	internal       = ErrorObject{Code: CodeInternalError, Message: "Internal error"}
)

// Errors of connections and clients.
var (
	// ErrClosed says that the connection is closed. Errors that wrap it say why.
	ErrClosed = errors.New("the connection is closed")

	// ErrIDsExhausted says that a connection has handed out every id below 2^60.
	ErrIDsExhausted = errors.New("the connection has used up its request ids")
)

// closedError is ErrClosed with its cause.
type closedError struct{ cause error }

func (e *closedError) Error() string {
	return "the connection is closed: " + e.cause.Error()
}
func (e *closedError) Is(target error) bool { return target == ErrClosed }
func (e *closedError) Unwrap() error        { return e.cause }

// ResponseError says that a response is not one of JSON-RPC 2.0 (section 5), or that its result does not fit the schema.
type ResponseError struct {
	Method     string
	What       string
	Violations []rule.Violation // what does not fit; nil when the envelope is at fault
}

func (e *ResponseError) Error() string {
	text := "the response to " + e.Method + ": " + e.What
	if len(e.Violations) > 0 {
		text += ": " + (&rule.Error{Violations: e.Violations}).Error()
	}
	return text
}

// ParamsError says that params break their schema; they were not sent.
type ParamsError struct {
	Method     string
	Violations []rule.Violation
}

func (e *ParamsError) Error() string {
	return "params of " + e.Method + ": " + (&rule.Error{Violations: e.Violations}).Error()
}

func (e *ParamsError) Unwrap() error { return &rule.Error{Violations: e.Violations} }

func appendString(b []byte, s string) []byte { return wire.AppendString(b, s) }
