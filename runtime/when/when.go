// Package when names the conditions that the runtime itself has to answer for, as the key `when:` of a schema's errors does. A
// runtime.Condition is one occurrence of them.
package when

// Kind names what the runtime itself has to answer for, in the words of a schema's `when:`.
type Kind uint8

// The conditions, and what answers for them when no error is declared.
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
)

// Codes that answer for conditions when no error is declared, beyond those of JSON-RPC 2.0.
const (
	CodeOverloaded = -32000
	CodeTimeout    = -32001
	CodeCancelled  = -32800
)
