package mcp

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
)

// CloseStream closes the HTTP connection of the request whose context ctx is, and lets the request go on: its client comes back after a
// while for what it missed, so that a long call need not hold a connection (2025-11-25, basic/transports, Sending Messages to the
// Server). It fails where there is no such connection, and for clients that would not come back: those of other revisions.
func CloseStream(ctx context.Context) error {
	if c, ok := runtime.PeerFrom(ctx).(protocol.StreamCloser); ok {
		return c.CloseStream()
	}
	return errors.New("mcp: the client of this request would not come back for the answer")
}
