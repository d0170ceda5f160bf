package runtime

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// limited is a context of a call with a declared timeout.
type limited interface {
	context.Context
	end()
}

// TestTimeoutContext looks at both contexts of a timeout, with and without a timer: all say the
// same.
func TestTimeoutContext(t *testing.T) {
	kinds := map[string]func(parent context.Context, deadline time.Time) limited{
		"own": func(parent context.Context, deadline time.Time) limited {
			return &timeoutContext{Context: parent, deadline: deadline}
		},
		"of the call": func(parent context.Context, deadline time.Time) limited {
			c := &callContext{Context: parent}
			c.limit(deadline, time.Until(deadline))
			return c
		},
	}
	looks := map[string]func(context.Context){"clock": func(context.Context) {}, "timer": func(c context.Context) { c.Done() }}
	for kind, make := range kinds {
		for name, look := range looks {
			t.Run(kind+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { testTimeoutContext(t, make, look) })
			})
		}
	}
}

// testTimeoutContext runs in a bubble.
func testTimeoutContext(t *testing.T, make func(context.Context, time.Time) limited, look func(context.Context)) {
	type key struct{}
	deadline := time.Now().Add(time.Second)
	made := func() (limited, context.CancelFunc) {
		parent, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
		c := make(parent, deadline)
		look(c)
		return c, cancel
	}
	c, cancel := made()
	if at, ok := c.Deadline(); !ok || !at.Equal(deadline) || c.Err() != nil || c.Value(key{}) != "value" {
		t.Error(at, ok, c.Err())
	}
	child, stop := context.WithCancel(c)
	time.Sleep(2 * time.Second)
	synctest.Wait()
	if c.Err() != context.DeadlineExceeded || child.Err() != context.DeadlineExceeded || !isDone(c.Done()) {
		t.Error("after the deadline:", c.Err(), child.Err())
	}
	stop()
	cancel()
	deadline = time.Now().Add(time.Second)
	c, cancel = made()
	cancel()
	if c.Err() != context.Canceled || !isDone(c.Done()) {
		t.Error("after the call was cancelled:", c.Err())
	}
	c, cancel = made()
	defer cancel()
	c.end()
	if c.Err() != context.Canceled || !isDone(c.Done()) || !errors.Is(context.Cause(c), context.Canceled) {
		t.Error("after the handler has returned:", c.Err())
	}
}

// TestLimitAfterDone: a context that something waits for already cannot get a deadline, and says so.
func TestLimitAfterDone(t *testing.T) {
	for range 200 {
		c := &callContext{Context: t.Context()}
		waits := make(chan struct{})
		go func() {
			defer close(waits)
			<-c.Done()
		}()
		if !c.limit(time.Now().Add(time.Millisecond), time.Millisecond) {
			c.end()
		}
		<-waits
	}
	c := &callContext{Context: t.Context()}
	c.Done()
	if c.limit(time.Now(), 0) || c.Err() != nil {
		t.Error("the context has a deadline:", c.Err())
	}
	c.end()
}

// TestExpired has calls of different timeouts share one timer.
func TestExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		start := time.Now()
		add := func(key string, timeout time.Duration) *callContext {
			c := &callContext{key: key, s: s}
			s.inbound.add(key, c)
			if timeout > 0 {
				s.expireAt(c, start.Add(timeout), timeout)
			}
			return c
		}
		add("never", 0)
		late := add("late", time.Minute)
		first := add("first", time.Second)
		add("answered", 2*time.Second)
		s.inbound.stop() // it is asked by hand
		if got := s.inbound.takeExpired(start.Add(time.Second)); len(got) != 1 || got[0] != first || !s.inbound.armed.Equal(start.Add(2*time.Second)) {
			t.Error(got, s.inbound.armed)
		}
		first.claim()
		s.inbound.remove("answered")
		if got := s.inbound.takeExpired(start.Add(3 * time.Second)); len(got) != 0 || !s.inbound.armed.Equal(start.Add(time.Minute)) {
			t.Error(got, s.inbound.armed)
		}
		if got := s.inbound.takeExpired(start.Add(time.Hour)); len(got) != 1 || got[0] != late || !s.inbound.armed.IsZero() {
			t.Error(got, s.inbound.armed)
		}
		s.inbound.stop()
	})
}
