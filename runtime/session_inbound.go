package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// inbound holds the calls of the peer that are in flight. The table exists to find duplicate ids and to cancel calls; counting needs no lock.
type inbound struct {
	slots    atomic.Int64 // calls and batches whose handlers run; only the reader increments it
	detached atomic.Int64 // calls that no longer count in slots, see [Tap]

	mu    sync.Mutex
	calls map[string]*callContext // by [ID.Key]; nil while it is empty
	timer *time.Timer             // of the earliest deadline; nil until a call has one
	armed time.Time               // when the timer fires; zero if it is not set

	then atomic.Pointer[following] // nil unless something follows the answer to a call
}

// following holds what runs after the answers to calls.
type following map[*callContext][]func(context.Context)

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

// rest frees the table if it is empty: a map never shrinks, and an idle session should take little memory.
func (in *inbound) rest() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.calls) == 0 {
		in.calls = nil
	}
}

// AfterAnswer runs f when the answer to the call that ctx belongs to is written, or will be before anything that f sends: what a handler sends before it
// returns can reach the peer before the answer, and what it sends from a goroutine can, although it has returned. The peer then hears of an id that it does
// not know yet. The context of f ends with the session, since the call has ended; the session waits for f as for a call, and f counts as the call for
// [Options.MaxCalls]. Several functions run in their order, also if the call fails. AfterAnswer reports false, and does not run f, if ctx belongs to no
// request of this session in flight, or to one of a batch. A handler gets its session from [PeerFrom].
func (s *Session) AfterAnswer(ctx context.Context, f func(ctx context.Context)) bool {
	c := callFrom(ctx)
	if c == nil || c.s != s {
		return false
	}
	in := &s.inbound
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.calls[c.key] != c {
		return false
	}
	then := in.then.Load()
	if then == nil {
		then = &following{}
		in.then.Store(then)
	}
	(*then)[c] = append((*then)[c], func(ctx context.Context) {
		defer func() {
			if p := recover(); p != nil {
				s.d.opts.Logger.Error("a function that ran after an answer has panicked", "panic", peerlog.Value(p))
			}
		}()
		f(ctx)
	})
	return true
}

// after runs what waits for the answer to a call.
func (in *inbound) after(c *callContext) {
	if in.then.Load() == nil {
		return
	}
	in.mu.Lock()
	var due []func(context.Context)
	if then := in.then.Load(); then != nil {
		due = (*then)[c]
		if delete(*then, c); len(*then) == 0 {
			in.then.Store(nil)
		}
	}
	in.mu.Unlock()
	for _, f := range due {
		f(c.s.ctx)
	}
}
