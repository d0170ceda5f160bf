package runtime

// Hooks are what a [Handler] offers beyond serving calls. Every field may be nil; the zero value is a handler without hooks.
// A wrapper that embeds a Handler passes its hooks on. One that changes a hook calls Hooks of what it wraps, and returns that value with
// its own function in place.
type Hooks struct {
	// Open returns the handler of one connection, for a handler that keeps something for each: a [Session] serves that in place of
	// the handler, by the hooks of what is returned. Conn is the way back to the peer. A wrapper that has a Handle of its own wraps
	// what Open returns, too.
	Open func(conn Conn) Handler

	// Closed is called once when the session's connection is closed, before [Session.Wait] returns.
	Closed func()

	// InputEnded is called when the peer sends nothing more, for a handler with calls that only their peer ends. The session waits
	// for the calls in flight then, as long as [Options.DrainTimeout].
	InputEnded func()

	// AllowBatch reports whether a batch is served. It is called for every batch, and decides in place of [Protocol]. It may be called
	// by many goroutines.
	AllowBatch func() bool

	// MapError returns what is answered in place of the error o; every error passes through it. MapError of what it returned is the
	// same. It may be called by many goroutines.
	MapError func(o ErrorObject) ErrorObject

	// ParamsSchema returns the JSON Schema of a method's params, which [Options.Explain] shows to peers that sent others. Empty: none.
	// It may be called by many goroutines.
	ParamsSchema func(method string) string
}

// allowsBatch reports whether batches are served now.
func (d *Dispatcher) allowsBatch() bool {
	if d.hooks.AllowBatch != nil {
		return d.hooks.AllowBatch()
	}
	return d.protocol.Batch
}

// mapped is what is answered for o.
func (d *Dispatcher) mapped(o ErrorObject) ErrorObject {
	if d.hooks.MapError != nil {
		return d.hooks.MapError(o)
	}
	return o
}
