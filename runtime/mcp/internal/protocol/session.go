package protocol

import "errors"

// ErrSessionOver is wrapped by the errors of connections for calls whose session the server does not know any more (2025-11-25,
// basic/transports, Session Management). The client begins another, and calls again.
var ErrSessionOver = errors.New("mcp: the session is over")
