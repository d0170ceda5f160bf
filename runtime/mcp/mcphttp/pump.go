package mcphttp

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// attach makes a reader of the stream, for a client that has received the events before the index
// at. A previous reader ends: its client has opened another connection.
func (s *session) attach(st *stream, at int64) *reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.reader != nil {
		close(st.reader.stop)
	}
	st.reader = &reader{wake: make(chan struct{}, 1), stop: make(chan struct{})}
	st.sent = max(st.sent, at)
	st.relieve()
	return st.reader
}

// detach undoes attach.
func (s *session) detach(st *stream, rd *reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.reader == rd {
		st.reader, st.hangup = nil, false
		st.relieve()
		s.store.forget(st)
	}
}

// pump writes the events of a stream from the index at on, until the stream ends, ctx ends, or calm is closed.
func (s *session) pump(ctx context.Context, w http.ResponseWriter, st *stream, at int64, calm <-chan struct{}) {
	rd := s.attach(st, at)
	defer s.detach(st, rd)
	out := web.NewEvents(w, &s.h.events, s.caller)
	if out.Flush() != nil { // the headers, before there is an event
		return
	}
	defer out.End()
	quiet := time.NewTimer(s.h.o.KeepAlive)
	defer quiet.Stop()
	for {
		next, some, more := s.write(out, st, rd, at)
		if !more {
			return
		}
		at = next
		if some {
			quiet.Reset(s.h.o.KeepAlive)
			continue
		}
		select {
		case <-rd.wake:
		case <-quiet.C:
			if out.Comment() != nil {
				return
			}
			quiet.Reset(s.h.o.KeepAlive)
		case <-rd.stop:
			return
		case <-s.done:
			return
		case <-calm:
			return
		case <-ctx.Done():
			return
		}
	}
}

// write writes the next events, if there are any, and returns the index after them. It reports more
// as false at the end of the stream or of its connection.
func (s *session) write(out *web.Events, st *stream, rd *reader, at int64) (next int64, some, more bool) {
	s.mu.Lock()
	events, next, err := s.store.after(st, at)
	over := len(events) == 0 && (st.ended || st.hangup)
	s.mu.Unlock()
	if err != nil || over {
		return at, false, false
	}
	for _, e := range events {
		if s.writeEvent(out, strconv.FormatInt(st.number, 36)+"-"+strconv.FormatInt(e.index, 36)+st.suffix, e) != nil {
			return at, false, false
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.reader != rd {
		return next, true, false
	}
	if len(events) > 0 {
		st.sent = next
		st.relieve()
	}
	return next, len(events) > 0, true
}

func (s *session) writeEvent(out *web.Events, id string, e indexedEvent) error {
	if e.data == nil {
		return out.Prime(id, s.h.o.Retry)
	}
	return out.Send(id, e.data)
}
