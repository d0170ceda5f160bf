package runtime

import (
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// readerTurn passes the turn to read from one goroutine of a session to the next: the leader reads, and at most one follower is parked,
// which waits to be the leader (the leader/followers pattern).
type readerTurn struct {
	next   chan bool   // makes the parked goroutine the leader; false ends it
	parked atomic.Bool // a goroutine is parked, and nobody has given it the turn
}

// pass makes the parked goroutine the leader. It reports false when none is parked.
func (t *readerTurn) pass() bool { return t.give(true) }

// dismiss ends the parked goroutine.
func (t *readerTurn) dismiss() { t.give(false) }

// give gives the parked goroutine the turn. Who takes parked back gives it, so a goroutine that was called but has not woken up yet keeps
// no other from parking.
func (t *readerTurn) give(turn bool) bool {
	if !t.parked.CompareAndSwap(true, false) {
		return false
	}
	t.next <- turn
	return true
}

// claim reports whether the caller is to park: wait for its turn. Otherwise another goroutine is parked.
func (t *readerTurn) claim() bool { return t.parked.CompareAndSwap(false, true) }

// wait returns whether the parked caller is the leader now; otherwise it is to end.
func (t *readerTurn) wait() bool { return <-t.next }

// restTime is how long a session keeps what the last call needed for the next one.
const restTime = 100 * time.Millisecond

// idleWatch finds out when a session has had no calls for restTime.
type idleWatch struct {
	uses    atomic.Uint32 // how many calls there were
	watched atomic.Bool   // a timer sees whether there are more
}

// used has the session rest when no more calls come.
func (s *Session) used() {
	w := &s.idle
	w.uses.Add(1)
	if !w.watched.Load() && w.watched.CompareAndSwap(false, true) {
		s.restAfter(w.uses.Load())
	}
}

// restAfter has the session rest when there were no calls for a while: since is their number so far.
func (s *Session) restAfter(since uint32) {
	time.AfterFunc(restTime, func() {
		if now := s.idle.uses.Load(); now != since && s.ctx.Err() == nil {
			s.restAfter(now)
			return
		}
		s.idle.watched.Store(false)
		s.rest()
	})
}

// rest gives back what is kept for the next call: the parked goroutine, tables and waiters, and, where the connection can interrupt a
// read, the stack that the reader needed for calls.
func (s *Session) rest() {
	s.turn.dismiss()
	s.inbound.rest()
	s.outgoing.rest()
	if c, ok := s.conn.(frame.Interrupter); ok {
		c.Interrupt()
	}
}
