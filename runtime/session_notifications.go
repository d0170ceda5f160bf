package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// notificationQueue holds the notifications that wait until those before them are handled. JSON-RPC
// does not define an order, but a peer that sends two notifications expects them to take effect in
// that order. One goroutine at a time handles them; it ends when the queue is empty.
type notificationQueue struct {
	mu      sync.Mutex
	waiting []*Call
	active  bool          // a goroutine handles the queue
	room    chan struct{} // closed when there is room again; nil unless the reader waits for room
	added   atomic.Uint64 // number of notifications ever queued
	ordered atomic.Uint64 // value of added after the last ordered notification, see Hooks.Ordered
	handled uint64        // number of them that are handled
	running atomic.Uint64 // which of them is handled, from 1 on; 0 if none is
	settled chan struct{} // closed when another one is handled; nil if nothing waits
}

// add appends a notification to the queue. If the queue holds most notifications already, it
// returns a channel that is closed when there is room. The result first reports whether the caller
// has to start the goroutine that handles the queue.
func (q *notificationQueue) add(c *Call, most int, ordered bool) (first bool, full <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= most {
		if q.room == nil {
			q.room = make(chan struct{})
		}
		return false, q.room
	}
	q.waiting = append(q.waiting, c)
	added := q.added.Add(1)
	if ordered {
		q.ordered.Store(added)
	}
	first = !q.active
	q.active = true
	return first, nil
}

// next removes and returns the first notification. If the queue is empty, it returns nil and marks
// the goroutine as ended, in one step: a notification that is added later starts a new one.
func (q *notificationQueue) next() *Call {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.room != nil {
		close(q.room)
		q.room = nil
	}
	if len(q.waiting) == 0 {
		q.waiting, q.active = nil, false
		return nil
	}
	c := q.waiting[0]
	q.waiting[0] = nil
	q.waiting = q.waiting[1:]
	return c
}

// done notes that a notification was handled.
func (q *notificationQueue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running.Store(0)
	q.handled++
	if q.settled != nil {
		close(q.settled)
		q.settled = nil
	}
}

// precede reports whether the notification that is being handled, if any, was read before something that came after n of them.
func (q *notificationQueue) precede(n uint64) bool { return q.running.Load()-1 < n }

// count returns how many notifications were ever queued.
func (q *notificationQueue) count() uint64 { return q.added.Load() }

// reached returns nil if n notifications were handled, and otherwise a channel that is closed when
// another one is.
func (q *notificationQueue) reached(n uint64) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.handled >= n {
		return nil
	}
	if q.settled == nil {
		q.settled = make(chan struct{})
	}
	return q.settled
}

// wait waits until n notifications were handled, or ctx ends.
func (q *notificationQueue) wait(ctx context.Context, n uint64) bool {
	for settled := q.reached(n); settled != nil; settled = q.reached(n) {
		if ctx.Err() != nil {
			return false
		}
		select {
		case <-settled:
		case <-ctx.Done():
		}
	}
	return true
}

// queue queues a notification. If there is no room, the reader waits for it, which slows the peer
// down. After Options.StallTimeout the notification is dropped, because responses to own calls are
// read by the same goroutine and must not be blocked for ever.
func (s *Session) queue(c *Call) {
	ordered := s.d.hooks.Ordered != nil && s.d.hooks.Ordered(c.env.Method)
	for full := s.held.Take(cap(c.msg)); full != nil; full = s.held.Take(cap(c.msg)) {
		if !waitForRoom(s.ctx, full, s.d.opts.StallTimeout) {
			s.d.peerLog.Warn("a notification was dropped: messages take too much memory", "method", c.env.Method)
			c.release()
			return
		}
	}
	c.held = &s.held
	first, full := s.notifications.add(c, s.d.opts.MaxNotifications, ordered)
	for full != nil {
		if !waitForRoom(s.ctx, full, s.d.opts.StallTimeout) {
			s.d.peerLog.Warn("a notification was dropped: the queue is full", "method", c.env.Method)
			c.release()
			return
		}
		first, full = s.notifications.add(c, s.d.opts.MaxNotifications, ordered)
	}
	if first {
		s.life.hold()
		go s.handleNotifications()
	}
}

// waitForRoom waits until room is closed, because there may be room again. It reports false after
// the time patience and at the end of ctx.
func waitForRoom(ctx context.Context, room <-chan struct{}, patience time.Duration) bool {
	stall := time.NewTimer(patience)
	defer stall.Stop()
	select {
	case <-room:
		return true
	case <-ctx.Done():
	case <-stall.C:
	}
	return false
}

// handleNotifications handles notifications until the queue is empty. If a handler ends the
// goroutine with [runtime.Goexit], a new goroutine continues.
func (s *Session) handleNotifications() {
	finished := false
	defer func() {
		if !finished {
			go s.handleNotifications()
		}
	}()
	for c := s.notifications.next(); c != nil; c = s.notifications.next() {
		s.notify(c)
	}
	finished = true
	s.leave()
}

// notify runs the handler of a notification. Its context has no session, which is how Settle
// recognizes it.
func (s *Session) notify(c *Call) {
	ctx := &callContext{Context: s.ctx, peer: s, method: methodOf(&c.env, c.msg)}
	s.notifications.running.Store(s.notifications.handled + 1) // only this goroutine counts them
	defer s.notifications.done()
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
	s.exited(c)
}

// Settle waits until the notifications that arrived so far are handled, or until ctx ends, and reports whether they are handled. A client
// calls it after a response, so that notifications sent before the response have taken effect.
// Within the handler of a notification it returns true at once, because it would wait for itself.
func (s *Session) Settle(ctx context.Context) bool {
	if c := callFrom(ctx); c != nil && c.s == nil {
		return true
	}
	return s.notifications.wait(ctx, s.notifications.count())
}
