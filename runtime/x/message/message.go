package message

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Kind is the kind of a message. The zero value is Invalid.
type Kind uint8

// The kinds of messages.
const (
	Invalid      Kind = iota // not a message, see [Message.Fault]
	Request                  // JSON-RPC 2.0 section 4
	Notification             // a request without an id (section 4.1)
	Result                   // a response with a result (section 5)
	Failure                  // a response with an error (section 5.1)
)

// String returns the name of the kind, such as request.
func (k Kind) String() string {
	return [...]string{"invalid message", "request", "notification", "result", "error"}[k]
}

// Message is one message. The zero value is an invalid one.
type Message struct {
	Kind   Kind
	ID     []byte         // JSON text; nil for a notification, and for an error without an id
	Method string         // of a request or notification
	Params []byte         // JSON text of an object or array; nil if there are no params or if they are null
	Result []byte         // JSON text of a Result
	Error  *runtime.Error // of a Failure
	Fault  *Fault         // of an Invalid message
}

// Fault says why a text is not a valid message.
type Fault struct {
	Code   int64  // -32700 if the text is not JSON, and -32600 otherwise
	Detail string // what is wrong, for people
	ID     []byte // JSON text of the id, for the answer; nil if it cannot be read
}

func (f *Fault) Error() string { return "not a JSON-RPC 2.0 message: " + f.Detail }

// RPCError returns the error object with which a server answers. It implements [runtime.Coder].
func (f *Fault) RPCError() runtime.ErrorObject {
	if f.Code == runtime.CodeParseError {
		return runtime.ErrorObject{Code: f.Code, Message: "Parse error"}
	}
	return runtime.ErrorObject{Code: f.Code, Message: "Invalid Request"}
}

// Append appends the JSON of m to dst, which may then be sent. An invalid message, and one with a
// part that is not valid JSON, is an error, and dst is returned unchanged.
func (m Message) Append(dst []byte) ([]byte, error) {
	switch m.Kind {
	case Request:
		return AppendRequest(dst, m.ID, m.Method, m.Params)
	case Notification:
		return AppendNotification(dst, m.Method, m.Params)
	case Result:
		return AppendResult(dst, m.ID, m.Result)
	case Failure:
		if m.Error == nil {
			return dst, &wire.EncodeError{What: "the error of a message is missing"}
		}
		return AppendError(dst, m.ID, objectOf(m.Error))
	}
	return dst, &wire.EncodeError{What: "a message of no kind"}
}

// objectOf returns the error object that is read as e.
func objectOf(e *runtime.Error) runtime.ErrorObject {
	o := runtime.ErrorObject{Code: e.Code, Message: e.Message}
	if e.HasData {
		o.AppendData = func(b []byte) []byte { return wire.AppendRaw(b, e.Data) }
	}
	return o
}
