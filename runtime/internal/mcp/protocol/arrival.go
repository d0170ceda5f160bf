package protocol

import "context"

// HTTPHeaders are the header fields of an HTTP request; package mirror implements it. Names are not
// case-sensitive.
type HTTPHeaders interface {
	Get(name string) string
	Values(name string) []string

	// Differs returns how a header that must occur exactly once differs from the value in the message, and "" if it does not.
	Differs(name, want string) string

	// DiffersEncoded is Differs for a header that may be encoded, and that may write an integer in another way.
	DiffersEncoded(name, want string, integer bool) string
}

// WithHTTP returns a context for a message that arrived in an HTTP request with the headers h. The
// values that a stateless request mirrors into headers are compared with them
// (basic/transports/streamable-http, Server Validation).
func WithHTTP(ctx context.Context, h HTTPHeaders) context.Context {
	return context.WithValue(ctx, httpKey{}, h)
}

// WithHTTPBatch is WithHTTP for a batch, whose headers mirror the revision only.
func WithHTTPBatch(ctx context.Context, h HTTPHeaders) context.Context {
	return context.WithValue(WithHTTP(ctx, h), batchKey{}, true)
}

// IsHTTPBatch reports whether a message arrived in a batch over HTTP.
func IsHTTPBatch(ctx context.Context) bool { return ctx.Value(batchKey{}) != nil }

type (
	httpKey  struct{}
	batchKey struct{}
)

// HTTPFrom returns the headers, or nil for a message that did not arrive over HTTP.
func HTTPFrom(ctx context.Context) HTTPHeaders {
	h, _ := ctx.Value(httpKey{}).(HTTPHeaders)
	return h
}
