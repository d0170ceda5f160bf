package mcp

import (
	"context"
	"sync"
)

// mostOverdue limits how many handlers of a server may run after the timeouts of their tools. Once
// that many run, calls of tools with a timeout are answered with the condition Overloaded.
const mostOverdue = 256

// overdue counts the handlers that have exceeded their timeouts and still run.
type overdue struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when the count reaches 0; nil unless Shutdown waits
}

func (o *overdue) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.n
}

func (o *overdue) enter() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n++
}

func (o *overdue) leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.n--; o.n == 0 && o.idle != nil {
		close(o.idle)
		o.idle = nil
	}
}

// wait waits until no such handler runs, or until ctx ends.
func (o *overdue) wait(ctx context.Context) error {
	o.mu.Lock()
	if o.n == 0 {
		o.mu.Unlock()
		return nil
	}
	if o.idle == nil {
		o.idle = make(chan struct{})
	}
	idle := o.idle
	o.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
