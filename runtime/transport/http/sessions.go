package mcphttp

import (
	"crypto/rand"
	"maps"
	"slices"
	"sync"
)

// sessions are those of a handler.
type sessions struct {
	h        *Handler
	draining chan struct{} // closed when streams beside requests are to end
	drain    sync.Once

	mu     sync.Mutex
	all    map[string]*session
	opened int // those in all, and those whose handshake is being made
	closed bool
}

func (t *sessions) init(h *Handler) {
	t.h, t.all, t.draining = h, make(map[string]*session), make(chan struct{})
}

// open returns a new session, which nobody can find yet; nil: there are too many.
func (t *sessions) open(principal string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.opened >= t.h.o.MaxSessions {
		return nil
	}
	t.opened++
	return newSession(t.h, rand.Text(), principal) // 26 letters and digits, 130 bits
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
	t.mu.Lock()
	delete(t.all, s.id)
	t.opened--
	t.mu.Unlock()
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
