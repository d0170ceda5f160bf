// Package principal carries the identity of an authenticated peer in a context. Transports set it;
// handlers and limits use it.
//
//test:by ./runtime/internal/web
//test:by ./runtime/x/ratelimit
package principal

import "context"

// With returns a context for messages of the principal with the given id, such as the subject of a
// token or certificate. An empty id means none.
func With(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, key{}, id)
}

// From returns the id of the principal whose message is handled. It is empty if there is none.
func From(ctx context.Context) string {
	id, _ := ctx.Value(key{}).(string)
	return id
}

type key struct{}

// WithAddress returns a context for messages of a client without a principal, which limits tell apart by its address. An empty
// address means that it is unknown.
func WithAddress(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// Address returns the address of the client whose message is handled, or another name that its transport knows it by. It is empty if
// the client has a principal, if no limit needs it, or if messages arrive over a connection of their own.
func Address(ctx context.Context) string {
	address, _ := ctx.Value(addressKey{}).(string)
	return address
}

type addressKey struct{}
