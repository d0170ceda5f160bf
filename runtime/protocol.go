package runtime

import "context"

// Handler serves calls. Generated routers implement it. All methods must be safe for concurrent use.
type Handler interface {
	// Handle decodes the params of c, calls the method and answers, all before it returns. A session reads its next message when the params are
	// decoded; a handler that blocks before that has to call [Call.Begin] first.
	Handle(ctx context.Context, c *Call)

	// Protocol returns the properties of the protocol. It is called once per [Dispatcher] or [Session].
	Protocol() Protocol

	// Condition returns the error that the schema declares for cond, or nil for the default error. It must return equal errors for equal values of
	// cond: the answers to calls over a rate are kept, see [Call.RateLimited].
	Condition(cond Condition) error

	// Hooks returns the optional functions of the handler, see [Hooks].
	Hooks() Hooks
}

// Protocol holds the properties of a protocol that a schema declares in addition to its methods. The zero value is the strictest protocol: no
// batches, no positional params, and ids that are strings or integers.
type Protocol struct {
	Name       string // for people, such as weather
	Revision   string // such as 2026-07-28; empty if the protocol has none
	Batch      bool   // arrays of messages are served (JSON-RPC 2.0 section 6)
	Positional bool   // params may be an array in the order of the fields (section 4.2)
	OmitID     bool   // an error without a request has no id instead of the id null, as in MCP
	NullID     bool   // ids may be null or a number with a fraction, as in plain JSON-RPC 2.0

	// CancelMethod is the notification with which a peer cancels a request of its own, for example $/cancelRequest, and CancelID is the member of its
	// params that holds the id of the request. A [Session] cancels the context of the request as soon as it reads the notification. If CancelMethod
	// is empty, requests cannot be cancelled.
	CancelMethod, CancelID string

	// InitializeMethod is the request with which a peer has to begin a [Session], for example initialize. Until it is answered with a result, other
	// requests are answered with the condition NotInitialized and notifications are dropped; afterwards it is answered with the condition
	// AlreadyInitialized. If InitializeMethod is empty, there is no handshake.
	InitializeMethod string

	// ShutdownMethod is the request after which the peer sends only ExitMethod: further requests are answered with the condition ShutDown and
	// notifications are dropped. It may be empty.
	ShutdownMethod string

	// ExitMethod is the notification that ends the session when its handler has returned, in any phase. Calls in flight are cancelled. [Session.Wait]
	// then returns nil, or [ErrNotShutDown] if ShutdownMethod is set and was not called. It may be empty.
	ExitMethod string
}

// rules are the properties of a protocol that every message needs. Each session has them, so they are small.
type rules struct {
	Batch, Positional, OmitID, NullID bool

	cancel *cancelRule // nil if requests cannot be cancelled
}

// cancelRule is how a peer cancels its requests, see [Protocol.CancelMethod].
type cancelRule struct{ method, id string }

func rulesOf(p Protocol) rules {
	r := rules{Batch: p.Batch, Positional: p.Positional, OmitID: p.OmitID, NullID: p.NullID}
	if p.CancelMethod != "" {
		r.cancel = &cancelRule{p.CancelMethod, p.CancelID}
	}
	return r
}

// Plain is JSON-RPC 2.0 as specified: with batches, positional params and every id that it allows.
var Plain = Protocol{Name: "JSON-RPC", Revision: "2.0", Batch: true, Positional: true, NullID: true}

// noMethods is the handler of a session that offers no methods to its peer.
type noMethods struct{}

func (noMethods) Handle(_ context.Context, c *Call) { c.MethodNotFound("") }
func (noMethods) Protocol() Protocol                { return Plain }
func (noMethods) Condition(Condition) error         { return nil }
func (noMethods) Hooks() Hooks                      { return Hooks{} }
