package runtime

import (
	"sync"
	"sync/atomic"
	"time"
)

// lifecycle is how far a session is on its way to its end. Nothing more is accepted when it is stopping; it closes the connection when
// it is stopping or the input has ended and nothing runs any more; and it is over when the connection is closed, the reader has ended
// and nothing runs, or when handlers do not return in time.
//
// Calls come and go without the lock as long as the end has not begun. What begins it sets ending before it looks at running, and
// what leaves counts running down before it looks at ending: one of the two finds what is left to be done.
type lifecycle struct {
	running atomic.Int64 // goroutines other than the reader, and calls; the end waits for them
	ending  atomic.Bool  // stopping, closed, or the input has ended

	mu       sync.Mutex
	input    bool        // the reader reads
	stopping bool        // no new calls are accepted
	closed   bool        // the connection is closed, or about to be
	over     bool        // done is closed
	err      error       // what the session ended with
	unhook   func() bool // stops watching the context that the session was made with; nil: it is not watched
	timer    *time.Timer // the next end of patience; nil: none

	done chan struct{}
}

// watch keeps what stops watching the context that the session was made with.
func (l *lifecycle) watch(unhook func() bool) {
	l.mu.Lock()
	l.unhook = unhook
	l.mu.Unlock()
}

// enter counts a call that the end of the session has to wait for. It reports false when no more calls are accepted; due reports then
// whether the connection is to be closed.
func (l *lifecycle) enter() (ok, due bool) {
	l.running.Add(1)
	if l.ending.Load() && l.isStopping() {
		return false, l.leave()
	}
	return true, false
}

func (l *lifecycle) isStopping() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopping
}

// hold counts a goroutine that the end of the session has to wait for.
func (l *lifecycle) hold() { l.running.Add(1) }

// leave is the end of what enter or hold began. It reports whether the connection is to be closed.
func (l *lifecycle) leave() (due bool) {
	if l.running.Add(-1) > 0 || !l.ending.Load() {
		return false
	}
	return l.settle()
}

// stop accepts no more calls. It reports whether the connection is to be closed.
func (l *lifecycle) stop() (due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopping = true
	l.ending.Store(true)
	return l.dueLocked()
}

// abort is stop because of cause. The session calls closing after d, unless the connection is closed before.
func (l *lifecycle) abort(cause error, d time.Duration, closing func()) (due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil && !l.closed {
		l.err = cause
	}
	l.stopping = true
	l.ending.Store(true)
	l.patienceLocked(d, closing)
	return l.dueLocked()
}

// inputEnded notes that nothing more is read, and reports whether the connection is open yet.
func (l *lifecycle) inputEnded() (open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.input = false
	l.ending.Store(true)
	return !l.closed
}

// drain has closing called after d, unless the connection is closed before. It reports whether the connection is to be closed.
func (l *lifecycle) drain(d time.Duration, closing func()) (due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.patienceLocked(d, closing)
	return l.dueLocked()
}

// settle ends the session if nothing is left of it. It reports whether the connection is to be closed.
func (l *lifecycle) settle() (due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dueLocked()
}

// close notes that the connection is being closed because of cause, which may be nil; after d, force is called. It holds the session
// until leave. It reports false when that was noted before.
func (l *lifecycle) close(cause error, d time.Duration, force func()) (unhook func() bool, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, false
	}
	l.closed = true
	l.ending.Store(true)
	if l.err == nil {
		l.err = cause
	}
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer = time.AfterFunc(d, force)
	l.running.Add(1)
	return l.unhook, true
}

// force ends the session with err, unless it has ended by itself.
func (l *lifecycle) force(err error) (forced bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return false
	}
	if l.err == nil {
		l.err = err
	}
	l.finishLocked()
	return true
}

// ended reports whether the connection is closed, and returns what the session ended with, or is about to end with.
func (l *lifecycle) ended() (closed bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed, l.err
}

// patienceLocked has closing called after d in place of what was to be done at the end of patience.
func (l *lifecycle) patienceLocked(d time.Duration, closing func()) {
	if l.closed {
		return
	}
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer = time.AfterFunc(d, closing)
}

// dueLocked reports whether the connection is to be closed, because nothing is left to be done over it. When it is closed and nothing
// runs, the session is over.
func (l *lifecycle) dueLocked() bool {
	if l.running.Load() > 0 {
		return false
	}
	if l.closed && !l.input {
		l.finishLocked()
	}
	return !l.closed && (l.stopping || !l.input)
}

// finishLocked lets those go on who wait for the end.
func (l *lifecycle) finishLocked() {
	if l.over {
		return
	}
	l.over = true
	l.timer.Stop()
	close(l.done)
}
