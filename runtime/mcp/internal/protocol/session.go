package protocol

import (
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// ErrSessionOver is wrapped by the errors of connections for calls whose session the server does not know any more (2025-11-25,
// basic/transports, Session Management). The client begins another, and calls again.
var ErrSessionOver = errors.New("mcp: the session is over")

// Canceller is a connection that knows the calls that it has in flight. [runtime.Session] is one.
type Canceller interface {
	// Cancel ends the context of the call with the given id, with cause, and reports whether there was such a call.
	Cancel(id wire.ID, cause error) bool
}

// StreamCloser is an optional interface of the connection of a request: its client can come back for the answer.
type StreamCloser interface{ CloseStream() error }
