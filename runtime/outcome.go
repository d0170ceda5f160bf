package runtime

import (
	"context"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
)

// record fills the outcome, if the transport wants one: see WithOutcome of package transport.
func (c *Call) record(o ErrorObject) { recordIn(c.dispatched, o) }

// recordIn tells the transport that asks for it, by the context of Dispatch, that o was answered.
func recordIn(ctx context.Context, o ErrorObject) {
	if ctx == nil {
		return
	}
	if outcome, ok := ctx.Value(contextkey.Answered{}).(*contextkey.Outcome); ok {
		*outcome = contextkey.Outcome{Failed: true, Code: o.Code, HTTPStatus: o.HTTPStatus}
	}
}

// recordRetry adds to the outcome how long the peer should wait.
func (c *Call) recordRetry(wait time.Duration) {
	if c.dispatched == nil {
		return
	}
	if outcome, ok := c.dispatched.Value(contextkey.Answered{}).(*contextkey.Outcome); ok && outcome.Failed {
		outcome.RetryAfter = wait
	}
}
