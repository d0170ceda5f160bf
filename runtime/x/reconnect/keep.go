package reconnect

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// errEnded is why a session ended whose peer has closed the connection.
var errEnded = errors.New("the peer closed the connection")

// keep waits for the end of sessions, and connects again, until the connection is given up. The
// delay goes on growing if sessions are short: a peer that accepts connections and closes them is
// not flooded.
func (c *Conn) keep(s *runtime.Session) {
	defer close(c.done)
	var delay time.Duration
	for s != nil {
		began := time.Now()
		err := c.attend(s)
		if c.ctx.Err() != nil {
			c.set(nil, context.Cause(c.ctx))
			return
		}
		c.set(nil, err)
		c.o.Logger.Warn("the connection was lost", "error", err)
		if time.Since(began) >= c.o.MaxDelay {
			delay = 0
		}
		if s, delay, err = c.connectAfter(delay); s == nil {
			c.cancel(err)
		}
		c.set(s, err)
	}
}

// attend returns when s has ended, with the reason. The end of the Conn ends the session.
func (c *Conn) attend(s *runtime.Session) error {
	select {
	case <-s.Done():
	case <-c.ctx.Done():
		s.Close()
	}
	if err := s.Wait(); err != nil {
		return err
	}
	return errEnded
}

// connectAfter connects after delay, and returns the next delay. The session is nil if the connection is
// given up because of the error.
func (c *Conn) connectAfter(delay time.Duration) (*runtime.Session, time.Duration, error) {
	for attempt := 1; ; attempt++ {
		if !c.sleep(delay) {
			return nil, 0, context.Cause(c.ctx)
		}
		delay = min(max(2*delay, c.o.MinDelay), c.o.MaxDelay)
		s, err := c.connect()
		if err == nil {
			c.o.Logger.Info("the connection was restored", "attempt", attempt)
			return s, delay, nil
		}
		if c.ctx.Err() != nil {
			return nil, 0, context.Cause(c.ctx)
		}
		c.set(nil, err)
		giveUp := c.o.Permanent(err) || attempt == c.o.MaxAttempts
		c.o.Logger.Warn("an attempt to connect failed", "attempt", attempt, "error", err, "given up", giveUp)
		if giveUp {
			return nil, 0, err
		}
	}
}

// sleep waits for between half of d and d. It reports false if the Conn was closed.
func (c *Conn) sleep(d time.Duration) bool {
	if d > 0 {
		d = d/2 + rand.N(d/2+1)
	}
	select {
	case <-time.After(d):
		return c.ctx.Err() == nil
	case <-c.ctx.Done():
		return false
	}
}
