package runtime

import (
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
)

// record fills the outcome, if the transport wants one: see WithOutcome of package transport.
func (c *Call) record(o ErrorObject) {
	if c.dispatched == nil {
		return
	}
	if outcome, ok := c.dispatched.Value(contextkey.Answered{}).(*contextkey.Outcome); ok {
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
