package mcphttp

import (
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
)

// store keeps the latest events of a session, of all of its streams, for clients that come back for them (2025-11-25,
// basic/transports, Resumability and Redelivery). The session's lock is held whenever it is used.
type store struct {
	max     int // bytes
	bytes   int
	total   *atomic.Int64 // bytes that the stores of all sessions keep
	kept    atomic.Int64  // bytes, for those who do not hold the session's lock
	first   int64         // the index of events[0]
	events  []storedEvent
	streams map[int64]*stream // by number: those that go on, and those with events
}

// storedEvent is one event. Its index is unique in the session.
type storedEvent struct {
	stream *stream
	data   []byte // nil: the event that a client is primed with
}

// stream is what answers one request, or, with number zero, what the client is told beside.
type stream struct {
	number int64
	kept   int           // events in the store
	latest int64         // the index of the latest event; -1: none
	lost   int64         // the index of the latest event that is not kept any more; -1: none
	sent   int64         // the index behind the latest event that was written to a client
	ended  bool          // there will be no more events
	hangup bool          // the client is to come back for what follows
	reader *reader       // nil: no client reads it now
	room   chan struct{} // closed when the reader has taken what there was; nil: nobody waits for that
}

// reader is a request that takes the events of a stream.
type reader struct {
	wake chan struct{} // holds a token when there is something new about the stream
	stop chan struct{} // closed when another request has taken its place
}

// signal tells the reader, if there is one, that there is something new.
func (st *stream) signal() {
	if st.reader == nil {
		return
	}
	select {
	case st.reader.wake <- struct{}{}:
	default:
	}
}

// full returns what to wait for while a reader is behind; nil: nothing.
func (st *stream) full() <-chan struct{} {
	if st.reader == nil || st.latest < st.sent {
		return nil
	}
	if st.room == nil {
		st.room = make(chan struct{})
	}
	return st.room
}

// relieve lets go on who waits for the reader.
func (st *stream) relieve() {
	if st.room != nil {
		close(st.room)
		st.room = nil
	}
}

// newStream returns a stream that begins now.
func (s *store) newStream(number int64) *stream {
	if s.streams == nil {
		s.streams = make(map[int64]*stream)
	}
	st := &stream{number: number, latest: -1, lost: -1, sent: s.end()}
	s.streams[number] = st
	return st
}

// end is the index of the next event.
func (s *store) end() int64 { return s.first + int64(len(s.events)) }

// add adds an event, and makes room for it.
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

// grow counts bytes that are kept, or, below zero, are not any more.
func (s *store) grow(bytes int) {
	s.bytes += bytes
	s.kept.Store(int64(s.bytes))
	s.total.Add(int64(bytes))
}

// clear forgets all events, at the end of a session.
func (s *store) clear() {
	s.grow(-s.bytes)
	s.events = nil
}

// eventCost is what an event takes beside its data, in bytes.
const eventCost = 64

// drop forgets the oldest event.
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

// forget lets go of a stream of which nothing is left.
func (s *store) forget(st *stream) {
	if st.ended && st.kept == 0 && st.reader == nil {
		delete(s.streams, st.number)
	}
}

// errLost says that events that a client needs are not kept any more.
var errLost = errors.New("the events after this one are no longer stored")

// after returns the events of a stream from the index at on, at most a few, and the index to go on from.
func (s *store) after(st *stream, at int64) (events []indexed, next int64, err error) {
	if st.lost >= at {
		return nil, at, errLost
	}
	const most = 16
	for at = max(at, s.first); at < s.end() && len(events) < most; at++ {
		if e := s.events[at-s.first]; e.stream == st {
			events = append(events, indexed{at, e.data})
		}
	}
	return events, at, nil
}

// indexed is an event with its index.
type indexed struct {
	index int64
	data  []byte
}

// eventID names an event: its stream, and its index.
func eventID(st *stream, index int64) string {
	return strconv.FormatInt(st.number, 36) + "-" + strconv.FormatInt(index, 36)
}

// find returns the stream of an event, and the index behind the event.
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
