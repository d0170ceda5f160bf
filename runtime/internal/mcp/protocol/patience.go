package protocol

import (
	"context"
	"sync"
	"time"
)

// patience limits the time of a server. The time in which a person is asked does not count.
type patience struct {
	mu     sync.Mutex
	timer  *time.Timer
	left   time.Duration // when the clock runs again
	since  time.Time     // the clock runs
	paused int           // calls of Suspend that have not ended
}

type patienceKey struct{}

// WithPatience returns a context that ends after the duration, without the time between [Suspend]
// and its end.
func WithPatience(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	p := &patience{left: d, since: time.Now()}
	p.timer = time.AfterFunc(d, func() { cancel(context.DeadlineExceeded) })
	return context.WithValue(ctx, patienceKey{}, p), func() {
		p.timer.Stop()
		cancel(nil)
	}
}

// Suspend stops the clock of [WithPatience], if ctx has one, until the function that it returns is
// called.
func Suspend(ctx context.Context) (resume func()) {
	p, ok := ctx.Value(patienceKey{}).(*patience)
	if !ok {
		return func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused++; p.paused == 1 && p.timer.Stop() {
		p.left -= time.Since(p.since)
	}
	return sync.OnceFunc(p.resume)
}

func (p *patience) resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused--; p.paused == 0 {
		p.since = time.Now()
		p.timer.Reset(max(p.left, 0))
	}
}
