// Package principal carries the identity of an authenticated peer in a context: transports put it there, and handlers and limits ask for it.
package principal

import "context"

// With returns a context for messages of the principal with that id, such as the subject of a token or of a certificate. An empty id is
// none.
func With(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, key{}, id)
}

// From returns the id of the principal whose message is handled; empty when there is none.
func From(ctx context.Context) string {
	id, _ := ctx.Value(key{}).(string)
	return id
}

type key struct{}
