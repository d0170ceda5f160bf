package runtime

import (
	"sync"
	"sync/atomic"
)

// inbound is the peer's calls in flight.
type inbound struct {
	slots atomic.Int64 // calls and batches whose handlers have not returned; only the reader adds to it

	mu    sync.Mutex
	calls map[string]*callContext // by the text of their id
}

// add lists a call as in flight. It reports false when its id is in flight already.
func (in *inbound) add(key string, ctx *callContext) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if _, twice := in.calls[key]; twice {
		return false
	}
	if in.calls == nil {
		in.calls = make(map[string]*callContext)
	}
	in.calls[key] = ctx
	return true
}

// remove makes an id free again.
func (in *inbound) remove(key string) {
	in.mu.Lock()
	delete(in.calls, key)
	in.mu.Unlock()
}

// get returns the call with an id, or nil when none is in flight.
func (in *inbound) get(key string) *callContext {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.calls[key]
}

// rest gives the table back while it is empty.
func (in *inbound) rest() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.calls) == 0 {
		in.calls = nil
	}
}
