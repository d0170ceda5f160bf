package mcphttp

import (
	"container/list"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/runtime/internal/mcp/replicas"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/mcp"
)

// session is the server's state of a session, which begins with a handshake (2025-11-25,
// basic/transports, Session Management). As a [runtime.Conn] it sends messages that belong to no
// request of the client, on the separate stream that the client opens with GET.
type session struct {
	web.IDs    // of own requests
	h          *Handler
	id         string
	principal  string     // who opened the session
	caller     web.Client // for whom it counts
	hooks      runtime.Hooks
	d          *runtime.Dispatcher
	done       chan struct{} // closed with the session
	standalone *stream
	part       replicas.Part // of the replicas in the session; nil if it stays in this handler

	mu       sync.Mutex
	store    store
	requests int64                   // number of requests that were answered by streams
	calls    map[string]*sessionCall // whose handlers have not returned, by their key
	early    earlyCancels            // of calls that have not arrived yet
	answered recentKeys              // of calls that have ended: what cancels them is late, and not early
	batches  int64                   // number of batches that were called
	pending  map[int64]chan<- []byte // own requests that wait for a response; nil is sent if it was lost
	uses     int                     // requests, streams and calls that keep the session from being idle
	idle     *time.Timer
	// element in the list of idle sessions, guarded by the lock of that list; nil if the session is
	// not idle
	resting *list.Element
	closed  bool
	moved   bool // another replica has continued the session
}

func newSession(h *Handler, id, principal string, c web.Client) *session {
	s := &session{
		h: h, id: id, principal: strings.Clone(principal), caller: c, done: make(chan struct{}), uses: 1,
		calls: make(map[string]*sessionCall), pending: make(map[int64]chan<- []byte),
	}
	s.store.max, s.store.total = h.o.ReplayBytes, &h.sessions.replay
	handler := h.srv.Open(s)
	s.hooks, s.d = handler.Hooks(), runtime.NewDispatcher(handler, h.o.Runtime)
	if h.place != nil {
		s.part = h.place.Enter(resident{s})
	}
	s.standalone = s.store.newStream(0, s.suffix(""))
	return s
}

// Done returns a channel that is closed with the session. Limiters find by it that a call belongs to
// a session.
func (s *session) Done() <-chan struct{} { return s.done }

// Use counts something that keeps the session from being idle. It reports false if the session is
// closed.
func (s *session) Use() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.busy(1)
	return true
}

// reuse undoes Unuse, also for a session that was closed meanwhile.
func (s *session) reuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy(1)
}

// busy adds n to uses. The lock must be held. An idle session may be closed to make room for new
// ones.
func (s *session) busy(n int) {
	was := s.uses
	s.uses += n
	if idle := s.uses == 0; !s.closed && idle != (was == 0) {
		s.h.sessions.rest(s, idle)
	}
}

// Unuse undoes Use. A session that is idle is closed after a while.
func (s *session) Unuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy(-1)
	switch {
	case s.spent():
		s.closeIfSpent()
	case s.uses > 0 || s.closed:
	case s.idle == nil:
		s.idle = time.AfterFunc(s.h.o.SessionIdle, s.expire)
	default:
		s.idle.Reset(s.h.o.SessionIdle)
	}
}

// expire closes the session if it is still idle.
func (s *session) expire() { s.closeIf(func() bool { return s.uses == 0 }) }

// Close ends the session: its calls are cancelled, its streams end, and its own requests fail.
func (s *session) Close() { s.closeIf(func() bool { return true }) }

// closeIf closes the session if a condition holds, which is evaluated with the lock held.
func (s *session) closeIf(condition func() bool) {
	s.mu.Lock()
	if s.closed || !condition() {
		s.mu.Unlock()
		return
	}
	s.closed = true
	moved := s.moved
	if s.idle != nil {
		s.idle.Stop()
	}
	calls := slices.Collect(maps.Values(s.calls))
	s.store.grow(-s.store.bytes)
	s.store.events = nil
	s.mu.Unlock()
	for _, c := range calls {
		c.cancel(errSessionOver) // first, so that they see this cause and not the failure of their own requests
	}
	close(s.done)
	s.h.sessions.remove(s)
	if s.hooks.Closed != nil {
		s.hooks.Closed()
	}
	if s.part != nil {
		s.part.Over(moved)
	}
}

// spent reports whether another replica has continued the session, and it has no calls left and no client that reads the answer of one. The lock must be held.
func (s *session) spent() bool { return s.moved && len(s.calls) == 0 && s.uses == 0 }

// closeIfSpent closes a session that is spent, later. The lock must be held.
func (s *session) closeIfSpent() {
	if s.spent() && !s.closed {
		s.h.running.Add(1)
		go func() {
			defer s.h.leave()
			s.Close()
		}()
	}
}

var errSessionOver = errors.New("mcphttp: the session has ended")

