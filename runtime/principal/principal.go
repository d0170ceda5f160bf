// Package principal carries the identity of an authenticated peer in a context. Transports set it;
// handlers and limits use it.
//
//test:by ./runtime/internal/web
//test:by ./runtime/x/ratelimit
package principal

import "context"

// With returns a context for messages of the principal with the given id, such as the subject of a
// token or certificate. An empty id means none. It has no scopes, see [WithScopes].
func With(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, key{}, identity{id: id})
}

// From returns the id of the principal whose message is handled. It is empty if there is none.
func From(ctx context.Context) string { return of(ctx).id }

// WithScopes returns a context in which the principal of ctx has the scopes, and no others. The methods and tools for which the
// schema names scopes are called only by those who have them. There may be no principal: a program gives its user the scopes
// that calls over the standard streams need.
func WithScopes(ctx context.Context, scopes ...string) context.Context {
	return context.WithValue(ctx, key{}, identity{From(ctx), scopes})
}

// Scopes returns the scopes of the principal whose message is handled. The caller must not change them.
func Scopes(ctx context.Context) []string { return of(ctx).scopes }

// identity is a principal.
type identity struct {
	id     string
	scopes []string
}

func of(ctx context.Context) identity {
	who, _ := ctx.Value(key{}).(identity)
	return who
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
