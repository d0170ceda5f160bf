// Package when names the conditions, which are errors that the runtime itself detects. A schema
// declares errors for them with the key `when:`. A runtime.Condition is one occurrence.
//
//test:by ./runtime
//test:by ./docs TestConditions
package when

// Kind is the kind of a condition. The names are those of the schema's key `when:`.
type Kind uint8

// The conditions, and the error that answers if the schema declares none.
const (
	MethodNotFound     Kind = iota + 1 // -32601 Method not found
	ToolNotFound                       // -32602 Unknown tool
	ResourceNotFound                   // -32002 Resource not found
	PromptNotFound                     // -32602 Unknown prompt
	Timeout                            // -32001 Request timed out
	RateLimited                        // -32000 Rate limited
	Overloaded                         // -32000 Overloaded
	MessageTooLarge                    // -32600 Message too large
	BatchTooLarge                      // -32600 Batch too large
	NotInitialized                     // -32600 Not initialized
	UnsupportedVersion                 // -32602 Unsupported version
	Cancelled                          // -32800 Request cancelled
	BudgetExceeded                     // -32600 Decode budget exceeded
	AlreadyInitialized                 // -32600 Already initialized
	ShutDown                           // -32600 Shut down
	SessionNotFound                    // -32600 Session not found
	TooManyStreams                     // -32000 Overloaded
	Forbidden                          // -32003 Forbidden
	StreamUnsupported                  // -32600 Stream unsupported
)

// The codes of default errors that JSON-RPC 2.0 section 5.1 does not define.
const (
	CodeOverloaded = -32000
	CodeTimeout    = -32001
	CodeCancelled  = -32800
)
