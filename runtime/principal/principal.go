// Package principal carries the identity of an authenticated peer in a context. Transports set it;
// handlers and limits use it.
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
