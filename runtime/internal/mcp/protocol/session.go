package protocol

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// ErrSessionOver is wrapped by errors of calls whose session the server does not know any more
// (2025-11-25, basic/transports, Session Management). The client begins a new session and repeats
// the call.
var ErrSessionOver = errors.New("mcp: the session has ended")

// SessionWatcher is an optional interface of the handler of what a server sends. SessionOver is called when the session is over and no call has met
// [ErrSessionOver]; it does not block.
type SessionWatcher interface{ SessionOver() }

// Canceller is a connection that can cancel the calls in flight. [runtime.Session] implements it.
type Canceller interface {
	// Cancel cancels the context of the call with the given id with cause, and reports whether
	// there was such a call.
	Cancel(id wire.ID, cause error) bool
}

// StreamCloser is an optional interface of the connection of a request whose client can reconnect
// for the answer.
type StreamCloser interface{ CloseStream() error }

// Continuation is what lets another process continue a session; see runtime.Hooks.
type Continuation = interface {
	State() []byte
	StateVersion() uint64
	Restore(ctx context.Context, state []byte) error
}
