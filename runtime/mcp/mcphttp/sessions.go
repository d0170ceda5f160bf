package mcphttp

import (
	"container/list"
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime/internal/web"
)

// sessions are those of a handler. When there are too many, idle ones give way to new ones, those of the caller first that has most.
type sessions struct {
	h        *Handler
	draining chan struct{} // closed when streams beside requests are to end
	drain    sync.Once
	replay   atomic.Int64 // bytes of events that all of them keep
	easing   sync.Mutex   // held while events are dropped because all of them keep too much

	mu      sync.Mutex
	all     map[string]*session
	opened  int // those in all, and those whose handshake is being made
	holders map[web.Client]*holder
	closed  bool
}

// holder is a caller that has sessions.
type holder struct {
	opened int
	idle   list.List // of *session, the one that has been idle longest first
}

func (t *sessions) init(h *Handler) {
	t.h, t.all, t.draining = h, make(map[string]*session), make(chan struct{})
	t.holders = make(map[web.Client]*holder)
}

// open returns a new session, which nobody can find yet. A refusal says that there are too many.
func (t *sessions) open(c web.Client, principal string) (*session, *refusal) {
	const attempts = 8 // to make room, while others take it
	for range attempts {
		stale, refused := t.reserve(c)
		if refused == nil {
			return newSession(t.h, rand.Text(), principal, c.Kept()), nil // 26 letters and digits, 130 bits
		}
		if stale == nil {
			return nil, refused
		}
		stale.expire() // in vain when it was used meanwhile
	}
	return nil, refusing(web.TooMany("sessions", t.h.o.MaxSessions, t.h.o.MaxSessions))
}

// reserve counts a session of the caller. Otherwise there are too many, and one that is stale, if there is one, has to give way first.
func (t *sessions) reserve(c web.Client) (stale *session, refused *refusal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	own, o := t.holders[c], &t.h.o
	if own == nil {
		own, c = new(holder), c.Kept()
	}
	switch {
	case own.opened >= o.MaxSessionsPerClient:
		return own.stale(), refusing(web.TooManyOfClient("sessions", own.opened, o.MaxSessionsPerClient))
	case t.opened >= o.MaxSessions:
		return t.largest(own).stale(), refusing(web.TooMany("sessions", t.opened, o.MaxSessions))
	}
	if own.opened == 0 {
		t.holders[c] = own
	}
	t.opened++
	own.opened++
	return nil, nil
}

// largest returns the holder of most sessions among own and those that have more and could do without one. The lock is held.
func (t *sessions) largest(own *holder) *holder {
	for _, other := range t.holders {
		if other.opened > own.opened && other.idle.Len() > 0 {
			own = other
		}
	}
	return own
}

// stale returns the session that has been idle longest; nil: none is. The lock is held.
func (d *holder) stale() *session {
	if first := d.idle.Front(); first != nil {
		return first.Value.(*session)
	}
	return nil
}

// rest notes that a session is idle from now on, or is not any more. The session's lock is held.
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

// add has the session found. False: there are to be no sessions any more.
func (t *sessions) add(s *session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.all[s.id] = s
	}
	return !t.closed
}

// find returns the session with the id, when it is the principal's; otherwise nil.
func (t *sessions) find(id, principal string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.all[id]; s != nil && s.principal == principal {
		return s
	}
	return nil
}

// remove is the end of open and add.
func (t *sessions) remove(s *session) {
	t.rest(s, false)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, s.id)
	t.opened--
	own := t.holders[s.caller]
	if own.opened--; own.opened == 0 {
		delete(t.holders, s.caller)
	}
}

// quiet ends streams beside requests.
func (t *sessions) quiet() { t.drain.Do(func() { close(t.draining) }) }

// close closes all sessions.
func (t *sessions) close() {
	t.mu.Lock()
	t.closed = true
	all := slices.Collect(maps.Values(t.all))
	t.mu.Unlock()
	for _, s := range all {
		s.close()
	}
}
