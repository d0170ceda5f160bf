package runtime

// Opener is what a [Handler] may implement beside, when it keeps something for each connection: every [Session] asks it for a
// handler of its own, and serves that. Conn is the way back to the session's peer.
type Opener interface{ Open(conn Conn) Handler }

// Closer is what a handler that an [Opener] returned may implement beside: Closed is called once when the session's connection is
// closed, before [Session.Wait] returns.
type Closer interface{ Closed() }

// InputEnder is what the handler of a session may implement beside, when it has calls that only their peer ends: InputEnded is called when
// the peer sends nothing more. The session waits for the calls in flight then, as long as [Options.DrainTimeout].
type InputEnder interface{ InputEnded() }

// BatchAllower is what a [Handler] may implement beside, when [Protocol] alone cannot tell whether batches are served: it is asked for
// every batch, and decides.
type BatchAllower interface{ AllowBatch() bool }

// ErrorMapper is what a [Handler] may implement beside: it sees every error before it is answered, and returns what is answered in
// its place. MapError of what it returned is the same.
type ErrorMapper interface {
	MapError(o ErrorObject) ErrorObject
}

// allowsBatch tells whether batches are served now.
func (d *Dispatcher) allowsBatch() bool {
	if a, ok := d.handler.(BatchAllower); ok {
		return a.AllowBatch()
	}
	return d.protocol.Batch
}

// mapped is what is answered for o.
func (d *Dispatcher) mapped(o ErrorObject) ErrorObject {
	if m, ok := d.handler.(ErrorMapper); ok {
		return m.MapError(o)
	}
	return o
}
