package mcpclient

import (
	"context"
	"errors"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

type renewKey struct{}

// renews reports whether err means that the session has ended and a new one may be begun to repeat the request.
func (c *Client) renews(ctx context.Context, q *outgoing, err error) bool {
	return errors.Is(err, ErrSessionOver) && q.method != "initialize" && ctx.Value(renewKey{}) == nil && c.Era() == mcp.Handshake
}

// renew begins a new session on the same connection and restores its subscriptions, unless another goroutine has done so since rev was loaded; if rev is nil,
// only if that has failed the last time. Updates may have been missed in between, so all that is subscribed to counts as changed.
func (c *Client) renew(ctx context.Context, rev *negotiation) error {
	ctx = context.WithValue(ctx, renewKey{}, true)
	restored, err := c.begin(ctx, rev)
	for _, list := range restored.lists() {
		c.listChanged(ctx, list)
	}
	if updated := c.opts.OnResourceUpdated; updated != nil {
		for _, uri := range restored.URIs {
			updated(ctx, uri)
		}
	}
	return err
}

// begin is renew without the updates. It returns what is subscribed to again.
func (c *Client) begin(ctx context.Context, rev *negotiation) (restored Changes, err error) {
	c.renewing.Lock()
	defer c.renewing.Unlock()
	if failed := c.unfinished.Swap(false); c.negotiated.Load() != rev && !failed {
		return restored, nil
	}
	defer func() { c.unfinished.Store(err != nil) }()
	if err := c.handshake(ctx); err != nil {
		return restored, err
	}
	wanted := c.subscriptions.changes()
	restored = Changes{Tools: wanted.Tools, Prompts: wanted.Prompts, Resources: wanted.Resources}
	for _, uri := range wanted.URIs {
		if _, err := c.do(ctx, resourceRequest("resources/subscribe", uri)); err != nil {
			return restored, err
		}
		restored.URIs = append(restored.URIs, uri)
	}
	return restored, nil
}

// SessionOver implements [protocol.SessionWatcher]: a client that only listens has no call that would begin a new session. Its subscriptions end if none
// can be begun.
func (h *inbound) SessionOver() {
	c := h.client
	rev := c.negotiated.Load()
	c.life.start(func() {
		err, wait := error(ErrSessionOver), time.Second
		for try := 0; try < 5 && err != nil && c.subscriptions.watching(); try++ {
			if err = c.renew(c.life.ctx, rev); err == nil {
				return
			}
			select {
			case <-time.After(wait << try):
			case <-c.life.ctx.Done():
				return
			}
		}
		c.subscriptions.end(err)
	})
}
