package runtime

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// readerTurn passes the turn to read from one goroutine of a session to the next (the leader/followers pattern). The leader reads. At most mostParked
// followers are parked and wait to become the leader.
//
// The number parked is the only state: a goroutine that increments it will receive from next, and one that decrements it must send. So each park is matched
// by exactly one send, and a send waits at most until a goroutine that was woken before has started to run.
type readerTurn struct {
	made   sync.Once    // makes next, which a session without calls never needs
	next   chan bool    // true makes a parked goroutine the leader; false ends it
	parked atomic.Int32 // goroutines that are parked and were not woken
}

// mostParked is two, because the goroutine that has answered a call is not parked yet when the peer has read the answer and sends the next call. With one, a
// third of the calls of such a peer would start a goroutine, whose stack has to grow. More would keep the memory of a burst.
const mostParked = 2

// pass makes a parked goroutine the leader. It reports false if no goroutine is parked.
func (t *readerTurn) pass() bool { return t.give(true) }

// dismiss ends the parked goroutines.
func (t *readerTurn) dismiss() {
	for t.give(false) {
	}
}

// give wakes a parked goroutine. It is counted off by the sender and not by the receiver, so another goroutine can park before the one that was woken has
// started to run.
func (t *readerTurn) give(turn bool) bool {
	for n := t.parked.Load(); n > 0; n = t.parked.Load() {
		if t.parked.CompareAndSwap(n, n-1) {
			t.next <- turn
			return true
		}
	}
	return false
}

// claim reports whether the caller has to park, and must then call wait. It reports false if enough goroutines are parked.
func (t *readerTurn) claim() bool {
	t.made.Do(func() { t.next = make(chan bool, mostParked) })
	for n := t.parked.Load(); n < mostParked; n = t.parked.Load() {
		if t.parked.CompareAndSwap(n, n+1) {
			return true
		}
	}
	return false
}

// wait blocks a parked caller. It reports whether the caller is the leader now; otherwise it has to end.
func (t *readerTurn) wait() bool { return <-t.next }

// restTime is how long a session keeps memory of the last call for the next one.
const restTime = 100 * time.Millisecond

// idleWatch detects that a session had no calls for restTime. One timer runs at a time and compares
// counters, because resetting a timer would slow down every call.
type idleWatch struct {
	uses    atomic.Uint32 // number of calls so far
	watched atomic.Bool   // a timer is running
}

// countCall counts a call, and starts the timer if none is running.
func (s *Session) countCall() {
	w := &s.idle
	w.uses.Add(1)
	if !w.watched.Load() && w.watched.CompareAndSwap(false, true) {
		s.restAfter(w.uses.Load())
	}
}

// restAfter lets the session rest if there are no calls within restTime. The argument since is the number of calls so far.
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

// rest frees what is kept for the next call: parked goroutines, tables and waiters. If the connection can interrupt a read, the reader is replaced too,
// since its stack has grown while it handled calls.
func (s *Session) rest() {
	s.turn.dismiss()
	s.inbound.rest()
	s.outgoing.rest()
	s.out.rest()
	if c, ok := s.conn.(frame.Interrupter); ok {
		c.Interrupt()
	}
}
