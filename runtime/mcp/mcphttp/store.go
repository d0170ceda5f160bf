package mcphttp

import (
	"errors"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime/internal/wake"
)

// store keeps the latest events of all streams of a session for clients that reconnect (2025-11-25,
// basic/transports, Resumability and Redelivery). The lock of the session guards it.
type store struct {
	max     int // in bytes
	bytes   int
	total   *atomic.Int64 // bytes that the stores of all sessions keep
	kept    atomic.Int64  // bytes, readable without the session's lock
	first   int64         // index of events[0]
	events  []storedEvent
	streams map[int64]*stream // by number: those that have not ended, and those with events
}

// storedEvent is one event. Its index is unique in the session.
type storedEvent struct {
	stream *stream
	data   []byte // nil for the event that primes a client
}

// stream is the stream of one request, or with number 0 the separate stream.
type stream struct {
	number int64
	suffix string        // of the ids of its events
	kept   int           // number of events in the store
	latest int64         // index of the latest event; -1 if there is none
	lost   int64         // index of the latest event that was dropped; -1 if there is none
	sent   int64         // index after the latest event that was written to a client
	ended  bool          // no more events will be added
	hangup bool          // the connection has to be closed; the client reconnects
	reader *reader       // nil if no client reads the stream
	room   chan struct{} // closed when the reader has written all events; nil if nothing waits
}

// reader is a request that reads the events of a stream.
type reader struct {
	wake chan struct{} // holds a token if the stream has changed
	stop chan struct{} // closed when another request has taken over
}

// signal wakes the reader, if there is one.
func (st *stream) signal() {
	if st.reader != nil {
		wake.Up(st.reader.wake)
	}
}

// full returns a channel to wait for while the reader has events to write, or nil.
func (st *stream) full() <-chan struct{} {
	if st.reader == nil || st.latest < st.sent {
		return nil
	}
	if st.room == nil {
		st.room = make(chan struct{})
	}
	return st.room
}

// relieve wakes what waits for the reader.
func (st *stream) relieve() {
	if st.room != nil {
		close(st.room)
		st.room = nil
	}
}

// newStream returns a new stream.
func (s *store) newStream(number int64, suffix string) *stream {
	if s.streams == nil {
		s.streams = make(map[int64]*stream)
	}
	st := &stream{number: number, suffix: suffix, latest: -1, lost: -1, sent: s.end()}
	s.streams[number] = st
	return st
}

// end returns the index of the next event.
func (s *store) end() int64 { return s.first + int64(len(s.events)) }

// add adds an event, and drops the oldest ones if there are too many bytes.
func (s *store) add(st *stream, data []byte) {
	st.latest = s.end()
	s.events = append(s.events, storedEvent{st, data})
	s.grow(len(data) + eventCost)
	st.kept++
	st.signal()
	for s.bytes > s.max && len(s.events) > 1 {
		s.drop()
	}
}

// grow adds bytes, which may be negative, to the counters.
func (s *store) grow(bytes int) {
	s.bytes += bytes
	s.kept.Store(int64(s.bytes))
	s.total.Add(int64(bytes))
}

// eventCost is the memory of an event in addition to its data, in bytes.
const eventCost = 64

// drop drops the oldest event.
func (s *store) drop() {
	e := s.events[0]
	s.events[0] = storedEvent{}
	s.events = s.events[1:]
	s.grow(-len(e.data) - eventCost)
	e.stream.lost = s.first
	e.stream.kept--
	s.first++
	s.forget(e.stream)
}

// finish ends a stream.
func (s *store) finish(st *stream) {
	st.ended = true
	st.signal()
	s.forget(st)
}

// forget removes a stream that has ended and has no events.
func (s *store) forget(st *stream) {
	if st.ended && st.kept == 0 && st.reader == nil {
		delete(s.streams, st.number)
	}
}

// errLost means that events which a client needs were dropped.
var errLost = errors.New("the events after this one are no longer stored")

// after returns some events of a stream from the index at on, and the index after them.
func (s *store) after(st *stream, at int64) (events []indexedEvent, next int64, err error) {
	if st.lost >= at {
		return nil, at, errLost
	}
	const most = 16
	for at = max(at, s.first); at < s.end() && len(events) < most; at++ {
		if e := s.events[at-s.first]; e.stream == st {
			events = append(events, indexedEvent{at, e.data})
		}
	}
	return events, at, nil
}

// indexedEvent is an event with its index.
type indexedEvent struct {
	index int64
	data  []byte
}

// find returns the stream of an event and the index after the event.
func (s *store) find(id string) (st *stream, next int64, ok bool) {
	number, index, _ := strings.Cut(id, "-")
	n, err := strconv.ParseInt(number, 36, 64)
	i, err2 := strconv.ParseInt(index, 36, 64)
	if err != nil || err2 != nil || i < 0 || i >= s.end() {
		return nil, 0, false
	}
	st = s.streams[n]
	return st, i + 1, st != nil
}
