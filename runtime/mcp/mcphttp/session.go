package mcphttp

import (
	"container/list"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// session is what a client has that began with a handshake (2025-11-25, basic/transports, Session Management). As a
// [runtime.Conn] it is the way to the client beside its requests: the stream that the client opens with GET.
type session struct {
	h         *Handler
	id        string
	principal string     // who opened it
	caller    web.Client // for whom it counts
	hooks     runtime.Hooks
	d         *runtime.Dispatcher
	lastID    atomic.Int64  // of own requests
	done      chan struct{} // closed when the session is
	beside    *stream

	mu       sync.Mutex
	store    store
	requests int64                   // that were answered by streams
	calls    map[string]*sessionCall // whose handler has not returned, by their key
	batches  int64                   // that were called
	pending  map[int64]chan<- []byte // own requests that wait for a response
	uses     int                     // requests, streams and calls that keep the session from being idle
	idle     *time.Timer
	resting  *list.Element // in the list of idle sessions, whose lock is held for this; nil: it is not idle
	closed   bool
}

func newSession(h *Handler, id, principal string, c web.Client) *session {
	s := &session{
		h: h, id: id, principal: strings.Clone(principal), caller: c, done: make(chan struct{}), uses: 1,
		calls: make(map[string]*sessionCall), pending: make(map[int64]chan<- []byte),
	}
	s.store.max, s.store.total = h.o.ReplayBytes, &h.sessions.replay
	s.beside = s.store.newStream(0)
	handler := h.srv.Open(s)
	s.hooks, s.d = handler.Hooks(), runtime.NewDispatcher(handler, h.o.Runtime)
	return s
}

// use counts what keeps the session from being idle. False: it is closed.
func (s *session) use() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.busy(1)
	return true
}

// reuse is the end of unuse, also of a session that is closed by now.
func (s *session) reuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy(1)
}

// busy counts uses; the lock is held. An idle session may give way to new ones.
func (s *session) busy(n int) {
	was := s.uses
	s.uses += n
	if idle := s.uses == 0; !s.closed && idle != (was == 0) {
		s.h.sessions.rest(s, idle)
	}
}

// unuse is the end of what use began. An idle session is closed after a while.
func (s *session) unuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy(-1)
	switch {
	case s.uses > 0 || s.closed:
	case s.idle == nil:
		s.idle = time.AfterFunc(s.h.o.SessionIdle, s.expire)
	default:
		s.idle.Reset(s.h.o.SessionIdle)
	}
}

// expire closes the session when it is idle still.
func (s *session) expire() { s.closeIf(func() bool { return s.uses == 0 }) }

// close ends the session: its calls are cancelled, its streams end, and its own requests fail.
func (s *session) close() { s.closeIf(func() bool { return true }) }

// closeIf closes the session when a condition holds, with the lock held.
func (s *session) closeIf(condition func() bool) {
	s.mu.Lock()
	if s.closed || !condition() {
		s.mu.Unlock()
		return
	}
	s.closed = true
	if s.idle != nil {
		s.idle.Stop()
	}
	calls := slices.Collect(maps.Values(s.calls))
	s.store.clear()
	s.mu.Unlock()
	for _, c := range calls {
		c.cancel(errSessionOver) // before what they wait for fails
	}
	close(s.done)
	s.h.sessions.remove(s)
	if s.hooks.Closed != nil {
		s.hooks.Closed()
	}
}

var errSessionOver = errors.New("mcphttp: the session has ended")

// Cancel cancels a call of the client.
func (s *session) Cancel(id runtime.ID, cause error) bool {
	s.mu.Lock()
	c := s.calls[id.String()]
	s.mu.Unlock()
	if c == nil {
		return false
	}
	c.cancel(cause)
	return true
}

// maxID is the bound of own ids; see [runtime.Conn].
const maxID = 1 << 60

// NextID implements [runtime.Conn].
func (s *session) NextID(n int) (int64, error) {
	last := s.lastID.Add(int64(n))
	if last >= maxID {
		return 0, runtime.ErrIDsExhausted
	}
	return last - int64(n) + 1, nil
}

// Notify sends a notification beside the client's requests. It is kept until the client opens a stream for it.
func (s *session) Notify(ctx context.Context, msg []byte) error { return s.tell(ctx, s.beside, msg) }

// Call sends a request beside the client's, and waits for the response.
func (s *session) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	return s.ask(ctx, id, msg, s.Notify)
}

// CallBatch implements [runtime.Conn]; batches are not sent to clients, which may speak a revision without them.
func (*session) CallBatch(context.Context, int64, int, []byte) ([][]byte, error) {
	return nil, errNoBatches
}

var errNoBatches = errors.New("mcphttp: batches are not sent to clients")

// tell puts a message in a stream. While a client reads the stream, it is waited for: so what it has not seen is kept.
func (s *session) tell(ctx context.Context, st *stream, msg []byte) error {
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

// ask sends a request with send, and waits for the response.
func (s *session) ask(ctx context.Context, id int64, msg []byte, send func(context.Context, []byte) error) ([]byte, error) {
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
		return msg, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-s.done:
		return nil, runtime.ErrClosed
	}
}

// deliver gives a response to the call that waits for it. Others are dropped: their request was given up.
func (s *session) deliver(msg []byte) {
	id, err := strconv.ParseInt(string(wire.PeekAt(msg).In("id").JSON()), 10, 64)
	s.mu.Lock()
	waits := s.pending[id]
	delete(s.pending, id)
	s.mu.Unlock()
	if err != nil || waits == nil {
		s.h.peerLog.Debug("a response without a request was dropped")
		return
	}
	waits <- msg
}
