package runtime

import (
	"context"
	"errors"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/frame"
)

// send writes an answer whole. A connection that cannot be written to has ended.
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

// unsent does what is left to do about an answer that was not written.
func (s *Session) unsent(answer []byte, err error) {
	if lasting(err) {
		s.shut(err)
		return
	}
	s.log.Error("an answer cannot be framed", "error", err, "size", len(answer))
	var e envelope
	e.loose, e.depth = true, s.d.depth
	if !e.open(answer) || e.seen&hasID == 0 {
		return
	}
	s.writing <- struct{}{}
	err = s.conn.WriteFrame(s.d.appendError(nil, e.id.of(answer), internal))
	<-s.writing
	if err != nil && lasting(err) {
		s.shut(err)
	}
}

// lasting reports whether a write error means that the connection has ended.
func lasting(err error) bool {
	_, large := errors.AsType[*frame.TooLargeError](err)
	return !large && err != frame.ErrNewline
}

// write writes an own request or notification. Waiting for others to be written ends with ctx; writing itself does not.
func (s *Session) write(ctx context.Context, msg []byte) error {
	select {
	case s.writing <- struct{}{}:
	default: // others are being written
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
		return &closedError{err}
	}
	return err
}

// buffers holds room for answers while they are made.
var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, 1<<10)
	return &b
}}

func getBuffer() *[]byte { return buffers.Get().(*[]byte) }

// putBuffer gives p back with the memory of b, which it may have grown into.
func putBuffer(p *[]byte, b []byte) {
	const most = 64 << 10 // bytes; larger ones are rare enough
	if cap(b) > most {
		return
	}
	if cap(b) > cap(*p) {
		*p = b[:0]
	}
	*p = (*p)[:0]
	buffers.Put(p)
}
