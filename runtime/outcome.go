package runtime

import "context"

// Outcome tells a transport how a message was answered, so that it can choose its own status for it.
type Outcome struct {
	Failed     bool  // the answer is an error
	Code       int64 // of the error
	HTTPStatus int   // what the error asks for; 0: the transport's choice
}

// WithOutcome returns a context with which [Dispatcher.Dispatch] fills o, when it answers a single message with an error.
func WithOutcome(ctx context.Context, o *Outcome) context.Context {
	return context.WithValue(ctx, outcomeKey{}, o)
}

type outcomeKey struct{}

// record fills the outcome, when somebody asked for it.
func (c *Call) record(o ErrorObject) {
	if c.dispatched == nil {
		return
	}
	if outcome, ok := c.dispatched.Value(outcomeKey{}).(*Outcome); ok {
		*outcome = Outcome{Failed: true, Code: o.Code, HTTPStatus: o.HTTPStatus}
	}
}
