package runtime

import "context"

// Handler is what a generated router implements.
type Handler interface {
	// Handle decodes the params of c, calls the method and answers, all before it returns. A session reads on when the params
	// are decoded: a handler that waits for something before that calls [Call.Begin] first.
	Handle(ctx context.Context, c *Call)

	// Protocol tells the ways of the protocol. It is asked once.
	Protocol() Protocol

	// Condition returns the error that the schema declares for cond, or nil for the runtime's default.
	Condition(cond Condition) error

	// Hooks returns what the handler offers beyond serving calls; Hooks{} when that is nothing. It is asked once.
	Hooks() Hooks
}

// Protocol is what a schema says about its protocol beyond methods. The zero value is the strictest: no batches, no positional
// params, only strings and integers as ids.
type Protocol struct {
	Name       string // such as weather; for people
	Revision   string // such as 2026-07-28; empty when the protocol has none
	Batch      bool   // arrays of messages are served
	Positional bool   // params may be an array, in the order of the fields
	OmitID     bool   // an error that answers a message without a readable id has no id, rather than the id null: MCP
	NullID     bool   // ids may be null or a number that is no integer: plain JSON-RPC 2.0
}

// Plain is JSON-RPC 2.0 as it is written: batches, positional params, and every id it allows.
var Plain = Protocol{Name: "JSON-RPC", Revision: "2.0", Batch: true, Positional: true, NullID: true}

// nobody answers for a peer that offers no methods.
type nobody struct{}

func (nobody) Handle(_ context.Context, c *Call) { c.MethodNotFound("") }
func (nobody) Protocol() Protocol                { return Plain }
func (nobody) Condition(Condition) error         { return nil }
func (nobody) Hooks() Hooks                      { return Hooks{} }
