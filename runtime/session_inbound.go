package runtime

import (
	"sync"
	"sync/atomic"
	"time"
)

// inbound holds the calls of the peer that are in flight. The table exists to find duplicate ids
// and to cancel calls; counting needs no lock.
type inbound struct {
	slots atomic.Int64 // calls and batches whose handlers run; only the reader increments it

	mu    sync.Mutex
	calls map[string]*callContext // by [ID.Key]; nil while it is empty
	timer *time.Timer             // of the earliest deadline; nil until a call has one
	armed time.Time               // when the timer fires; zero if it is not set
}

// add adds a call to the table. It reports false if its id is in flight already.
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

// remove removes a call, so that its id may be used again.
func (in *inbound) remove(key string) {
	in.mu.Lock()
	delete(in.calls, key)
	in.mu.Unlock()
}

// get returns the call whose id has the key, or nil if it is not in flight.
func (in *inbound) get(key string) *callContext {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.calls[key]
}

// rest frees the table if it is empty: a map never shrinks, and an idle session should take little
// memory.
func (in *inbound) rest() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.calls) == 0 {
		in.calls = nil
	}
}
