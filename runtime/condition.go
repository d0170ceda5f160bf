package runtime

import (
	"strconv"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Condition describes one occurrence of a condition, which is an error that the runtime itself detects. A schema may declare the error for each kind. Only
// the fields that the comments name for a kind are set; the zero value of a field means unknown.
type Condition struct {
	Kind       when.Kind
	Method     string          // method called; for the other not-found kinds the tool, URI or prompt
	Available  func() []string // not found: returns every valid name; nil if they are unknown
	Suggestion string          // not found: the closest valid name; empty if none is close
	Timeout    time.Duration   // timeout: as declared in the schema
	Limit      int             // overloaded, too many streams, rate limited: the maximum number
	InFlight   int             // overloaded: the number of calls in flight
	RetryAfter time.Duration   // rate limited: how long the peer should wait
	MaxSize    int             // too large: the limit in Unit; budget exceeded: the decode budget in bytes
	Size       int             // too large, budget exceeded: the size that was received, in Unit
	Unit       string          // too large, budget exceeded: "bytes" or "elements"
	Supported  []string        // unsupported version: the versions that are supported
	Requested  string          // unsupported version: the version that was requested
	Missing    []string        // forbidden: the scopes that the caller lacks
	Scopes     []string        // forbidden: all that the call needs
	Reason     string          // cancelled, overloaded, rate limited, not initialized: why; session not found, stream unsupported: what to do; empty if unknown
}

// condition returns the error that answers for cond: the one that the schema declares, or else the default of the condition. A declared error without an
// HTTP status has that of the default.
func (d *Dispatcher) condition(cond Condition) ErrorObject {
	if err := d.handler.Condition(cond); err != nil {
		if o, ok := object(err); ok {
			if o.HTTPStatus == 0 {
				o.HTTPStatus = cond.object().HTTPStatus
			}
			return o
		}
		d.opts.Logger.Error("the error declared for a condition has no code", "error", err)
	}
	return cond.object()
}

// object returns the default error of the condition. JSON-RPC 2.0 section 5.1 defines the codes from -32700 to -32600; those of overload, timeout and
// cancellation are in the range that section 5.1 leaves to implementations.
func (c Condition) object() ErrorObject {
	switch c.Kind {
	case when.MethodNotFound:
		return ErrorObject{Code: CodeMethodNotFound, Message: "Method not found", AppendData: c.suggest()}
	case when.ToolNotFound:
		return ErrorObject{Code: CodeInvalidParams, Message: "Unknown tool", AppendData: c.suggest()}
	case when.ResourceNotFound:
		return ErrorObject{Code: -32002, Message: "Resource not found", AppendData: c.suggest()}
	case when.PromptNotFound:
		return ErrorObject{Code: CodeInvalidParams, Message: "Unknown prompt", AppendData: c.suggest()}
	case when.Timeout:
		return ErrorObject{Code: when.CodeTimeout, Message: "Request timed out", Retry: true}
	case when.RateLimited:
		return ErrorObject{Code: when.CodeOverloaded, Message: c.text("Rate limited"), AppendData: c.LimitData(), HTTPStatus: 429, Retry: true}
	case when.Overloaded, when.TooManyStreams:
		return ErrorObject{Code: when.CodeOverloaded, Message: c.text("Overloaded"), HTTPStatus: 503, Retry: true}
	case when.Forbidden:
		return ErrorObject{Code: -32003, Message: "Forbidden", AppendData: c.MissingData, HTTPStatus: 403}
	case when.MessageTooLarge:
		return ErrorObject{Code: CodeInvalidRequest, Message: "Message too large", AppendData: c.sizes()}
	case when.BatchTooLarge:
		return ErrorObject{Code: CodeInvalidRequest, Message: "Batch too large", AppendData: c.sizes()}
	case when.BudgetExceeded:
		return ErrorObject{Code: CodeInvalidRequest, Message: "Decode budget exceeded", AppendData: c.sizes()}
	case when.NotInitialized:
		return ErrorObject{Code: CodeInvalidRequest, Message: c.text("Not initialized")}
	case when.AlreadyInitialized:
		return ErrorObject{Code: CodeInvalidRequest, Message: "Already initialized"}
	case when.ShutDown:
		return ErrorObject{Code: CodeInvalidRequest, Message: "Shut down"}
	case when.SessionNotFound:
		return ErrorObject{Code: CodeInvalidRequest, Message: c.text("Session not found"), HTTPStatus: 404}
	case when.StreamUnsupported:
		return ErrorObject{Code: CodeInvalidRequest, Message: c.text("Stream unsupported"), HTTPStatus: 406}
	case when.UnsupportedVersion:
		return ErrorObject{Code: CodeInvalidParams, Message: "Unsupported version", AppendData: c.versions()}
	case when.Cancelled:
		return ErrorObject{Code: when.CodeCancelled, Message: "Request cancelled"}
	}
	return internal
}

// text appends the reason to message, if one is known.
func (c Condition) text(message string) string {
	if c.Reason == "" {
		return message
	}
	return message + ": " + c.Reason
}

// suggest returns the function that appends the error data of a name that was not found. It is nil if no other name is close: the error then has no data.
func (c Condition) suggest() func([]byte) []byte {
	name := c.Suggestion // keeps the rest of c from being kept with the function
	if name == "" {
		return nil
	}
	return func(b []byte) []byte {
		return append(wire.AppendString(append(b, `{"suggestion":`...), name), '}')
	}
}

// LimitData returns the function that appends the error data of the condition RateLimited, an object with the members limit and retryAfter, in seconds. It
// is nil if it is unknown when the peer may try again.
func (c Condition) LimitData() func(b []byte) []byte {
	limit, retry := c.Limit, c.RetrySeconds()
	if retry <= 0 {
		return nil
	}
	return func(b []byte) []byte {
		b = strconv.AppendInt(append(b, `{"limit":`...), int64(limit), 10)
		return append(strconv.AppendInt(append(b, `,"retryAfter":`...), retry, 10), '}')
	}
}

// MissingData appends the error data of the condition Forbidden, an object with the member missing.
func (c Condition) MissingData(b []byte) []byte {
	return append(wire.AppendStrings(append(b, `{"missing":`...), c.Missing), '}')
}

func (c Condition) sizes() func([]byte) []byte {
	return func(b []byte) []byte {
		b = strconv.AppendInt(append(b, `{"maxSize":`...), int64(c.MaxSize), 10)
		b = strconv.AppendInt(append(b, `,"size":`...), int64(c.Size), 10)
		return append(wire.AppendString(append(b, `,"unit":`...), c.Unit), '}')
	}
}

func (c Condition) versions() func([]byte) []byte {
	return func(b []byte) []byte {
		b = append(wire.AppendStrings(append(b, `{"supported":`...), c.Supported), `,"requested":`...)
		return append(wire.AppendString(b, c.Requested), '}')
	}
}
