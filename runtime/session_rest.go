package runtime

import (
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// spareTime is how long a session keeps what the last call needed for the next one.
const spareTime = 100 * time.Millisecond

// used has the session rest when no more calls come.
func (s *Session) used() {
	s.uses.Add(1)
	if !s.watched.Load() && s.watched.CompareAndSwap(false, true) {
		s.restAfter(s.uses.Load())
	}
}

// restAfter has the session rest when there were no calls for a while: since is their number so far.
func (s *Session) restAfter(since uint32) {
	time.AfterFunc(spareTime, func() {
		if now := s.uses.Load(); now != since && s.ctx.Err() == nil {
			s.restAfter(now)
			return
		}
		s.watched.Store(false)
		s.rest()
	})
}

// rest gives back what is kept for the next call: the goroutine that waits for its turn, tables and waiters, and, where the
// connection lets go of the one that reads, the stack that it needed for calls.
func (s *Session) rest() {
	s.dismiss()
	s.mu.Lock()
	s.spare = nil
	if len(s.calls) == 0 {
		s.calls = nil
	}
	if len(s.pending) == 0 {
		s.pending = nil
	}
	s.mu.Unlock()
	if c, ok := s.conn.(frame.Interrupter); ok {
		c.Interrupt()
	}
}
