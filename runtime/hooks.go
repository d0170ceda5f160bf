package runtime

import "context"

// Hooks are the optional functions of a [Handler]. Any of them may be nil; the zero value has none.
//
// They are fields of one struct, and not optional interfaces, so that a wrapper which embeds a Handler passes them on. A wrapper that changes a hook
// calls Hooks of the wrapped handler, replaces the field and returns the value.
type Hooks struct {
	// Open returns the handler of one connection, for a handler with state per connection. A [Session] calls it once and serves the returned handler,
	// with the hooks of that one. The argument conn calls the peer. A wrapper that has a Handle of its own also has to wrap the handler that Open
	// returns.
	Open func(conn Conn) Handler

	// Closed is called once when the connection of the session is closed, before [Session.Wait] returns.
	Closed func()

	// InputEnded is called once when the peer will send no more messages, unless the connection is closed already. It is for handlers with calls that
	// only the peer ends, such as subscriptions. The session waits for it and for the calls in flight, at most for [Options.DrainTimeout].
	InputEnded func()

	// AllowBatch reports whether a batch is served. If it is set, it overrides [Protocol.Batch]. It is called for every batch, and must be safe for
	// concurrent use.
	AllowBatch func() bool

	// MapError returns the error that is answered instead of o. Every error passes through it, some of them twice, so it must return its own results
	// unchanged. It must be safe for concurrent use.
	MapError func(o ErrorObject) ErrorObject

	// Ordered reports whether requests that arrive after the notification method are handled only when its handler has returned. It may be called by
	// many goroutines.
	Ordered func(method string) bool

	// Latest reports whether a notification of the method that waits to be handled makes another one with the same text superfluous, which is then
	// dropped: that a list has changed, for instance. It may be called by many goroutines.
	Latest func(method string) bool

	// Limiter limits the rate of calls as the schema declares. [Options.Limiter] replaces it. See package ratelimit.
	Limiter Middleware

	// Permit answers calls that their principal may not make. It comes before other middleware, and calls next in any case, which then calls no handler.
	Permit Middleware

	// Deadlines means that methods have timeouts, see [Call.WithTimeout]: transports without sessions, such as HTTP, then run handlers so that the
	// answer to a call that exceeds its timeout need not wait for its handler.
	Deadlines bool

	// ParamsSchema returns the JSON Schema of the params of a method, or "" if there is none. [Options.Explain] sends it to a peer whose params are
	// invalid. It must be safe for concurrent use.
	ParamsSchema func(method string) string

	// Continuation returns what lets another process continue the session of the handler. State returns what it is continued from, and nil if there
	// is nothing yet; StateVersion returns a number that increases with each change of that. Restore continues a session from it: it is called before
	// anything else, with the context of a request of the session. If the hook is nil, the session cannot be continued.
	Continuation func() interface {
		State() []byte
		StateVersion() uint64
		Restore(ctx context.Context, state []byte) error
	}

	// Sensitive reports whether the params of a method may hold sensitive values, which [Options.Explain] does not repeat. If it is nil, no method
	// has any. It must be safe for concurrent use.
	Sensitive func(method string) bool
}

// allowsBatch reports whether batches are served at present.
func (d *Dispatcher) allowsBatch() bool {
	if d.hooks.AllowBatch != nil {
		return d.hooks.AllowBatch()
	}
	return d.protocol.Batch
}

// mapError returns the error that is answered instead of o.
func (d *Dispatcher) mapError(o ErrorObject) ErrorObject {
	if d.hooks.MapError != nil {
		return d.hooks.MapError(o)
	}
	return o
}
