package mcphttp

import "github.com/rpcgen-go/rpcgen/runtime/internal/web"

// keep drops events while all sessions together keep more than MaxReplayBytes. No lock of a session may be held.
func (t *sessions) keep() {
	most := int64(t.h.o.MaxReplayBytes)
	if t.replay.Load() <= most || !t.easing.TryLock() {
		return
	}
	defer t.easing.Unlock()
	for low := most / 8 * 7; t.replay.Load() > low; {
		if s := t.heaviest(); s == nil || !s.ease(t.replay.Load()-low) {
			return
		}
	}
}

// heaviest returns the session that keeps most bytes, of the client whose sessions keep most, or nil.
func (t *sessions) heaviest() (heaviest *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var who web.Client
	all, most := make(map[web.Client]int64), int64(0)
	for _, s := range t.all {
		if all[s.caller] += s.store.kept.Load(); all[s.caller] > all[who] {
			who = s.caller
		}
	}
	for _, s := range t.all {
		if n := s.store.kept.Load(); s.caller == who && n > most {
			heaviest, most = s, n
		}
	}
	return heaviest
}

// ease drops the oldest events of the session, with that many bytes. It reports false if there are none.
func (s *session) ease(bytes int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	had := s.store.bytes
	for len(s.store.events) > 0 && int64(had-s.store.bytes) < bytes {
		s.store.drop()
	}
	return s.store.bytes < had
}
