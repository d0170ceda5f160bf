package runtime

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// Session speaks JSON-RPC over one connection, both ways: it serves the peer's calls and is a [Conn] to call the peer.
//
// The peer's requests start in the order in which they arrive and run concurrently; its notifications are handled one after
// the other. An idle session is one goroutine, which reads; every call that is handled is one more.
type Session struct {
	conn   frame.Conn
	d      *Dispatcher
	log    *slog.Logger
	ctx    context.Context // ends with the connection
	cancel context.CancelCauseFunc
	unhook func() bool // stops watching the context that the session was made with

	writing  chan struct{} // holds one token while a frame is written
	refusals chan struct{} // holds one token for each refusal being written; nil: there was none yet

	turn    chan bool     // gives the goroutine that waits its turn to read; false ends it
	parked  atomic.Bool   // a goroutine waits
	uses    atomic.Uint32 // how many calls there were
	watched atomic.Bool   // a timer sees whether there are more

	lastID atomic.Int64 // of own requests

	mu       sync.Mutex
	calls    map[string]*callContext // the peer's calls in flight, by the text of their id
	slots    int                     // calls whose handler has not returned
	notes    []*Call                 // notifications that wait for their turn
	room     chan struct{}           // closed when notes has room again; nil: nobody waits
	noting   bool                    // a goroutine is handling notes
	noted    uint64                  // how many notifications were put in notes
	handled  uint64                  // how many of them are handled
	settled  chan struct{}           // closed when another one is handled; nil: nobody waits
	pending  map[int64]*waiter       // own requests that wait for a response
	batches  int                     // own batches among them
	spare    []*waiter               // that wait for nothing
	running  int                     // goroutines other than the reader
	reading  bool
	stopping bool // no new calls are accepted
	closed   bool // the connection is closed
	over     bool // done is closed
	err      error
	farewell error       // what the peer said last, about no request; nil: nothing
	timer    *time.Timer // the next end of patience; nil: none

	done chan struct{}
}

// NewSession starts a session on conn, which belongs to it from then on. A nil h serves no calls. When ctx ends, the session
// is closed as by Shutdown without patience; its values are those of the handlers' contexts.
func NewSession(ctx context.Context, conn frame.Conn, h Handler, o Options) *Session {
	s := &Session{
		conn: conn, reading: true,
		writing: make(chan struct{}, 1), turn: make(chan bool, 1), done: make(chan struct{}),
	}
	if h != nil {
		if open := h.Hooks().Open; open != nil {
			h = open(s)
		}
	}
	s.d = NewDispatcher(h, o)
	s.log = s.d.log
	s.ctx, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { s.abort(ctx.Err()) })
		s.mu.Lock()
		s.unhook = stop
		s.mu.Unlock()
	}
	go s.serve()
	return s
}

// Serve runs a session on conn until the peer has ended and its calls are answered, or ctx ends. The error is nil when the
// peer ended the connection, and ctx's error when ctx did.
func Serve(ctx context.Context, conn frame.Conn, h Handler, o Options) error {
	return NewSession(ctx, conn, h, o).Wait()
}

// Done returns a channel that is closed when the session has ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// Wait waits until the session has ended: the connection is closed, and every handler has returned. It returns what ended it;
// nil for the end of the input, and for Close and Shutdown.
func (s *Session) Wait() error {
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Busy reports whether calls are in flight, of the peer or own ones. A nil session is not.
func (s *Session) Busy() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.slots > 0 || len(s.pending) > 0
}

// Shutdown accepts no more calls, waits for those in flight, and closes the connection. When ctx ends first, they are
// cancelled, the connection is closed at once, and ctx's error is returned.
func (s *Session) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	s.advance()
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		s.shut(nil)
		return ctx.Err()
	}
}

// Close closes the connection at once. Calls in flight are cancelled, not waited for; see [Session.Wait].
func (s *Session) Close() error {
	s.shut(nil)
	return nil
}

// abort cancels the calls in flight, and closes the connection when they have answered or patience ends.
func (s *Session) abort(cause error) {
	s.mu.Lock()
	if s.err == nil && !s.closed {
		s.err = cause
	}
	s.stopping = true
	s.patience(s.d.opts.ShutdownTimeout)
	s.advance()
	s.cancelCalls(cause)
}

// patience has the connection closed after d, unless that is decided already. The lock is held.
func (s *Session) patience(d time.Duration) {
	if s.closed {
		return
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = time.AfterFunc(d, func() { s.shut(nil) })
}

// advance goes on with ending the session as far as possible. It is called with the lock held, and gives it back.
func (s *Session) advance() {
	if !s.closed && (s.stopping || !s.reading) && s.running == 0 {
		s.mu.Unlock()
		s.shut(nil)
		return
	}
	if s.closed && !s.reading && s.running == 0 {
		s.finish()
	}
	s.mu.Unlock()
}

// finish lets Wait return. The lock is held.
func (s *Session) finish() {
	if s.over {
		return
	}
	s.over = true
	s.timer.Stop()
	close(s.done)
}

// shut closes the connection in both directions, cancels the calls in flight, and fails the own ones. The first cause, if any,
// is what the session ended with.
func (s *Session) shut(cause error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	if s.err == nil {
		s.err = cause
	}
	if s.timer != nil {
		s.timer.Stop()
	}
	s.timer = time.AfterFunc(s.d.opts.ShutdownTimeout, s.force)
	orphans, unhook := s.orphans(), s.unhook
	s.running++ // the end waits for this, too
	s.mu.Unlock()

	if cause == nil {
		cause = context.Canceled
	}
	s.conn.Close()
	s.cancelCalls(cause)
	if unhook != nil {
		unhook()
	}
	fail(orphans, cause)
	if closed := s.d.hooks.Closed; closed != nil {
		closed()
	}
	s.leave()
}

// force lets Wait return though handlers still run.
func (s *Session) force() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	s.d.peerLog.Warn("handlers still run after the session has ended", "calls", s.slots)
	if s.err == nil {
		s.err = ErrStillRunning
	}
	s.finish()
}

// ErrStillRunning says that handlers did not return though their contexts were cancelled and the shutdown timeout has passed.
var ErrStillRunning = errors.New("handlers still run after the session has ended")

// hold counts a goroutine that the end of the session has to wait for.
func (s *Session) hold() {
	s.mu.Lock()
	s.running++
	s.mu.Unlock()
}

// leave is the end of what hold began.
func (s *Session) leave() {
	s.mu.Lock()
	s.running--
	s.advance()
}

// readEnded says that nothing more will be read, because of err.
func (s *Session) readEnded(err error) {
	s.mu.Lock()
	s.reading = false
	if (err == io.EOF || err == frame.ErrHangup) && !s.closed {
		orphans, cause := s.orphans(), err
		if s.farewell != nil {
			cause = s.farewell
		}
		if err == io.EOF {
			s.patience(s.d.opts.DrainTimeout)
		} else {
			s.patience(s.d.opts.ShutdownTimeout)
			s.cancelCalls(err)
		}
		s.advance()
		fail(orphans, cause)
		if ended := s.d.hooks.InputEnded; ended != nil {
			ended()
		}
		return
	}
	if s.closed {
		s.advance()
		return
	}
	s.mu.Unlock()
	if errors.Is(err, frame.ErrClosed) {
		err = nil
	}
	s.shut(err)
}