// Cancel cancels a call of the client. It may be one that arrives later: the cancellation is a request of its own, on another connection. In a session that
// another replica has served before, it is more likely that the call was answered there: then the next call with that id is not to suffer.
func (s *session) Cancel(id runtime.ID, cause error) bool {
	if s.cancelHere(id, cause, false) || s.part != nil && s.part.Cancel(id) {
		return true
	}
	return s.cancelHere(id, cause, true)
}

// cancelHere cancels a call that this replica serves. If there is none, it may wait for the call.
func (s *session) cancelHere(id runtime.ID, cause error, wait bool) bool {
	key := id.Key()
	s.mu.Lock()
	c := s.calls[key]
	if c == nil && wait && !slices.Contains(s.answered, key) {
		s.early.add(key, cause)
	}
	s.mu.Unlock()
	if c == nil {
		return false
	}
	c.cancel(cause)
	return true
}

// earlyCancels holds the last cancellations whose calls were unknown. Some of these have ended long ago, and their ids are not used again.
type earlyCancels []earlyCancel

type earlyCancel struct {
	key   string
	cause error
}

// add keeps a cancellation, and drops the oldest one if there are too many. Those with long ids or reasons are not kept.
func (e *earlyCancels) add(key string, cause error) {
	const most, longest = 16, 256 // bytes
	if len(key)+len(cause.Error()) > longest {
		return
	}
	if c, ok := errors.AsType[*mcp.CancelledError](cause); ok {
		cause = &mcp.CancelledError{Reason: strings.Clone(c.Reason)} // which shares the bytes of its message
	}
	*e = append((*e)[max(0, len(*e)-most+1):], earlyCancel{strings.Clone(key), cause})
}

// recentKeys holds the keys of the calls that have ended last. Those with long ids are not kept.
type recentKeys []string

func (r *recentKeys) add(key string) {
	const most, longest = 16, 256 // bytes
	if len(key) <= longest {
		*r = append((*r)[max(0, len(*r)-most+1):], strings.Clone(key))
	}
}

// take returns the cause of a cancellation that has arrived before its call, or nil.
func (e *earlyCancels) take(key string) error {
	i := slices.IndexFunc(*e, func(one earlyCancel) bool { return one.key == key })
	if i < 0 {
		return nil
	}
	cause := (*e)[i].cause
	*e = slices.Delete(*e, i, i+1)
	return cause
}

// Notify sends a notification on the separate stream. It is kept until the client opens the stream.
func (s *session) Notify(ctx context.Context, msg []byte) error {
	return s.push(ctx, s.standalone, msg)
}

// Call sends a request on the separate stream and waits for the response.
func (s *session) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	return s.roundTrip(ctx, id, msg, s.Notify)
}

// CallBatch implements [runtime.Conn]. Batches are not sent, because only one revision has them.
func (*session) CallBatch(context.Context, int64, int, []byte) ([][]byte, error) {
	return nil, errNoBatches
}

var errNoBatches = errors.New("mcphttp: batches are not sent to clients")

// push adds a message to a stream. While a client reads the stream, push waits for it, so that a
// message it has not seen is not dropped.
func (s *session) push(ctx context.Context, st *stream, msg []byte) error {
	msg = append([]byte(nil), msg...)
	for {
		s.mu.Lock()
		if s.closed || st.ended {
			s.mu.Unlock()
			return runtime.ErrClosed
		}
		room := st.full()
		if room == nil {
			s.store.add(st, msg)
			s.mu.Unlock()
			s.h.sessions.keep()
			return nil
		}
		s.mu.Unlock()
		select {
		case <-room:
		case <-s.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// roundTrip sends a request with send and waits for the response.
func (s *session) roundTrip(ctx context.Context, id int64, msg []byte, send func(context.Context, []byte) error) ([]byte, error) {
	response := make(chan []byte, 1)
	s.mu.Lock()
	s.pending[id] = response
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.pending, id)
		s.mu.Unlock()
	}()
	if err := send(ctx, msg); err != nil {
		return nil, err
	}
	select {
	case msg := <-response:
		if msg == nil {
			return nil, errResponseLost
		}
		return msg, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-s.done:
		return nil, runtime.ErrClosed
	}
}

var errResponseLost = errors.New("mcphttp: the response of the client may have been lost with the connection between the replicas of the server")

// deliver passes a response to the call that waits for it. Other responses are dropped: their
// requests were cancelled. If it fails, the client has to send it again, unless it was too large.
func (s *session) deliver(msg []byte) error {
	if s.Deliver(msg) {
		return nil
	}
	if s.part != nil {
		return s.part.Deliver(msg)
	}
	s.h.peerLog.Debug("a response without a request was dropped")
	return nil
}

// Deliver passes a response to the call that waits for it in this replica. It reports false if there is none.
func (s *session) Deliver(msg []byte) bool {
	id, ok := wire.PeekAt(msg).In("id").Int64()
	s.mu.Lock()
	waits := s.pending[id]
	delete(s.pending, id)
	s.mu.Unlock()
	if !ok || waits == nil {
		return false
	}
	waits <- msg
	return true
}
