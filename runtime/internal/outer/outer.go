// Package outer lets packages of this module find the context of a call where a context hides what is in it from other code.
//
//test:by ./runtime/x/backend
package outer

import "context"

type key struct{}

// From returns the context that a hiding one is made of, or the context itself if it hides nothing.
func From(ctx context.Context) context.Context {
	if whole, ok := ctx.Value(key{}).(context.Context); ok {
		return whole
	}
	return ctx
}

// Asks reports whether a key asks for the context that is hidden.
func Asks(k any) bool { return k == key{} }

// Passing is an error that reaches the caller of a handler as it is, such as that of a question which the client has to answer first.
type Passing struct{ Err error }

func (e *Passing) Error() string { return e.Err.Error() }
func (e *Passing) Unwrap() error { return e.Err }
