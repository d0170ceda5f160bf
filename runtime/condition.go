package runtime

import (
	"strconv"
	"strings"
	"time"
)

// ConditionKind names what the runtime itself has to answer for, in the words of a schema's `when:`.
type ConditionKind uint8

// The conditions, and what answers for them when no error is declared.
const (
	MethodNotFound     ConditionKind = iota + 1 // -32601 Method not found
	ToolNotFound                                // -32602 Unknown tool
	ResourceNotFound                            // -32002 Resource not found
	PromptNotFound                              // -32602 Unknown prompt
	Timeout                                     // -32001 Request timed out
	RateLimited                                 // -32000 Rate limited
	Overloaded                                  // -32000 Overloaded
	MessageTooLarge                             // -32600 Message too large
	BatchTooLarge                               // -32600 Batch too large
	NotInitialized                              // -32600 Not initialized
	UnsupportedVersion                          // -32602 Unsupported version
	Cancelled                                   // -32800 Request cancelled
	BudgetExceeded                              // -32600 Decode budget exceeded
)

// Condition is one occurrence, with what is known of it.
type Condition struct {
	Kind       ConditionKind
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
	case MethodNotFound:
		return ErrorObject{Code: CodeMethodNotFound, Message: "Method not found", AppendData: c.suggest()}
	case ToolNotFound:
		return ErrorObject{Code: CodeInvalidParams, Message: "Unknown tool", AppendData: c.suggest()}
	case ResourceNotFound:
		return ErrorObject{Code: -32002, Message: "Resource not found", AppendData: c.suggest()}
	case PromptNotFound:
		return ErrorObject{Code: CodeInvalidParams, Message: "Unknown prompt", AppendData: c.suggest()}
	case Timeout:
		return ErrorObject{Code: CodeTimeout, Message: "Request timed out", Retry: true}
	case RateLimited:
		return ErrorObject{Code: CodeOverloaded, Message: c.text("Rate limited"), Retry: true}
	case Overloaded:
		return ErrorObject{Code: CodeOverloaded, Message: c.text("Overloaded"), Retry: true}
	case MessageTooLarge:
		return ErrorObject{Code: CodeInvalidRequest, Message: "Message too large", AppendData: c.sizes()}
	case BatchTooLarge:
		return ErrorObject{Code: CodeInvalidRequest, Message: "Batch too large", AppendData: c.sizes()}
	case BudgetExceeded:
		return ErrorObject{Code: CodeInvalidRequest, Message: "Decode budget exceeded", AppendData: c.sizes()}
	case NotInitialized:
		return ErrorObject{Code: CodeInvalidRequest, Message: "Not initialized"}
	case UnsupportedVersion:
		return ErrorObject{Code: CodeInvalidParams, Message: "Unsupported version", AppendData: c.versions()}
	case Cancelled:
		return ErrorObject{Code: CodeCancelled, Message: "Request cancelled"}
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
