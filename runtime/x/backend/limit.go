package backend

import (
	"context"
	"sync"
	"time"
)

// gate bounds how many calls run at once, in all and of each principal. More wait.
type gate struct {
	all chan struct{}
	own int

	mu         sync.Mutex
	principals map[string]*slots
}

// slots are the calls of one principal. They are forgotten when nothing of it runs or waits.
type slots struct {
	ch    chan struct{}
	users int
}

// enter waits until the call of a principal may run, until leave ends it.
func (g *gate) enter(ctx context.Context, principal string) (*slots, error) {
	g.mu.Lock()
	s := g.principals[principal]
	if s == nil {
		s = &slots{ch: make(chan struct{}, g.own)}
		g.principals[principal] = s
	}
	s.users++
	g.mu.Unlock()
	select {
	case s.ch <- struct{}{}:
	case <-ctx.Done():
		g.forget(principal, s)
		return nil, ctx.Err()
	}
	select {
	case g.all <- struct{}{}:
	case <-ctx.Done():
		<-s.ch
		g.forget(principal, s)
		return nil, ctx.Err()
	}
	return s, nil
}

// leave ends a call of a principal.
func (g *gate) leave(principal string, s *slots) {
	<-g.all
	<-s.ch
	g.forget(principal, s)
}

func (g *gate) forget(principal string, s *slots) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.users--; s.users == 0 {
		delete(g.principals, principal)
	}
}

// Deviation is a place at which an answer differs from the schema. The output does not have the member, or is an error.
type Deviation struct {
	Backend, Tool string
	Status        int
	Pointer       string // RFC 6901, in the output
	Rule          string // the keyword of JSON Schema
	Expected      string
	Got           string // at most 500 bytes of what was found
}

// quieter lets a line through once in a while for each key.
type quieter struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// The time within which a deviation is logged once, and the greatest number of deviations that are remembered.
const (
	quietTime = 10 * time.Minute
	maxQuiet  = 1000
)

func (q *quieter) allows(key string, now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if last, ok := q.last[key]; ok && now.Sub(last) < quietTime {
		return false
	}
	if q.last == nil || len(q.last) >= maxQuiet {
		q.last = map[string]time.Time{}
	}
	q.last[key] = now
	return true
}
