package runtime

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// readerTurn passes the turn to read from one goroutine of a session to the next (the
// leader/followers pattern). The leader reads. At most one follower is parked and waits to become
// the leader.
//
// The flag parked is the only state: the goroutine that sets it will receive from next, and the one
// that clears it must send. So each park is matched by exactly one send, and a send waits at most
// until a goroutine that was woken before has started to run.
type readerTurn struct {
	made   sync.Once   // makes next, which a session without calls never needs
	next   chan bool   // true makes the parked goroutine the leader; false ends it
	parked atomic.Bool // a goroutine is parked and was not woken
}

// pass makes the parked goroutine the leader. It reports false if no goroutine is parked.
func (t *readerTurn) pass() bool { return t.give(true) }

// dismiss ends the parked goroutine, if there is one.
func (t *readerTurn) dismiss() { t.give(false) }

// give wakes the parked goroutine. The flag is cleared by the sender and not by the receiver, so
// another goroutine can park before the one that was woken has started to run.
func (t *readerTurn) give(turn bool) bool {
	if !t.parked.CompareAndSwap(true, false) {
		return false
	}
	t.next <- turn
	return true
}

// claim reports whether the caller has to park, and must then call wait. It reports false if
// another goroutine is parked.
func (t *readerTurn) claim() bool {
	t.made.Do(func() { t.next = make(chan bool, 1) })
	return t.parked.CompareAndSwap(false, true)
}

// wait blocks the parked caller. It reports whether the caller is the leader now; otherwise it has
// to end.
func (t *readerTurn) wait() bool { return <-t.next }

// restTime is how long a session keeps memory of the last call for the next one.
const restTime = 100 * time.Millisecond

// idleWatch detects that a session had no calls for restTime. One timer runs at a time and compares
// counters, because resetting a timer would slow down every call.
type idleWatch struct {
	uses    atomic.Uint32 // number of calls so far
	watched atomic.Bool   // a timer is running
}

// used counts a call, and starts the timer if none is running.
func (s *Session) used() {
	w := &s.idle
	w.uses.Add(1)
	if !w.watched.Load() && w.watched.CompareAndSwap(false, true) {
		s.restAfter(w.uses.Load())
	}
}

// restAfter lets the session rest if there are no calls within restTime. The argument since is the
// number of calls so far.
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

// rest frees what is kept for the next call: the parked goroutine, tables and waiters. If the
// connection can interrupt a read, the reader is replaced too, since its stack has grown while it
// handled calls.
func (s *Session) rest() {
	s.turn.dismiss()
	s.inbound.rest()
	s.outgoing.rest()
	s.out.rest()
	if c, ok := s.conn.(frame.Interrupter); ok {
		c.Interrupt()
	}
}
