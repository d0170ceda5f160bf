package runtime

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// Session speaks JSON-RPC over one connection, both ways: it serves the peer's calls and is a [Conn] to call the peer.
//
// The peer's requests start in the order in which they arrive and run concurrently; its notifications are handled one after
// the other. An idle session is one goroutine, which reads; every call that is handled is one more.
//
// Its parts have a lock each, and none of them is taken while another is held.
type Session struct {
	conn   frame.Conn
	d      *Dispatcher
	log    *slog.Logger
	ctx    context.Context // ends with the connection
	cancel context.CancelCauseFunc

	life     lifecycle
	turn     readerTurn
	idle     idleWatch
	inbound  inbound
	notes    noteQueue
	outgoing outgoing
	lastID   atomic.Int64 // of own requests

	writing  chan struct{} // holds one token while a frame is written
	refusals chan struct{} // holds one token for each refusal being written; nil: there was none yet
}

// NewSession starts a session on conn, which belongs to it from then on. A nil h serves no calls. When ctx ends, the session
// is closed as by Shutdown without patience; its values are those of the handlers' contexts.
func NewSession(ctx context.Context, conn frame.Conn, h Handler, o Options) *Session {
	s := &Session{
		conn: conn, writing: make(chan struct{}, 1),
		life: lifecycle{input: true, done: make(chan struct{})},
		turn: readerTurn{next: make(chan bool, 1)},
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
		s.life.watch(context.AfterFunc(ctx, func() { s.abort(ctx.Err()) }))
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
func (s *Session) Done() <-chan struct{} { return s.life.done }

// Wait waits until the session has ended: the connection is closed, and every handler has returned. It returns what ended it;
// nil for the end of the input, and for Close and Shutdown.
func (s *Session) Wait() error {
	<-s.life.done
	_, err := s.life.ended()
	return err
}

// Busy reports whether calls are in flight, of the peer or own ones. A nil session is not.
func (s *Session) Busy() bool {
	return s != nil && (s.inbound.slots.Load() > 0 || s.outgoing.busy())
}

// Shutdown accepts no more calls, waits for those in flight, and closes the connection. When ctx ends first, they are
// cancelled, the connection is closed at once, and ctx's error is returned.
func (s *Session) Shutdown(ctx context.Context) error {
	s.closeIf(s.life.stop())
	select {
	case <-s.life.done:
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

// abort cancels the calls in flight, and closes the connection when they have answered or Options.ShutdownTimeout has passed.
func (s *Session) abort(cause error) {
	s.closeIf(s.life.abort(cause, s.d.opts.ShutdownTimeout, s.shutdown))
	s.cancelCalls(cause)
}

// closeIf closes the connection when that is due: when nothing is left to be done over it.
func (s *Session) closeIf(due bool) {
	if due {
		s.shut(nil)
	}
}

// leave is the end of what lifecycle.enter or hold began.
func (s *Session) leave() { s.closeIf(s.life.leave()) }

// shutdown closes the connection for no other reason than that its time has come.
func (s *Session) shutdown() { s.shut(nil) }

// shut closes the connection in both directions, cancels the calls in flight, and fails the own ones. The first cause, if any,
// is what the session ended with.
func (s *Session) shut(cause error) {
	unhook, first := s.life.close(cause, s.d.opts.ShutdownTimeout, s.force)
	if !first {
		return
	}
	if cause == nil {
		cause = context.Canceled
	}
	orphans := s.outgoing.end()
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
	if s.life.force(ErrStillRunning) {
		s.d.peerLog.Warn("handlers still run after the session has ended", "calls", s.inbound.slots.Load())
	}
}

// ErrStillRunning says that handlers did not return though their contexts were cancelled and the shutdown timeout has passed.
var ErrStillRunning = errors.New("handlers still run after the session has ended")

// cancelCalls cancels the contexts of the peer's calls.
func (s *Session) cancelCalls(cause error) {
	s.cancel(cause)
	s.turn.dismiss()
}

// readEnded says that nothing more will be read, because of err.
func (s *Session) readEnded(err error) {
	open := s.life.inputEnded()
	hungUp := errors.Is(err, frame.ErrHangup)
	switch {
	case !open:
		s.closeIf(s.life.settle())
		return
	case !hungUp && !errors.Is(err, io.EOF):
		if errors.Is(err, frame.ErrClosed) {
			err = nil
		}
		s.shut(err)
		return
	}
	orphans, patience := s.outgoing.end(), s.d.opts.DrainTimeout
	if hungUp {
		patience = s.d.opts.ShutdownTimeout
		s.cancelCalls(err)
	}
	s.closeIf(s.life.drain(patience, s.shutdown))
	if farewell := s.outgoing.last(); farewell != nil {
		err = farewell
	}
	fail(orphans, err)
	if ended := s.d.hooks.InputEnded; ended != nil {
		ended()
	}
}

// endedError returns why nothing can be sent any more, or no response can come.
func (s *Session) endedError() error {
	if _, err := s.life.ended(); err != nil {
		return &closedError{err}
	}
	if farewell := s.outgoing.last(); farewell != nil {
		return &closedError{farewell}
	}
	return ErrClosed
}
