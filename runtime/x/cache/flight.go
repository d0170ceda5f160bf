package cache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/transport"
)

// flight is a call that others with equal params wait for.
type flight struct {
	cache *Cache
	key   string
	once  sync.Once
	done  chan struct{} // closed when there is nothing to wait for any more
	value []byte        // nil if there is no result
}

// enter returns the call in flight for a key, or begins one.
func (c *Cache) enter(key string) (f *flight, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.flights[key]; f != nil {
		return f, false
	}
	f = &flight{cache: c, key: key, done: make(chan struct{})}
	c.flights[key] = f
	return f, true
}

// end gives those that wait the result; nil means that they make the call themselves. Only the first
// end counts.
func (f *flight) end(value []byte) {
	f.once.Do(func() {
		f.cache.mu.Lock()
		delete(f.cache.flights, f.key)
		f.cache.mu.Unlock()
		f.value = value
		close(f.done)
	})
}

// wait returns the result of the call. It is nil if there is none, or not in time. The error is that
// of ctx, if it ends first.
func (f *flight) wait(ctx context.Context, patience time.Duration) ([]byte, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-f.done:
		return f.value, nil
	case <-timer.C:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// patience returns how long a call waits for an equal one before it is made itself: twice the time of
// the last one, but at least a second and at most half a minute. The handler of the other call may
// wait for something that only concerns its client.
func (k *rulePlan) patience() time.Duration {
	return min(max(2*time.Duration(k.took.Load()), time.Second), 30*time.Second)
}

// watchedPeer is the connection to the peer of a call whose result may be kept. When the handler calls
// the peer, such as to ask its user, the result depends on what the peer answers: it is not kept, and
// no other call waits for it.
type watchedPeer struct {
	runtime.Conn
	flight *flight
	used   atomic.Bool
}

// watchPeer returns the context for the handler of a call. The result is nil if there is no way back
// to the peer.
func watchPeer(ctx context.Context, f *flight) (context.Context, *watchedPeer) {
	conn := runtime.PeerFrom(ctx)
	if conn == nil {
		return ctx, nil
	}
	p := &watchedPeer{Conn: conn, flight: f}
	return transport.WithPeer(ctx, p), p
}

func (p *watchedPeer) note() {
	p.used.Store(true)
	p.flight.end(nil)
}

// Call implements [runtime.Conn].
func (p *watchedPeer) Call(ctx context.Context, id int64, msg []byte) ([]byte, error) {
	p.note()
	return p.Conn.Call(ctx, id, msg)
}

// CallBatch implements [runtime.Conn].
func (p *watchedPeer) CallBatch(ctx context.Context, first int64, n int, msg []byte) ([][]byte, error) {
	p.note()
	return p.Conn.CallBatch(ctx, first, n, msg)
}

// Unwrap returns the connection itself, which may have more methods.
func (p *watchedPeer) Unwrap() runtime.Conn { return p.Conn }

// ObserveStream notes that the call is a stream, whose items no result holds, or that its handler reads one of the peer.
func (p *watchedPeer) ObserveStream(context.Context, string) (end func(items int, err error)) {
	p.note()
	return func(int, error) {}
}
