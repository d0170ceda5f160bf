package mcphttp

import (
	"errors"
	"net/http"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// eventStream writes an answer as a stream of events. It is used by one goroutine at a time.
type eventStream struct {
	w       http.ResponseWriter
	h       *Handler
	client  web.Client
	control *http.ResponseController
	buf     []byte
}

var errNotTaken = errors.New(web.NotTaken)

// newEventStream begins a stream. The first flush sends the headers.
func newEventStream(w http.ResponseWriter, h *Handler, client web.Client) *eventStream {
	header := w.Header()
	header["Content-Type"] = streamType
	header["Cache-Control"] = noCache
	header["X-Accel-Buffering"] = noBuffering
	w.WriteHeader(http.StatusOK)
	return &eventStream{w: w, h: h, client: client, control: http.NewResponseController(w)}
}

// send writes a message as an event.
func (s *eventStream) send(id string, msg []byte) error {
	s.buf = appendEvent(s.buf[:0], id, msg)
	return s.flush()
}

// event writes an event with a type.
func (s *eventStream) event(kind string, data []byte) error {
	s.buf = append(append(append(s.buf[:0], "event: "...), kind...), '\n')
	s.buf = appendEvent(s.buf, "", data)
	return s.flush()
}

// comment writes a comment, which keeps the stream open.
func (s *eventStream) comment() error {
	s.buf = append(s.buf[:0], comment...)
	return s.flush()
}

func (s *eventStream) flush() error {
	s.control.SetWriteDeadline(time.Now().Add(s.h.o.WriteTimeout)) // a writer without support has deadlines of its own
	held, ok := s.h.memory.Hold(s.client, len(s.buf))
	if !ok {
		s.h.peerLog.Warn(web.NotTaken)
		return errNotTaken
	}
	defer held.Release()
	if len(s.buf) > 0 {
		if _, err := s.w.Write(s.buf); err != nil {
			return err
		}
	}
	const most = 64 << 10 // bytes; larger buffers are not kept
	if cap(s.buf) > most {
		s.buf = nil
	}
	return s.control.Flush()
}

// end removes the deadline, which would otherwise apply to what net/http writes afterwards and to
// the next request of the connection.
func (s *eventStream) end() { s.control.SetWriteDeadline(time.Time{}) }
