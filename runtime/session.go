package runtime

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/ended"
	"github.com/rpcgen-go/rpcgen/runtime/internal/ids"
	"github.com/rpcgen-go/rpcgen/runtime/internal/inorder"
	"github.com/rpcgen-go/rpcgen/runtime/internal/memory"
	"github.com/rpcgen-go/rpcgen/runtime/internal/tap"
)

// Session speaks JSON-RPC over one connection in both directions: it serves the calls of the peer, and it is a [Conn] for calls to the peer.
//
// Requests of the peer start in the order in which they arrive and run concurrently. Notifications of the peer are handled one after the other, in their
// order. An idle session costs one goroutine, which reads; each call that is being handled costs one more.
//
// The fields are parts with a lock each: whose turn it is to read, the calls of the peer, its notifications, the own calls, and the lifecycle. No part
// takes the lock of another, so there is no lock order to observe.
type Session struct {
	conn   frame.Conn
	d      *Dispatcher
	ctx    context.Context // ends with the connection
	cancel context.CancelCauseFunc

	life          lifecycle
	turn          readerTurn
	idle          idleWatch
	handshake     *handshake // nil if the protocol has none
	inbound       inbound
	notifications inorder.Queue[*Call]
	outgoing      outgoing
	watches       watches
	held          memory.Account // bytes of the peer's messages that are handled or wait
	ids           *ids.Counter   // of the own requests
	ownIDs        ids.Counter    // which ids is, unless sessions share one

	writing writeTurn // nil if there is an outbox
	out     *outbox   // nil if the connection takes frames one by one
	// holds a token for each refusal being written; nil until there is one
	refusals chan struct{}
}

// NewSession starts a session on conn and takes ownership of conn. A nil h serves no calls. When ctx ends, the calls in flight are cancelled and the
// session closes as soon as their handlers return, at most after [Options.ShutdownTimeout]. The contexts of handlers carry the values of ctx.
func NewSession(ctx context.Context, conn frame.Conn, h Handler, o Options) *Session {
	s := &Session{
		conn: conn,
		life: lifecycle{input: true, done: make(chan struct{})},
	}
	if g, ok := conn.(frame.Gatherer); ok {
		s.out = &outbox{s: s, conn: g}
	} else {
		s.writing = make(writeTurn, 1)
	}
	s.ids = &s.ownIDs
	if shared := ids.From(ctx, s); shared != nil {
		s.ids = &shared.Counter
		ctx = ids.Share(ctx, nil) // not for sessions that handlers make
	}
	if h != nil {
		if open := h.Hooks().Open; open != nil {
			h = open(s)
		}
	}
	s.d = NewDispatcher(h, o)
	s.handshake = newHandshake(s.d.handler.Protocol())
	parent := memory.From(ctx)
	if parent != nil {
		ctx = memory.With(ctx, nil)
	}
	if s.life.notify = ended.From(ctx); s.life.notify != nil {
		ctx = ended.Notify(ctx, nil)
	}
	s.held.Init(int64(s.d.opts.MaxBytes), parent)
	s.ctx, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	if ctx.Done() != nil {
		s.life.watch(context.AfterFunc(ctx, func() { s.abort(ctx.Err()) }))
	}
	go s.serve()
	return s
}

// Serve runs a session on conn until the peer has ended its input and all its calls are answered, or until ctx ends. The error is nil if the peer ended the
// connection, and the error of ctx if ctx ended.
func Serve(ctx context.Context, conn frame.Conn, h Handler, o Options) error {
	return NewSession(ctx, conn, h, o).Wait()
}

// Done returns a channel that is closed when the session has ended, see [Session.Wait].
func (s *Session) Done() <-chan struct{} { return s.life.done }

// Wait waits until the session has ended: the connection is closed, and every handler has returned. It returns the error that ended the session. That is
// nil after the end of the input, [Session.Close] and [Session.Shutdown], and [ErrStillRunning] if handlers did not return in time.
func (s *Session) Wait() error {
	<-s.life.done
	_, err := s.life.endState()
	return err
}

// Busy reports whether any call is in flight, in either direction. It reports false for a nil session.
func (s *Session) Busy() bool {
	return s != nil && (s.inbound.slots.Load() > 0 || s.inbound.detached.Load() > 0 || s.outgoing.busy() || s.watches.busy())
}

