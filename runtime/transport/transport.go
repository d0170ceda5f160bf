// Package transport is for transports that pass messages to a [runtime.Dispatcher]: the context of a
// message says where it comes from, and receives what the transport needs to know of the answer.
// Transports that hold a connection have a [runtime.Session] instead, and need nothing of this.
//
//test:by ./runtime/x/ratelimit
//test:by ./runtime/internal/web
package transport

import (
	"context"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
)

// WithPeer returns a context in which [runtime.PeerFrom] returns peer. It is for transports that pass
// messages to a [runtime.Dispatcher], and for calls whose way back is not the session they arrived on.
func WithPeer(ctx context.Context, peer runtime.Conn) context.Context {
	return context.WithValue(ctx, contextkey.Peer{}, peer)
}

// Outcome describes the answer to a message for a transport that has a status of its own, such as
// HTTP. The zero value means success.
type Outcome struct {
	Failed     bool  // the answer is an error
	Code       int64 // code of the error
	HTTPStatus int   // status that the error declares; 0 lets the transport choose

	RetryAfter time.Duration // how long the peer should wait before it tries again; 0 means unknown
	Scope      string        // scopes that the call needs and its principal lacks in part, separated by spaces; empty for other errors
}

// WithOutcome returns a context for [runtime.Dispatcher.Dispatch] that makes it fill o if it answers a
// single message with an error. The answers of a batch are not recorded.
func WithOutcome(ctx context.Context, o *Outcome) context.Context {
	return context.WithValue(ctx, contextkey.Outcomes{}, (*contextkey.Outcome)(o))
}

// WithLate returns a context for [runtime.Dispatcher.Dispatch] that makes it call f with the answer when
// the timeouts of the message have passed while handlers still run. It then returns when these have
// ended, without an answer. A transport that has no use for that goroutine meanwhile asks
// [runtime.Dispatcher.Deadlines] first whether there may be timeouts. The function f is called once at
// most, by another goroutine, and Dispatch waits for it.
func WithLate(ctx context.Context, f func(answer []byte, o Outcome)) context.Context {
	return context.WithValue(ctx, contextkey.Late{}, func(answer []byte, o contextkey.Outcome) { f(answer, Outcome(o)) })
}
