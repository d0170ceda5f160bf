package protocol

import "context"

// Header is a header field that a client sends with a message over HTTP, for intermediaries that do
// not parse the message (basic/transports/streamable-http, Request Metadata).
type Header struct {
	// MCP-Protocol-Version, Mcp-Method, Mcp-Name, or Mcp-Param- followed by the name in the schema
	// of a tool
	Name string
	// as in the message; the transport encodes it
	Value string
}

// WithHeaders returns the context for sending a message with headers. Transports without headers
// ignore them.
func WithHeaders(ctx context.Context, headers []Header) context.Context {
	return context.WithValue(ctx, HeadersKey{}, headers)
}

// HeadersKey is the key of a context that has headers. A context of another type may make them when
// the key is looked up.
type HeadersKey struct{}

// HeadersFrom returns the headers for the message that is sent with ctx.
func HeadersFrom(ctx context.Context) []Header {
	headers, _ := ctx.Value(HeadersKey{}).([]Header)
	return headers
}
