package runtime

import (
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/when"
)

// Condition is one occurrence, with what is known of it.
type Condition struct {
	Kind       when.Kind
	Method     string          // the method called; for the other not-found kinds the tool, uri or prompt
	Available  func() []string // not found: every name there is; nil when unknown
	Suggestion string          // not found: the nearest name; empty: none is near
	Timeout    time.Duration   // timeout: what was declared
	Limit      int             // overloaded, rate limited: how many are allowed
	InFlight   int             // overloaded: how many there were
	RetryAfter time.Duration   // rate limited: when to come back
	MaxSize    int             // too large: the limit; budget exceeded: the decode budget
	Size       int             // too large, budget exceeded: what came
	Unit       string          // too large, budget exceeded: bytes or elements
	Supported  []string        // unsupported version: what would do
	Requested  string          // unsupported version: what was asked for
	Reason     string          // cancelled, overloaded, rate limited: why; empty: unknown
}

// condition returns the error that answers for cond: the declared one, or the default.
func (d *Dispatcher) condition(cond Condition) ErrorObject {
	if err := d.handler.Condition(cond); err != nil {
		if o, ok := object(err); ok {
			return o
		}
		d.log.Error("the error declared for a condition has no code", "error", err)
	}
	return cond.object()
}

// object is the default answer.
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
		return ErrorObject{Code: when.CodeOverloaded, Message: c.text("Rate limited"), Retry: true}
	case when.Overloaded:
		return ErrorObject{Code: when.CodeOverloaded, Message: c.text("Overloaded"), Retry: true}
	case when.MessageTooLarge:
		return ErrorObject{Code: CodeInvalidRequest, Message: "Message too large", AppendData: c.sizes()}
	case when.BatchTooLarge:
		return ErrorObject{Code: CodeInvalidRequest, Message: "Batch too large", AppendData: c.sizes()}
	case when.BudgetExceeded:
		return ErrorObject{Code: CodeInvalidRequest, Message: "Decode budget exceeded", AppendData: c.sizes()}
	case when.NotInitialized:
		return ErrorObject{Code: CodeInvalidRequest, Message: "Not initialized"}
	case when.UnsupportedVersion:
		return ErrorObject{Code: CodeInvalidParams, Message: "Unsupported version", AppendData: c.versions()}
	case when.Cancelled:
		return ErrorObject{Code: when.CodeCancelled, Message: "Request cancelled"}
	}
	return internal
}

// text is a message with the reason, if one is known.
func (c Condition) text(message string) string {
	if c.Reason == "" {
		return message
	}
	return message + ": " + c.Reason
}

// suggest is the data of a name that was not found; nil when no other name is near.
func (c Condition) suggest() func([]byte) []byte {
	if c.Suggestion == "" {
		return nil
	}
	return func(b []byte) []byte {
		b = append(b, `{"suggestion":`...)
		return append(appendString(b, c.Suggestion), '}')
	}
}

func (c Condition) sizes() func([]byte) []byte {
	return func(b []byte) []byte {
		b = append(b, `{"maxSize":`...)
		b = strconv.AppendInt(b, int64(c.MaxSize), 10)
		b = append(b, `,"size":`...)
		b = strconv.AppendInt(b, int64(c.Size), 10)
		b = append(b, `,"unit":`...)
		return append(appendString(b, c.Unit), '}')
	}
}

func (c Condition) versions() func([]byte) []byte {
	return func(b []byte) []byte {
		b = append(b, `{"supported":[`...)
		for i, v := range c.Supported {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, v)
		}
		b = append(b, `],"requested":`...)
		return append(appendString(b, c.Requested), '}')
	}
}

// names splits the constant that generated routers hold: one name a line.
func names(joined string) []string {
	if joined == "" {
		return nil
	}
	return strings.Split(joined, "\n")
}
