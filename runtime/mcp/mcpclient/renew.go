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
// goroutine has done so since rev was loaded; if rev is nil, only if that has failed the last time. Updates may have been missed in between, so all
// resources that are subscribed to count as updated.
func (c *Client) renew(ctx context.Context, rev *negotiated) error {
	ctx = context.WithValue(ctx, renewKey{}, true)
	restored, err := c.begin(ctx, rev)
	if updated := c.opts.OnResourceUpdated; updated != nil {
		for _, uri := range restored {
			updated(ctx, uri)
		}
	}
	return err
}

// begin is renew without the updates. It returns the resources that are subscribed to again.
func (c *Client) begin(ctx context.Context, rev *negotiated) (restored []string, err error) {
	c.renewing.Lock()
	defer c.renewing.Unlock()
	if failed := c.unfinished.Swap(false); c.negotiated.Load() != rev && !failed {
		return nil, nil
	}
	defer func() { c.unfinished.Store(err != nil) }()
	if err := c.handshake(ctx); err != nil {
		return nil, err
	}
	for _, uri := range c.subscriptions.resources() {
		if _, err := c.do(ctx, subscription("resources/subscribe", uri)); err != nil {
			return restored, err
		}
		restored = append(restored, uri)
	}
	return restored, nil
}
