package runtime

import (
	"context"
	"errors"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
	"github.com/rpcgen-go/rpcgen/runtime/internal/envelope"
)

// send writes an answer. The token makes frames follow each other whole; a channel is used instead
// of a mutex because write has to give up when its context ends. An error that lasts ends the
// session.
func (s *Session) send(answer []byte) {
	if len(answer) == 0 {
		return
	}
	s.writing <- struct{}{}
	err := s.conn.WriteFrame(answer)
	<-s.writing
	if err != nil {
		s.unsent(answer, err)
	}
}

// unsent handles an answer that could not be written. If only this frame cannot be framed, the peer
// receives -32603, because it waits for an answer with this id.
func (s *Session) unsent(answer []byte, err error) {
	if lasting(err) {
		s.shut(err)
		return
	}
	s.d.opts.Logger.Error("an answer cannot be framed", "error", err, "size", len(answer))
	e := envelope.Envelope{Loose: true, Depth: s.d.opts.MaxDepth}
	if !e.Open(answer) || e.Seen&envelope.HasID == 0 {
		return
	}
	s.writing <- struct{}{}
	err = s.conn.WriteFrame(s.d.appendError(nil, e.ID.Of(answer), internal))
	<-s.writing
	if err != nil && lasting(err) {
		s.shut(err)
	}
}

// lasting reports whether a write error is the end of the connection, and not a fault of the one
// frame.
func lasting(err error) bool {
	_, large := errors.AsType[*frame.TooLargeError](err)
	return !large && err != frame.ErrNewline
}

// write writes an own request or notification. The end of ctx stops waiting for other frames.
// Writing itself is not interrupted: after a part of a frame the peer could not read the rest of
// the stream.
func (s *Session) write(ctx context.Context, msg []byte) error {
	select {
	case s.writing <- struct{}{}:
	default: // another frame is being written
		select {
		case s.writing <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := s.conn.WriteFrame(msg)
	<-s.writing
	if err != nil && lasting(err) {
		s.shut(err)
		return &closedError{cause: err}
	}
	return err
}

// buffers keeps memory for answers.
var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, 1<<10)
	return &b
}}

func getBuffer() *[]byte { return buffers.Get().(*[]byte) }

// putBuffer returns p to the pool, with the memory of b, which may be a grown p.
func putBuffer(p *[]byte, b []byte) {
	const most = 64 << 10 // bytes; a larger buffer is not kept
	if cap(b) > most {
		return
	}
	if cap(b) > cap(*p) {
		*p = b[:0]
	}
	*p = (*p)[:0]
	buffers.Put(p)
}
