package mcphttp

import (
	"net/http"
	"time"
)

// eventStream writes an answer that is a stream of events. It is used by one goroutine at a time.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration // for the client to take what is written
	buf     []byte
}

// newEventStream begins one; the client learns of it with the first flush.
func newEventStream(w http.ResponseWriter, timeout time.Duration) *eventStream {
	header := w.Header()
	header["Content-Type"] = streamType
	header["Cache-Control"] = noCache
	header["X-Accel-Buffering"] = unbuffered
	w.WriteHeader(http.StatusOK)
	return &eventStream{w: w, control: http.NewResponseController(w), timeout: timeout}
}

// send writes a message as an event.
func (s *eventStream) send(id string, msg []byte) error {
	s.buf = appendEvent(s.buf[:0], id, msg)
	return s.flush()
}

// prime writes the event that gives the client an id to come back with.
func (s *eventStream) prime(id string, retry time.Duration) error {
	s.buf = appendPriming(s.buf[:0], id, retry)
	return s.flush()
}

// comment writes what keeps the stream open.
func (s *eventStream) comment() error {
	s.buf = append(s.buf[:0], comment...)
	return s.flush()
}

// open tells the client that there is a stream, before there is an event.
func (s *eventStream) open() error {
	s.buf = s.buf[:0]
	return s.flush()
}

func (s *eventStream) flush() error {
	s.control.SetWriteDeadline(time.Now().Add(s.timeout)) // who cannot, has deadlines of its own
	if len(s.buf) > 0 {
		if _, err := s.w.Write(s.buf); err != nil {
			return err
		}
	}
	const most = 64 << 10 // bytes; larger events are rare enough
	if cap(s.buf) > most {
		s.buf = nil
	}
	return s.control.Flush()
}

// end is the end of the stream: what net/http writes behind it has time, too, and so has the connection's next request.
func (s *eventStream) end() { s.control.SetWriteDeadline(time.Time{}) }
