package mcpclient

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/protocol"
)

// Dialer connects to a server. The handler inbound serves messages that the server sends: notifications, and in the handshake era requests. A Dialer
// passes it to [runtime.NewSession] or handles it in the same way. If the connection is an [io.Closer], [Client.Close] closes it.
//
// The connection outlives ctx. A transport with headers gets them by calling [HeadersFrom] with the context of a call.
type Dialer func(ctx context.Context, inbound runtime.Handler) (runtime.Conn, error)

// CallCanceller is a connection that notifies the server by itself if the context of a call ends before the call. For other connections, the client
// sends notifications/cancelled (basic/patterns/cancellation).
type CallCanceller interface{ CancelsCalls() bool }

// ErrSessionOver is wrapped by errors of calls whose session the server does not know any more (2025-11-25, basic/transports, Session Management).
// The client then begins a new session and repeats the call.
var ErrSessionOver = protocol.ErrSessionOver

// Header is a header field that a client sends with a message over HTTP, for intermediaries that do not parse the message
// (basic/transports/streamable-http, Request Metadata): MCP-Protocol-Version, Mcp-Method, Mcp-Name, or Mcp-Param- followed by the name in the schema
// of a tool. The value is the one in the message; the transport encodes it.
type Header = protocol.Header

// WithHeaders returns a context for sending a message with headers. Transports without headers ignore them.
func WithHeaders(ctx context.Context, headers []Header) context.Context {
	return protocol.WithHeaders(ctx, headers)
}

// HeadersFrom returns the headers for the message that is sent with ctx, or nil.
func HeadersFrom(ctx context.Context) []Header { return protocol.HeadersFrom(ctx) }
