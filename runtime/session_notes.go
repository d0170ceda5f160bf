package runtime

import (
	"context"
	"sync"
	"time"
)

// noteQueue holds notifications until those before them are handled.
type noteQueue struct {
	mu      sync.Mutex
	waiting []*Call
	active  bool          // a goroutine handles them
	room    chan struct{} // closed when there is room again; nil: the reader does not wait for it
	added   uint64        // how many notifications were put into the queue
	handled uint64        // how many of them are handled
	settled chan struct{} // closed when another one is handled; nil: nothing waits for that
}

// add puts a notification into the queue when fewer than most are in it; otherwise full is closed when there is room. first reports
// whether a goroutine has to begin to handle notifications.
func (q *noteQueue) add(c *Call, most int) (first bool, full <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) >= most {
		if q.room == nil {
			q.room = make(chan struct{})
		}
		return false, q.room
	}
	q.waiting = append(q.waiting, c)
	q.added++
	first = !q.active
	q.active = true
	return first, nil
}

// next takes the first notification, or nil at the end of the queue.
func (q *noteQueue) next() *Call {
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

// done notes that a notification is handled.
func (q *noteQueue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.handled++
	if q.settled != nil {
		close(q.settled)
		q.settled = nil
	}
}

// count returns how many notifications were put into the queue.
func (q *noteQueue) count() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.added
}

// reached returns nil when n notifications are handled, and otherwise a channel that is closed when another one is.
func (q *noteQueue) reached(n uint64) <-chan struct{} {
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

// note queues a notification after those before it. The reader waits for room as long as Options.StallTimeout.
func (s *Session) note(c *Call) {
	first, full := s.notes.add(c, s.d.opts.MaxNotifications)
	for full != nil {
		if !s.waitForRoom(full) {
			s.d.peerLog.Warn("a notification was dropped: those before it take too long", "method", c.env.method)
			c.release()
			return
		}
		first, full = s.notes.add(c, s.d.opts.MaxNotifications)
	}
	if first {
		s.life.hold()
		go s.handleNotes()
	}
}

// waitForRoom waits until a notification was taken from the queue.
func (s *Session) waitForRoom(room <-chan struct{}) bool {
	stall := time.NewTimer(s.d.opts.StallTimeout)
	defer stall.Stop()
	select {
	case <-room:
		return true
	case <-s.ctx.Done():
	case <-stall.C:
	}
	return false
}

// handleNotes handles notifications until none is left. A handler that ends its goroutine does not end that.
func (s *Session) handleNotes() {
	finished := false
	defer func() {
		if !finished {
			go s.handleNotes()
		}
	}()
	for c := s.notes.next(); c != nil; c = s.notes.next() {
		s.notify(c)
	}
	finished = true
	s.leave()
}

// notify runs the handler of a notification.
func (s *Session) notify(c *Call) {
	ctx := &callContext{Context: s.ctx, peer: s, method: c.env.method}
	defer s.notes.done()
	defer func() {
		ctx.end()
		if len(c.dst) > 0 {
			s.send(c.dst)
		}
		c.release()
	}()
	s.d.run(ctx, c)
}

// Settle waits until the notifications are handled that have come before, such as those before a response; or until ctx ends. Within the
// handler of a notification it returns at once.
func (s *Session) Settle(ctx context.Context) {
	if c := callFrom(ctx); c != nil && c.s == nil {
		return
	}
	last := s.notes.count()
	for settled := s.notes.reached(last); settled != nil && ctx.Err() == nil; settled = s.notes.reached(last) {
		select {
		case <-settled:
		case <-ctx.Done():
		}
	}
}
