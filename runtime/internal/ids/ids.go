// Package ids numbers the requests of connections.
//
//test:by ./runtime/x/reconnect
//test:by ./runtime/internal/web
package ids

import (
	"context"
	"sync"
	"sync/atomic"
)

// Bound is the bound of ids. Every integer below it is exact in 64 bits, and counting never reaches it in practice.
const Bound = 1 << 60

// Counter numbers requests. The zero Counter begins at 1. It is safe for concurrent use.
type Counter struct{ last atomic.Int64 }

// Next reserves n consecutive ids and returns the first one. It reports false if the ids are used up.
func (c *Counter) Next(n int) (first int64, ok bool) {
	for {
		last := c.last.Load()
		if int64(n) >= Bound-last {
			return 0, false
		}
		if c.last.CompareAndSwap(last, last+int64(n)) {
			return last + 1, true
		}
	}
}

// Last returns the last id that was reserved, or 0.
func (c *Counter) Last() int64 { return c.last.Load() }

// Reserved reports whether an id was reserved. A late response to a cancelled call is normal; a response to an id that was never used is a fault of the peer.
func (c *Counter) Reserved(id int64) bool { return 0 < id && id <= c.Last() }

// Set makes last the last id that was reserved.
func (c *Counter) Set(last int64) { c.last.Store(last) }

// Source is a counter that several sessions share, so that a request can go over any of them: its id then belongs to no other request.
type Source struct {
	Counter
	watched atomic.Bool
	users   sync.Map // sessions that were made while Watch ran
}

type key struct{}

// Share returns a context for sessions that take their ids from c. If c is nil, the sessions count for themselves.
func Share(ctx context.Context, c *Source) context.Context { return context.WithValue(ctx, key{}, c) }

// From returns the counter for a session that is made with ctx, or nil if the session counts for itself.
func From(ctx context.Context, session any) *Source {
	c, _ := ctx.Value(key{}).(*Source)
	if c != nil && c.watched.Load() {
		c.users.Store(session, nil)
	}
	return c
}

// Watch runs f, which makes a session, and reports whether the session takes its ids from c. Calls must not overlap.
func (c *Source) Watch(f func() any) (shares bool) {
	c.watched.Store(true)
	session := f()
	c.watched.Store(false)
	_, shares = c.users.Load(session)
	c.users.Clear()
	return shares
}
