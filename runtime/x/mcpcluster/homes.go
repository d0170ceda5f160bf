package mcpcluster

import "sync"

// homes remembers where sessions live, so that most requests that are passed on need no record. It may be wrong: the replica that it names then does
// not serve the request, and the record says which one does. The zero value is usable.
type homes struct {
	mu  sync.Mutex
	all map[string]knownHome
}

type knownHome struct{ replica, principal string }

// mostHomes is how many sessions are remembered.
const mostHomes = 1 << 14

// of returns the home of a session of the principal; empty if it is not known.
func (h *homes) of(session, principal string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if known, ok := h.all[session]; ok && known.principal == principal {
		return known.replica
	}
	return ""
}

// learn notes the home of a session. If there are too many, it forgets another one.
func (h *homes) learn(session, replica, principal string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = make(map[string]knownHome)
	}
	if len(h.all) >= mostHomes {
		for other := range h.all {
			delete(h.all, other)
			break
		}
	}
	h.all[session] = knownHome{replica, principal}
}

// forget forgets the home of a session.
func (h *homes) forget(session string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, session)
}

// clear forgets all.
func (h *homes) clear() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.all)
}
