package runtime

import (
	"context"
	"errors"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
)

// send writes an answer, or leaves it to the goroutine that writes, see [outbox]. An error that lasts ends the session.
func (s *Session) send(answer []byte) {
	if len(answer) == 0 {
		return
	}
	if _, err := s.post(context.Background(), answer, anAnswer, s.inbound.slots.Load() > 1); err != nil {
		s.handleUnsent(answer, err)
	}
}

// handleUnsent handles an answer that could not be written. If only this frame cannot be framed, the peer receives -32603, because it waits for an answer with
// this id; it learns the sizes of one that is too large.
func (s *Session) handleUnsent(answer []byte, err error) {
	if isFinal(err) {
		return
	}
	s.d.opts.Logger.Error("an answer cannot be framed", "error", err, "size", len(answer))
	var id []byte // of a batch there is none: one error answers for all of it
	o, what := internal, largeBatch
	if answer[0] != '[' {
		e := envelope.Envelope{Loose: true, Depth: s.d.opts.MaxDepth}
		if !e.Open(answer) || e.Seen&envelope.HasID == 0 {
			return
		}
		id, what = e.ID.Of(answer), largeResult
	}
	if large, ok := errors.AsType[*frame.TooLargeError](err); ok {
		o = oversize(what, int(large.Size), large.Max)
	}
	s.post(context.Background(), s.d.appendError(nil, id, o), anAnswer, false)
}

// isFinal reports whether a write error is the end of the connection, and not a fault of the one frame.
func isFinal(err error) bool {
	_, large := errors.AsType[*frame.TooLargeError](err)
	return !large && err != frame.ErrNewline
}

// kind says what a frame carries.
type kind int

const (
	aRequest kind = iota // a request or notification of this side
	anAnswer             // sent by a goroutine that the lifecycle counts
	anItem               // of a stream: more are likely to follow at once
)

// post writes a frame, or leaves it to the goroutine that writes, see [outbox]. It waits for other frames at most until ctx ends. Writing itself is not
// interrupted: after a part of a frame the peer could not read the rest of the stream.
//
// The argument others reports whether other calls are in flight. An error that lasts, see isFinal, has ended the session. The result left is 0 if the frame
// was written, and otherwise what outbox.await takes.
func (s *Session) post(ctx context.Context, msg []byte, k kind, others bool) (left uint64, err error) {
	if s.out != nil {
		return s.out.post(ctx, msg, k, others)
	}
	if err := s.writing.take(ctx); err != nil {
		return 0, err
	}
	err = s.conn.WriteFrame(msg)
	<-s.writing
	if err != nil && isFinal(err) {
		s.shut(err)
	}
	return 0, err
}

// writeTurn holds a token while a frame is written to a connection that takes frames one by one. It is a channel and not a mutex because waiting has to end
// with a context.
type writeTurn chan struct{}

// take waits for the token, at most until ctx ends.
func (t writeTurn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	default: // another frame is being written
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// writeError returns the error of a message that could not be written.
func writeError(ctx context.Context, err error) error {
	if err != nil && err != ctx.Err() && isFinal(err) {
		return &closedError{cause: err}
	}
	return err
}
