// Package inorder keeps the notifications of a peer until those before them are handled. JSON-RPC does not define an order, but a peer that sends two
// notifications expects them to take effect in that order.
package inorder

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/internal/memory"
	"github.com/rpcgen-go/rpcgen/runtime/internal/peerlog"
)

// Queue holds what waits. One goroutine at a time handles it; it ends when the queue is empty. The zero value is an empty queue.
type Queue[T any] struct {
	mu      sync.Mutex
	waiting []entry[T]
	texts   map[string]struct{} // of the entries that have one
	active  bool                // a goroutine handles the queue
	room    Signal              // there is room again
	added   atomic.Uint64       // number of entries ever added
	ordered atomic.Uint64       // value of added after the last one with [Item.Ordered]
	handled uint64              // number of them that are handled
	running atomic.Uint64       // which of them is handled, from 1 on; 0 if none is
	settled Signal              // another one is handled
	full    *overflow           // nil unless a caller has waited for room in vain, and much of what waited then still does
}

// overflow counts entries for which there was no room.
type overflow struct {
	dropped int
	handled uint64 // value of handled when the first one was dropped
}

type entry[T any] struct {
	value T
	text  string
}

// Item is what is added to a [Queue].
type Item[T any] struct {
	Value   T
	Method  string
	Size    int    // bytes of memory that are taken from [Limits.Held]; who handles the value gives them back
	Text    []byte // one that waits with the same text makes this one superfluous; nil if none can
	Ordered bool   // see [Queue.Ordered]
}

// The defaults of options.
const (
	DefaultMost     = 1024
	DefaultHeld     = 64 << 20 // bytes
	DefaultPatience = 10 * time.Second
)

// Limits are those of a [Queue].
type Limits struct {
	Most     int             // how many entries wait
	Held     *memory.Account // holds the memory of entries
	Patience time.Duration   // how long [Queue.Add] waits for room
	Log      *peerlog.Logger
}

// maxText is the size of the largest text that is compared, in bytes.
const maxText = 4 << 10

// Add appends an item, and reports whether it did. If there is no room, it waits, which slows the peer down, at most for the patience or until ctx
// ends. It then drops the item, and those that follow at once, until handlers go on: the goroutine that reads the notifications of a peer also reads its
// responses. An item that is superfluous is dropped too. The result first reports whether the caller has to start the goroutine that handles the queue.
func (q *Queue[T]) Add(ctx context.Context, i Item[T], l Limits) (first, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := entry[T]{value: i.Value}
	if i.Text != nil && len(i.Text) <= maxText {
		e.text = string(i.Text)
		if _, waits := q.texts[e.text]; waits {
			return false, false
		}
	}
	for room := l.Held.Take(i.Size); room != nil; room = l.Held.Take(i.Size) {
		if !q.stall(ctx, room, l.Patience) {
			q.drop(i.Method, "messages take too much memory", l.Log)
			return false, false
		}
	}
	for len(q.waiting) >= l.Most {
		if !q.stall(ctx, q.room.Next(), l.Patience) {
			l.Held.Give(i.Size)
			q.drop(i.Method, "the queue is full", l.Log)
			return false, false
		}
	}
	if q.full != nil && q.handled > q.full.handled && len(q.waiting) <= l.Most/2 { // otherwise a handler that returns now and then would let others wait
		l.Log.Warn("notifications are handled again", "dropped", q.full.dropped)
		q.full = nil
	}
	if e.text != "" {
		if q.texts == nil {
			q.texts = make(map[string]struct{})
		}
		q.texts[e.text] = struct{}{}
	}
	q.waiting = append(q.waiting, e)
	if added := q.added.Add(1); i.Ordered {
		q.ordered.Store(added)
	}
	first, q.active = !q.active, true
	return first, true
}

// stall waits without the lock until room is closed, because there may be room. It reports false if there is none after the patience, at the end of
// ctx, and at once if one was dropped.
func (q *Queue[T]) stall(ctx context.Context, room <-chan struct{}, patience time.Duration) bool {
	if q.full != nil {
		return false
	}
	q.mu.Unlock()
	defer q.mu.Lock()
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	select {
	case <-room:
		return true
	case <-ctx.Done():
		return false
	}
}

// drop counts a notification for which there is no room, and logs the first one.
func (q *Queue[T]) drop(method, reason string, log *peerlog.Logger) {
	if q.full == nil {
		q.full = &overflow{handled: q.handled}
		log.Warn("a notification was dropped, and those that follow are until handlers return: "+reason, "method", method)
	}
	q.full.dropped++
}

// Handle calls f with one entry after the other until the queue is empty. If f ends the goroutine with [runtime.Goexit], a new one continues. It calls
// done at its end.
func (q *Queue[T]) Handle(f func(T), done func()) {
	finished := false
	defer func() {
		if !finished {
			go q.Handle(f, done)
		}
	}()
	for v, ok := q.next(); ok; v, ok = q.next() {
		q.handle(v, f)
	}
	finished = true
	done()
}

func (q *Queue[T]) handle(v T, f func(T)) {
	q.running.Store(q.handled + 1) // only this goroutine counts them
	defer q.noteDone()
	f(v)
}

// next removes and returns the first entry. If the queue is empty, it marks the goroutine as ended, in one step: what is added later starts a new one.
func (q *Queue[T]) next() (v T, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.room.Wake()
	if len(q.waiting) == 0 {
		q.waiting, q.texts, q.active = nil, nil, false
		return v, false
	}
	e := q.waiting[0]
	q.waiting[0] = entry[T]{}
	q.waiting = q.waiting[1:]
	delete(q.texts, e.text)
	return e.value, true
}

// noteDone notes that an entry was handled.
func (q *Queue[T]) noteDone() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running.Store(0)
	q.handled++
	q.settled.Wake()
}

// Precede reports whether the entry that is being handled, if any, was added before something that came after n of them.
func (q *Queue[T]) Precede(n uint64) bool { return q.running.Load()-1 < n }

// Count returns how many were ever added.
func (q *Queue[T]) Count() uint64 { return q.added.Load() }

// Ordered returns how many have to be handled before what is read next.
func (q *Queue[T]) Ordered() uint64 { return q.ordered.Load() }

// Wait waits until n entries were handled, or ctx ends. It reports whether they are.
func (q *Queue[T]) Wait(ctx context.Context, n uint64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.handled < n {
		if q.settled.Wait(ctx, &q.mu) != nil {
			return false
		}
	}
	return true
}

// Signal wakes all goroutines that wait for it. A lock of its owner guards it.
type Signal struct{ next chan struct{} }

// Next returns the channel that the next [Signal.Wake] closes.
func (s *Signal) Next() <-chan struct{} {
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}

// Wait waits for the signal, without the lock. The error is that of ctx.
func (s *Signal) Wait(ctx context.Context, mu *sync.Mutex) error {
	next := s.Next()
	mu.Unlock()
	defer mu.Lock()
	select {
	case <-next:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Wake wakes the goroutines that wait.
func (s *Signal) Wake() {
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}
