package runtime

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestTimeoutContext looks at a context with and without a timer of its own: both say the same.
func TestTimeoutContext(t *testing.T) {
	for name, look := range map[string]func(*timeoutContext){"clock": func(*timeoutContext) {}, "timer": func(c *timeoutContext) { c.Done() }} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				made := func() (*timeoutContext, context.CancelFunc) {
					parent, cancel := context.WithCancel(context.WithValue(t.Context(), callKey{}, "call"))
					c := &timeoutContext{Context: parent, deadline: time.Now().Add(time.Second)}
					look(c)
					return c, cancel
				}
				c, cancel := made()
				if at, ok := c.Deadline(); !ok || !at.Equal(c.deadline) || c.Err() != nil || c.Value(callKey{}) != "call" {
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
			})
		})
	}
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
		if got := s.inbound.expired(start.Add(time.Second)); len(got) != 1 || got[0] != first || !s.inbound.armed.Equal(start.Add(2*time.Second)) {
			t.Error(got, s.inbound.armed)
		}
		s.inbound.remove("answered")
		if got := s.inbound.expired(start.Add(3 * time.Second)); len(got) != 0 || !s.inbound.armed.Equal(start.Add(time.Minute)) {
			t.Error(got, s.inbound.armed)
		}
		if got := s.inbound.expired(start.Add(time.Hour)); len(got) != 1 || got[0] != late || !s.inbound.armed.IsZero() {
			t.Error(got, s.inbound.armed)
		}
		s.inbound.stop()
	})
}
