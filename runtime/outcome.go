package runtime

import (
	"context"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
)

// recordIn fills the outcome with the error o that was answered, if the context of Dispatch asks for
// one: see WithOutcome of package transport.
func recordIn(ctx context.Context, o ErrorObject) {
	if ctx == nil {
		return
	}
	if outcome, ok := ctx.Value(contextkey.Outcomes{}).(*contextkey.Outcome); ok {
		*outcome = contextkey.Outcome{Failed: true, Code: o.Code, HTTPStatus: o.HTTPStatus}
	}
}

// record adds to the outcome how long the peer should wait, and the scopes that its call needs: they are those of the first answer, which counts.
func (c *Call) record(wait time.Duration, scope string) {
	if c.dispatched == nil {
		return
	}
	if outcome, ok := c.dispatched.Value(contextkey.Outcomes{}).(*contextkey.Outcome); ok && outcome.Failed && outcome.Scope == "" {
		outcome.RetryAfter, outcome.Scope = wait, scope
	}
}
