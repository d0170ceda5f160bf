package runtime

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"
)

// lifecycle decides when a session closes its connection and when it has ended. A session passes through these states:
//
//   - stopping: it accepts no more calls;
//   - closed: the connection is closed. That happens when nothing runs any more and the session is stopping or the input has ended, or at once by Close
//     or an error;
//   - over: the connection is closed, the reader has ended and nothing runs. It is forced if handlers do not return in time.
//
// Methods report what is due instead of doing it, because closing the connection calls other parts of the session and hooks, which must not happen with the
// lock held.
//
// As long as the end has not begun, calls enter and leave without the lock. This is safe because of the order of two writes and two reads: whatever begins
// the end sets ending before it reads running, and whatever leaves decrements running before it reads ending. So at least one of the two sees that nothing
// is left.
type lifecycle struct {
	running atomic.Int64 // calls, and goroutines other than the reader; the end waits for them
	ending  atomic.Bool  // stopping, closed, or the input has ended

	mu       sync.Mutex
	input    bool  // the reader is running
	stopping bool  // no new calls are accepted
	closed   bool  // the connection is closed or is being closed
	over     bool  // done is closed
	err      error // the error of the session
	// stops watching the context of the session; nil if it is not watched
	unhook func() bool
	timer  *time.Timer // the next deadline; nil if there is none

	done   chan struct{}
	notify func(error) // called at the end, see package ended; may be nil
}

// watch keeps the function that stops watching the context of the session.
func (l *lifecycle) watch(unhook func() bool) {
	l.mu.Lock()
	l.unhook = unhook
	l.mu.Unlock()
}

// enter counts a call, for which the end of the session waits. It reports ok as false if no more calls are accepted; due then reports whether the
// connection has to be closed. The counter is incremented before ending is read, see [lifecycle].
func (l *lifecycle) enter() (ok, due bool) {
	l.running.Add(1)
	if l.ending.Load() && l.isStopping() {
		return false, l.leave()
	}
	return true, false
}

// isStopping reports whether no more calls are accepted.
func (l *lifecycle) isStopping() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopping
}

// hold counts a goroutine, for which the end of the session waits. The caller must be counted itself or be the reader, so the session cannot end at the
// same time.
func (l *lifecycle) hold() { l.running.Add(1) }

// leave undoes enter or hold. It reports whether the connection has to be closed.
func (l *lifecycle) leave() (due bool) {
	if l.running.Add(-1) > 0 || !l.ending.Load() {
		return false
	}
	return l.settle()
}

// stop makes enter fail. It reports whether the connection has to be closed.
func (l *lifecycle) stop() (due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopping = true
	l.ending.Store(true)
	return l.dueLocked()
}

// abort is stop with a cause, which becomes the error of the session. After d it calls closing, unless the connection is closed before. It reports whether
// the connection has to be closed.
func (l *lifecycle) abort(cause error, d time.Duration, closing func()) (due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil && !l.closed {
		l.err = cause
	}
	l.stopping = true
	l.ending.Store(true)
	l.closeAfterLocked(d, closing)
	return l.dueLocked()
}

// inputEnded notes that the reader has ended, and reports whether the connection is still open.
func (l *lifecycle) inputEnded() (open bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.input = false
	l.ending.Store(true)
	return !l.closed
}

// drain calls closing after d, unless the connection is closed before.
func (l *lifecycle) drain(d time.Duration, closing func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closeAfterLocked(d, closing)
}

// settle ends the session if nothing is left to wait for. It reports whether the connection has to be closed.
func (l *lifecycle) settle() (due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dueLocked()
}

// close notes that the caller closes the connection because of cause, which may be nil. It reports first as false if that was noted before. The session
// counts the caller as running until leave, and calls force after d.
func (l *lifecycle) close(cause error, d time.Duration, force func()) (unhook func() bool, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, false
	}
	l.closed = true
	l.ending.Store(true)
	l.err = cmp.Or(l.err, cause)
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer = time.AfterFunc(d, force)
	l.running.Add(1)
	return l.unhook, true
}

// force ends the session with err, and reports whether it was still running.
func (l *lifecycle) force(err error) (forced bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return false
	}
	l.err = cmp.Or(l.err, err)
	l.finishLocked()
	return true
}

// endState reports whether the connection is closed, and returns the error with which the session has ended or will end.
func (l *lifecycle) endState() (closed bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed, l.err
}

// closeAfterLocked calls closing after d, and replaces any deadline that was set before.
func (l *lifecycle) closeAfterLocked(d time.Duration, closing func()) {
	if l.closed {
		return
	}
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer = time.AfterFunc(d, closing)
}

// dueLocked reports whether the connection has to be closed because nothing is left to wait for. If it is closed already and the reader has ended, the
// session is over.
func (l *lifecycle) dueLocked() bool {
	if l.running.Load() > 0 {
		return false
	}
	if l.closed && !l.input {
		l.finishLocked()
	}
	return !l.closed && (l.stopping || !l.input)
}

// finishLocked wakes the goroutines that wait for the end of the session.
func (l *lifecycle) finishLocked() {
	if l.over {
		return
	}
	l.over = true
	l.timer.Stop()
	close(l.done)
	if l.notify != nil {
		go l.notify(l.err)
	}
}
