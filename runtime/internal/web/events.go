package web

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// EventStream is the media type of streams of events.
const EventStream = "text/event-stream"

// The values of headers. They are shared, and must not be changed.
var (
	streamType  = []string{EventStream}
	noCache     = []string{"no-cache, no-transform"}
	noBuffering = []string{"no"}
)

// EventLimits are the limits of the events that a handler writes.
type EventLimits struct {
	WriteTimeout time.Duration // of each event
	KeepAlive    time.Duration // how often a quiet stream gets a comment; see [Reply]
	Memory       *Memory       // of events until they are taken
	Log          *peerlog.Logger
}

// Events writes an answer as a stream of events. It is used by one goroutine at a time.
type Events struct {
	w       http.ResponseWriter
	limits  *EventLimits
	client  Client
	control *http.ResponseController
	buf     []byte
}

// NewEvents begins a stream. The first flush sends the headers.
func NewEvents(w http.ResponseWriter, limits *EventLimits, client Client) *Events {
	header := w.Header()
	header["Content-Type"] = streamType
	header["Cache-Control"] = noCache
	header["X-Accel-Buffering"] = noBuffering
	w.WriteHeader(http.StatusOK)
	return &Events{w: w, limits: limits, client: client, control: http.NewResponseController(w)}
}

// Send writes a message as an event, see [AppendEvent].
func (s *Events) Send(id string, msg []byte) error {
	s.buf = AppendEvent(s.buf[:0], id, msg)
	return s.Flush()
}

// Event writes an event with a type.
func (s *Events) Event(kind string, data []byte) error {
	s.buf = append(append(append(s.buf[:0], "event: "...), kind...), '\n')
	s.buf = AppendEvent(s.buf, "", data)
	return s.Flush()
}

// Prime writes an event that gives the client an id to resume from, see [appendPriming].
func (s *Events) Prime(id string, retry time.Duration) error {
	s.buf = appendPriming(s.buf[:0], id, retry)
	return s.Flush()
}

// Comment writes a comment, which keeps the stream open.
func (s *Events) Comment() error {
	s.buf = append(s.buf[:0], comment...)
	return s.Flush()
}

// Flush sends what was not sent, and the headers.
func (s *Events) Flush() error {
	s.control.SetWriteDeadline(time.Now().Add(s.limits.WriteTimeout)) // a writer without support has deadlines of its own
	held, ok := s.limits.Memory.Hold(s.client, len(s.buf))
	if !ok {
		s.limits.Log.Warn(NotTaken)
		return errors.New(NotTaken)
	}
	defer held.Release()
	if len(s.buf) > 0 {
		if _, err := s.w.Write(s.buf); err != nil {
			return err
		}
	}
	const most = 64 << 10 // bytes; larger buffers are not kept
	if s.buf = s.buf[:0]; cap(s.buf) > most {
		s.buf = nil
	}
	return s.control.Flush()
}

// End removes the deadline, which would otherwise apply to what net/http writes afterwards and to the next request of the connection.
func (s *Events) End() { s.control.SetWriteDeadline(time.Time{}) }

// Reply is the answer to a request, which becomes a stream of events when a message is posted before it. Goroutines may use it at the same time.
type Reply struct {
	Writer http.ResponseWriter
	Client Client
	Limits *EventLimits

	mu    sync.Mutex
	out   *Events // nil until the answer is a stream
	over  bool
	err   error
	timer *time.Timer // posts comments, to keep the stream open
}

// Open makes the answer a stream when the first comment is due, if no message is posted before.
func (r *Reply) Open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		r.timer = time.AfterFunc(r.Limits.KeepAlive, func() { r.Post(nil) })
	}
}

// Post sends a message as an event; nil is a comment. After a failure the client is taken for gone.
func (r *Reply) Post(msg []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return runtime.ErrClosed
	}
	if r.out == nil {
		r.out = NewEvents(r.Writer, r.Limits, r.Client)
	}
	if r.timer == nil {
		r.timer = time.AfterFunc(r.Limits.KeepAlive, func() { r.Post(nil) })
	}
	r.timer.Reset(r.Limits.KeepAlive)
	if r.err == nil && msg == nil {
		r.err = r.out.Comment()
	} else if r.err == nil {
		r.err = r.out.Send("", msg)
	}
	if r.err != nil {
		return errors.Join(runtime.ErrClosed, r.err)
	}
	return nil
}

// Finish ends the stream with the answer, unless that is empty. It reports false if the answer is not a stream, so that the caller has to answer. The writer
// is not used afterwards, nor kept.
func (r *Reply) Finish(answer []byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.out
	if r.timer != nil {
		r.timer.Stop()
	}
	if out != nil {
		if len(answer) > 0 && r.err == nil {
			out.Send("", answer)
		}
		out.End()
	}
	r.over, r.Writer, r.out = true, nil, nil
	return out != nil
}
