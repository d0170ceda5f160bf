package runtime

import (
	"context"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
)

// NextID reserves n ids, see [Conn]. When the ids are used up, the session is closed with the error
// [ErrIDsExhausted]: only a new connection can serve further calls.
func (s *Session) NextID(n int) (int64, error) {
	first, ok := s.ids.Next(n)
	if !ok {
		s.shut(ErrIDsExhausted)
		return 0, ErrIDsExhausted
	}
	return first, nil
}

// Call sends a request and waits for its response, see [Conn].
func (s *Session) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	w, err := s.roundTrip(ctx, id, nil, msg, nil)
	if err != nil {
		return nil, err
	}
	reply := w.one
	s.outgoing.release(w)
	return reply, nil
}

// CallBatch sends a batch and waits for its responses, see [Conn]. A peer that rejects the batch as a whole answers with one error; it is the response to
// each request of the batch.
func (s *Session) CallBatch(ctx context.Context, first int64, n int, msg []byte) ([][]byte, error) {
	if n == 0 {
		return nil, s.Notify(ctx, msg)
	}
	w, err := s.roundTrip(ctx, first, make([][]byte, n), msg, nil)
	if err != nil {
		return nil, err
	}
	if w.one != nil {
		for i := range w.replies {
			if w.replies[i] == nil {
				w.replies[i] = w.one
			}
		}
	}
	return w.replies, nil
}

// Notify sends a notification, see [Conn]. It returns when the notification is written, since there is no response that says so. If ctx ends before, the
// notification may still be written.
func (s *Session) Notify(ctx context.Context, msg []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(msg) > s.d.opts.MaxMessage {
		return &frame.TooLargeError{Size: int64(len(msg)), Max: s.d.opts.MaxMessage}
	}
	if closed, _ := s.life.endState(); closed { // a peer whose input has ended may still read
		return s.endedError()
	}
	left, err := s.post(ctx, msg, aRequest, false)
	if left > 0 && err == nil {
		err = s.out.await(ctx, left)
	}
	return writeError(ctx, err)
}

// roundTrip sends the request with the id first and waits for the response. If replies is not nil, msg is a batch with consecutive ids from first on. If then
// is not nil, it does not wait: the response is passed to then.
func (s *Session) roundTrip(ctx context.Context, first int64, replies [][]byte, msg []byte, then func(reply []byte, err error)) (*waiter, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if most := s.d.opts.CallTimeout; most > 0 && then == nil {
		limited, cancel := context.WithTimeout(ctx, most)
		defer cancel()
		ctx = limited
	}
	if c := callFrom(ctx); c != nil {
		c.begin() // this goroutine may own the turn to read, and the response must be read
	}
	if len(msg) > s.d.opts.MaxMessage {
		return nil, &frame.TooLargeError{Size: int64(len(msg)), Max: s.d.opts.MaxMessage}
	}
	w, others, err := s.outgoing.expect(first, replies, then)
	if err != nil {
		return nil, err
	}
	if w == nil {
		return nil, s.endedError()
	}
	if _, err := s.post(ctx, msg, aRequest, others); err != nil && (s.outgoing.abandon(w) || then == nil) {
		return nil, writeError(ctx, err)
	}
	if then == nil {
		err = s.outgoing.await(ctx, w)
		s.countCall()
	}
	return w, err
}

// response passes a response to the call that waits for it, and drops any other response.
func (s *Session) response(msg []byte, e *envelope.Envelope) {
	var id []byte
	if e.Seen&envelope.HasID != 0 {
		id = e.ID.Of(msg)
	}
	if s.outgoing.deliverTo(id, msg) {
		return
	}
	if e.Seen&envelope.HasError != 0 && (id == nil || string(id) == "null") && s.outgoing.deliverToBatch(msg) {
		return
	}
	if e.Seen&envelope.HasError != 0 && (id == nil || string(id) == "null") {
		s.noteConnError(msg, e)
		return
	}
	if n, ok := wire.PeekAt(id).Int64(); ok && s.ids.Reserved(n) {
		s.d.peerLog.Debug("a response to a call that has ended was dropped", "id", string(id))
		return
	}
	s.d.peerLog.Warn("a response without a request was dropped", "id", string(id))
}

// noteConnError keeps an error that answers no request. If the peer closes the connection next, the error is the reason, for instance that there are too
// many connections, and calls fail with it.
func (s *Session) noteConnError(msg []byte, e *envelope.Envelope) {
	read, ok := envelope.DecodeError(e.Err.Of(msg))
	if !ok {
		s.d.peerLog.Warn("a malformed response was dropped", "reason", "its error is not a valid JSON-RPC 2.0 error")
		return
	}
	said := &Error{Code: read.Code, Message: strings.Clone(read.Message)} // cloned, so that the message is not kept
	s.outgoing.mu.Lock()
	s.outgoing.connError = said
	s.outgoing.mu.Unlock()
	s.d.peerLog.Warn("the peer sent an error that answers no request", "error", said)
}
