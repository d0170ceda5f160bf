package runtime

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// watches holds the functions that handle notifications of the peer about one thing, such as the
// progress of one call. The zero value has none.
type watches struct {
	count atomic.Int64 // number of functions; looking up takes no lock while it is 0

	mu       sync.Mutex
	byMethod map[string]*watched
}

// watched holds the functions for one method.
type watched struct {
	member string
	byKey  map[string]*func(c *Call) // by [ID.Key]
}

// Watch has f handle the notifications of the peer called method whose params have the given id in
// member, instead of the handler of the session, until stop is called. A function for the same id is
// replaced. The function f is called as a handler is, one notification after the other; it is not
// called after stop has returned, unless it was running.
func (s *Session) Watch(method, member string, id ID, f func(c *Call)) (stop func()) {
	return s.watches.add(method, member, id, f)
}

func (w *watches) add(method, member string, id ID, f func(c *Call)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.byMethod[method]
	if of == nil {
		of = &watched{member: member, byKey: make(map[string]*func(c *Call))}
		if w.byMethod == nil {
			w.byMethod = make(map[string]*watched)
		}
		w.byMethod[method] = of
	}
	key := id.Key()
	of.byKey[key] = &f
	w.count.Add(1)
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if of.byKey[key] == &f { // and not one that has replaced it
			delete(of.byKey, key)
		}
		if len(of.byKey) == 0 && w.byMethod[method] == of {
			delete(w.byMethod, method)
		}
		w.count.Add(-1)
	})
}

// find returns the function that handles the notification c, or nil.
func (w *watches) find(c *Call) func(c *Call) {
	if w.count.Load() == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.byMethod[c.env.Method]
	if of == nil {
		return nil
	}
	id, ok := wire.ParseID(c.PeekParams().In(of.member).JSON())
	if !ok {
		return nil
	}
	if f := of.byKey[id.Key()]; f != nil {
		return *f
	}
	return nil
}

// watch runs f for the notification c.
func watch(ctx context.Context, c *Call, f func(c *Call)) {
	defer c.recover()
	c.ctx = ctx
	f(c)
}
