package mcp

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
	"github.com/rpcgen-go/rpcgen/runtime/internal/unwrap"
)

// CloseStream closes the HTTP connection of the request that ctx belongs to, while the request
// continues. The client reconnects after a while and gets what it missed, so a long call does not
// have to hold a connection (2025-11-25, basic/transports, Sending Messages to the Server). It
// fails if there is no such connection, and for clients of other revisions, which would not
// reconnect.
func CloseStream(ctx context.Context) error {
	if c, ok := unwrap.As[protocol.StreamCloser](runtime.PeerFrom(ctx)); ok {
		return c.CloseStream()
	}
	return errors.New("mcp: the client of this request would not reconnect for the answer")
}
