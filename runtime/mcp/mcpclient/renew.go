package mcpclient

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

type renewKey struct{}

// renews reports whether err says that the session is over, when another may be begun for a request.
func (c *Client) renews(ctx context.Context, q *ask, err error) bool {
	return errors.Is(err, ErrSessionOver) && q.method != "initialize" && ctx.Value(renewKey{}) == nil && c.Era() == mcp.Handshake
}

// renew begins another session over the same connection, in which the same is watched, unless somebody has done so since said.
func (c *Client) renew(ctx context.Context, said *speech) error {
	c.renewing.Lock()
	defer c.renewing.Unlock()
	if c.speaks.Load() != said {
		return nil
	}
	ctx = context.WithValue(ctx, renewKey{}, true)
	if err := c.shake(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	uris := slices.Sorted(maps.Keys(c.watched))
	c.mu.Unlock()
	for _, uri := range uris {
		if _, err := c.do(ctx, subscribeAsk("resources/subscribe", uri)); err != nil {
			return err
		}
	}
	return nil
}
