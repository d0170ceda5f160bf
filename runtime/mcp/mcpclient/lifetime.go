package mcpclient

import (
	"context"
	"sync"
)

// lifetime holds what ends with a client: the context of everything that is not a call, its
// goroutines, and the session that [Options.OnSession] was called for.
type lifetime struct {
	ctx context.Context
	end context.CancelFunc

	mu      sync.Mutex
	closed  bool
	over    func()         // the function that Options.OnSession returned; may be nil
	running sync.WaitGroup // goroutines; incremented only while the client is not closed
}

// start runs f in a goroutine for which Close waits. It reports false if the client is closed.
func (l *lifetime) start(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.running.Go(f)
	return true
}

// close makes start fail, and ends the context.
func (l *lifetime) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.end()
}

// enter calls began, which is Options.OnSession, after the end of the previous session was reported.
func (l *lifetime) enter(began func(revision string) (over func()), revision string) {
	if began == nil {
		return
	}
	l.leave()
	over := began(revision)
	l.mu.Lock()
	l.over = over
	closed := l.closed
	l.mu.Unlock()
	if closed {
		l.leave()
	}
}

// leave reports the end of the session once.
func (l *lifetime) leave() {
	l.mu.Lock()
	over := l.over
	l.over = nil
	l.mu.Unlock()
	if over != nil {
		over()
	}
}