// Shutdown stops accepting calls, waits for the calls in flight, and closes the connection. If ctx ends first, it cancels the calls, closes the connection
// at once, and returns the error of ctx.
func (s *Session) Shutdown(ctx context.Context) error {
	due := s.life.stop()
	s.watches.streams(tap.Tap.Stop)
	s.closeIf(due)
	select {
	case <-s.life.done:
		return nil
	case <-ctx.Done():
		s.shut(nil)
		return ctx.Err()
	}
}

// Close closes the connection at once. It cancels the calls in flight but does not wait for them, see [Session.Wait]. It always returns nil.
func (s *Session) Close() error {
	s.shut(nil)
	return nil
}

// abort cancels the calls in flight. The connection is closed when they are answered, or after Options.ShutdownTimeout. The contexts are cancelled after
// the lifecycle has been told, so that no new call is accepted in between.
func (s *Session) abort(cause error) {
	s.closeIf(s.life.abort(cause, s.d.opts.ShutdownTimeout, s.shutdown))
	s.cancelCalls(cause)
}

// closeIf closes the connection if due is true. The lifecycle decides that under its lock and reports it; the connection is closed here, without that lock,
// because closing calls hooks and other parts.
func (s *Session) closeIf(due bool) {
	if due {
		s.shut(nil)
	}
}

// leave undoes lifecycle.enter or hold, and closes the connection if it was the last thing to wait for.
func (s *Session) leave() { s.closeIf(s.life.leave()) }

// shutdown closes the connection without an error.
func (s *Session) shutdown() { s.shut(nil) }

// shut closes the connection in both directions, cancels the calls of the peer and fails the own calls. Only the first call has an effect. A cause that is
// not nil becomes the error of the session, unless it has one already.
//
// The own calls are taken off the list before the connection is closed: from then on no new call can be added that would wait for ever.
func (s *Session) shut(cause error) {
	unhook, first := s.life.close(cause, s.d.opts.ShutdownTimeout, func() { // so that Wait returns
		if s.life.force(ErrStillRunning) {
			s.d.peerLog.Warn("handlers still run after the session has ended", "calls", s.inbound.slots.Load())
		}
	})
	if !first {
		return
	}
	cause = cmp.Or(cause, context.Canceled)
	orphans := s.outgoing.end()
	s.conn.Close()
	s.cancelCalls(cause)
	s.inbound.stop()
	if unhook != nil {
		unhook()
	}
	fail(orphans, cause)
	s.watches.streams(func(t tap.Tap) { t.End(&closedError{cause: cause}) })
	if closed := s.d.hooks.Closed; closed != nil {
		closed()
	}
	s.leave()
}

// ErrStillRunning means that handlers have not returned within [Options.ShutdownTimeout] after their contexts were cancelled.
var ErrStillRunning = errors.New("handlers still run after the session has ended")

// cancelCalls cancels the contexts of the peer's calls, and ends parked goroutines.
func (s *Session) cancelCalls(cause error) {
	s.cancel(cause)
	s.turn.dismiss()
}

// readEnded handles the end of the input, of which err is the reason. After [io.EOF] the peer may still read, so calls in flight are finished and answered.
// After [frame.ErrHangup] the peer is probably gone, so they are cancelled first. Any other error is the end of the connection in both directions. The
// session waits for readEnded, and so for the hook, as for a call.
func (s *Session) readEnded(err error) {
	s.life.hold()
	defer s.leave()
	open := s.life.inputEnded()
	hungUp := errors.Is(err, frame.ErrHangup)
	switch {
	case !open:
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
	s.life.drain(patience, s.shutdown)
	if connError := s.outgoing.lastConnError(); connError != nil {
		err = connError
	}
	fail(orphans, err)
	s.watches.streams(func(t tap.Tap) { t.End(&closedError{cause: err}) })
	if ended := s.d.hooks.InputEnded; ended != nil {
		ended()
	}
}

// endedError returns why nothing can be sent any more, or why no response can arrive.
func (s *Session) endedError() error {
	_, err := s.life.endState()
	if err == nil {
		err = s.outgoing.lastConnError()
	}
	return &closedError{cause: err, unsent: true}
}
