package protocol

import "context"

// Header is a header field that a client sends with a message over HTTP, for those on the way who do not read the message
// (basic/transports/streamable-http, Request Metadata).
type Header struct {
	Name  string // MCP-Protocol-Version, Mcp-Method, Mcp-Name, or Mcp-Param- and what the schema of a tool says
	Value string // as it is in the message; the transport encodes it
}

// WithHeaders returns the context of a message that is sent with headers, where the transport has such.
func WithHeaders(ctx context.Context, headers []Header) context.Context {
	return context.WithValue(ctx, HeadersKey{}, headers)
}

// HeadersKey is the key of a context that has headers. A context of another type may make them when it is asked for the key.
type HeadersKey struct{}

// HeadersFrom returns the headers that the message is sent with whose context ctx is.
func HeadersFrom(ctx context.Context) []Header {
	headers, _ := ctx.Value(HeadersKey{}).([]Header)
	return headers
}
