package runtime

import (
	"context"

	"github.com/rpcgen-go/rpcgen/runtime/internal/inorder"
)

// queue queues a notification, see [inorder.Queue.Add].
func (s *Session) queue(c *Call) {
	o, hooks := &s.d.opts, &s.d.hooks
	item := inorder.Item[*Call]{Value: c, Method: c.env.Method, Size: cap(c.msg), Ordered: hooks.Ordered != nil && hooks.Ordered(c.env.Method)}
	if hooks.Latest != nil && hooks.Latest(c.env.Method) {
		item.Text = c.msg
	}
	c.held = &s.held
	first, ok := s.notifications.Add(s.ctx, item, inorder.Limits{Most: o.MaxNotifications, Held: &s.held, Patience: o.StallTimeout, Log: s.d.peerLog})
	if !ok {
		c.held = nil
		c.release()
	}
	if first {
		s.life.hold()
		go s.notifications.Handle(s.notify, s.leave)
	}
}

// notify runs the handler of a notification. Its context has no session, which is how Settle recognizes it.
func (s *Session) notify(c *Call) {
	ctx := &callContext{Context: s.ctx, peer: s, method: methodOf(&c.env, c.msg)}
	defer func() {
		ctx.end()
		if len(c.dst) > 0 {
			s.send(c.dst)
		}
		c.release()
	}()
	if f := s.watches.find(c); f != nil {
		watch(ctx, c, f)
		return
	}
	s.d.run(ctx, c)
	s.exitIfAsked(c)
}

// Settle waits until the notifications that arrived so far are handled, or until ctx ends, and reports whether they are handled. A client
// calls it after a response, so that notifications sent before the response have taken effect.
// Within the handler of a notification it returns true at once, because it would wait for itself.
func (s *Session) Settle(ctx context.Context) bool {
	if c := callFrom(ctx); c != nil && c.s == nil {
		return true
	}
	return s.notifications.Wait(ctx, s.notifications.Count())
}
