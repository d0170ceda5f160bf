package mcphttp

import (
	"container/list"
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// sessions holds the sessions of a handler. If there are too many, idle sessions of the caller with the most sessions are closed first.
type sessions struct {
	h        *Handler
	draining context.Context // ends when separate streams have to
	drain    context.CancelFunc
	replay   atomic.Int64 // bytes of events that all sessions keep
	easing   sync.Mutex   // held while events are dropped

	mu      sync.Mutex
	all     map[string]*session
	opened  int // sessions in all, including those whose handshake is being made
	holders map[web.Client]*holder
	closed  bool
}

// holder is a caller that has sessions.
type holder struct {
	opened int
	idle   list.List // of *session, the one that has been idle longest first
}

func (t *sessions) init(h *Handler) {
	t.h, t.all = h, make(map[string]*session)
	t.draining, t.drain = context.WithCancel(context.Background())
	t.holders = make(map[web.Client]*holder)
}

// openAs is open for a session with an id.
func (t *sessions) openAs(id string, c web.Client, principal string) (*session, *refusal) {
	const attempts = 8 // to make room, which other requests may take
	for range attempts {
		stale, refused := t.reserve(c)
		if refused == nil {
			return newSession(t.h, id, principal, c.Clone()), nil
		}
		if stale == nil {
			return nil, refused
		}
		stale.expire() // has no effect if it was used meanwhile
	}
	return nil, conditionRefusal(web.TooMany("sessions", t.h.o.MaxSessions, t.h.o.MaxSessions))
}

// reserve counts a session of the caller. If there are too many, it returns a stale session that has to be closed first, or a refusal if there is none.
func (t *sessions) reserve(c web.Client) (stale *session, refused *refusal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	own, o := t.holders[c], &t.h.o
	if own == nil {
		own, c = new(holder), c.Clone()
	}
	switch {
	case own.opened >= o.MaxSessionsPerClient:
		return own.stale(), conditionRefusal(web.TooManyOfClient("sessions", own.opened, o.MaxSessionsPerClient))
	case t.opened >= o.MaxSessions:
		return t.largest(own).stale(), conditionRefusal(web.TooMany("sessions", t.opened, o.MaxSessions))
	}
	if own.opened == 0 {
		t.holders[c] = own
	}
	t.opened++
	own.opened++
	return nil, nil
}

// largest returns the holder with the most sessions, among own and the holders that have more and at least one idle session. The lock must be held.
func (t *sessions) largest(own *holder) *holder {
	for _, other := range t.holders {
		if other.opened > own.opened && other.idle.Len() > 0 {
			own = other
		}
	}
	return own
}

// stale returns the session that has been idle longest, or nil. The lock must be held.
func (d *holder) stale() *session {
	if first := d.idle.Front(); first != nil {
		return first.Value.(*session)
	}
	return nil
}

// rest notes that a session becomes idle or is in use again. The session's lock must be held.
func (t *sessions) rest(s *session, idle bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.holders[s.caller]
	switch {
	case own == nil:
	case idle && s.resting == nil:
		s.resting = own.idle.PushBack(s)
	case !idle && s.resting != nil:
		own.idle.Remove(s.resting)
		s.resting = nil
	}
}

// add makes a session known. It reports false if no more sessions are accepted.
func (t *sessions) add(s *session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.all[s.id] = s
	}
	return !t.closed
}

// find returns the session with the id if it belongs to the principal, and otherwise nil.
func (t *sessions) find(id, principal string) *session {
	if s := t.get(id); s != nil && s.principal == principal {
		return s
	}
	return nil
}

// get returns the session with the id, or nil.
func (t *sessions) get(id string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all[id]
}

// list returns all sessions.
func (t *sessions) list() []*session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.all))
}

// forget undoes add.
func (t *sessions) forget(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all[s.id] == s {
		delete(t.all, s.id)
	}
}

// remove undoes open and add.
func (t *sessions) remove(s *session) {
	t.rest(s, false)
	t.forget(s)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opened--
	own := t.holders[s.caller]
	if own.opened--; own.opened == 0 {
		delete(t.holders, s.caller)
	}
}

// close closes all sessions.
func (t *sessions) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	for _, s := range t.list() {
		s.Close()
	}
}
