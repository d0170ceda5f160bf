package mcpclient

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

type renewKey struct{}

// renews reports whether err means that the session has ended and a new one may be begun to repeat
// the request.
func (c *Client) renews(ctx context.Context, q *outgoing, err error) bool {
	return errors.Is(err, ErrSessionOver) && q.method != "initialize" && ctx.Value(renewKey{}) == nil && c.Era() == mcp.Handshake
}

// renew begins a new session on the same connection and restores its subscriptions, unless another
// goroutine has done so since rev was loaded.
func (c *Client) renew(ctx context.Context, rev *negotiated) error {
	c.renewing.Lock()
	defer c.renewing.Unlock()
	if c.negotiated.Load() != rev {
		return nil
	}
	ctx = context.WithValue(ctx, renewKey{}, true)
	if err := c.handshake(ctx); err != nil {
		return err
	}
	for _, uri := range c.subscriptions.resources() {
		if _, err := c.do(ctx, subscription("resources/subscribe", uri)); err != nil {
			return err
		}
	}
	return nil
}
