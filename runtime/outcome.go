package runtime

import (
	"context"
	"time"
)

// Outcome describes the answer to a message for a transport that has a status of its own, such as
// HTTP. The zero value means success.
type Outcome struct {
	Failed     bool  // the answer is an error
	Code       int64 // code of the error
	HTTPStatus int   // status that the error declares; 0 lets the transport choose

	RetryAfter time.Duration // how long the peer should wait before it tries again; 0 means unknown
}

// WithOutcome returns a context for [Dispatcher.Dispatch] that makes it fill o if it answers a
// single message with an error. The answers of a batch are not recorded.
func WithOutcome(ctx context.Context, o *Outcome) context.Context {
	return context.WithValue(ctx, outcomeKey{}, o)
}

type outcomeKey struct{}

// record fills the outcome, if the transport asked for one.
func (c *Call) record(o ErrorObject) {
	if c.dispatched == nil {
		return
	}
	if outcome, ok := c.dispatched.Value(outcomeKey{}).(*Outcome); ok {
		*outcome = Outcome{Failed: true, Code: o.Code, HTTPStatus: o.HTTPStatus}
	}
}

// recordRetry adds to the outcome how long the peer should wait.
func (c *Call) recordRetry(wait time.Duration) {
	if c.dispatched == nil {
		return
	}
	if outcome, ok := c.dispatched.Value(outcomeKey{}).(*Outcome); ok && outcome.Failed {
		outcome.RetryAfter = wait
	}
}
