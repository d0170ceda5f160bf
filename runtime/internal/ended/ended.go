// Package ended lets a transport learn of the end of its sessions without a goroutine that waits for it.
//
//test:by ./runtime
//test:by ./runtime/transport/tcp
package ended

import "context"

type key struct{}

// Notify returns a context for one session, which calls f with its error when it has ended, in a goroutine of its own.
func Notify(ctx context.Context, f func(error)) context.Context {
	return context.WithValue(ctx, key{}, f)
}

// From returns the function of the session that is made with ctx, or nil.
func From(ctx context.Context) func(error) {
	f, _ := ctx.Value(key{}).(func(error))
	return f
}
