package mcpclient

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/mcp/internal/protocol"
)

// Dialer connects to a server. Inbound serves what the server sends by itself: notifications, and in the handshake era requests; a
// connection hands it to [runtime.NewSession], or does as that does. A connection that is an [io.Closer] is closed by [Client.Close].
//
// The connection outlives ctx. Where the transport has headers, [HeadersFrom] the context of a call returns them.
type Dialer func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error)

// CallCanceller is a connection that tells the server by itself when the context of a call ends before the call. For other connections
// the client sends notifications/cancelled (basic/patterns/cancellation).
type CallCanceller interface{ CancelsCalls() bool }

// ErrSessionOver is wrapped by the errors of connections for calls whose session the server does not know any more (2025-11-25,
// basic/transports, Session Management). The client begins another session, and calls again.
var ErrSessionOver = protocol.ErrSessionOver

// Header is a header field that a client sends with a message over HTTP, for intermediaries that do not read the message
// (basic/transports/streamable-http, Request Metadata): MCP-Protocol-Version, Mcp-Method, Mcp-Name, or Mcp-Param- and what the schema of a
// tool says. The value is as it is in the message; the transport encodes it.
type Header = protocol.Header

// WithHeaders returns the context of a message that is sent with headers, where the transport has such.
func WithHeaders(ctx context.Context, headers []Header) context.Context {
	return protocol.WithHeaders(ctx, headers)
}

// HeadersFrom returns the headers of the message whose context is ctx; nil if it has none.
func HeadersFrom(ctx context.Context) []Header { return protocol.HeadersFrom(ctx) }
