package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// The pauses between logins of a person.
const (
	shortestPause = 10 * time.Second // doubles with every login
	longestPause  = 10 * time.Minute
	restful       = 2 * longestPause // a time without logins, after which the pause is the shortest one again
)

// pace limits how often a person is asked to log in, since a server can require that as often as it likes. It is used by
// the request that has the turn.
type pace struct {
	now   func() time.Time // time.Now, except in tests
	pause time.Duration    // after the last login; 0 before the first one
	ended time.Time        // when the last login ended
	err   error            // of the last login; nil if it succeeded
	extra bool             // a login was made in a pause
}

// begin begins a login, or returns an error if the last one has just ended. Once, a login may follow at once: if the
// server requires further scopes or names another authorization server, or if the one before was given up by its request.
func (p *pace) begin(q *request) error {
	passed := p.now().Sub(p.ended)
	givenUp := errors.Is(p.err, context.Canceled) || errors.Is(p.err, context.DeadlineExceeded)
	switch {
	case p.pause == 0 || passed >= restful:
		p.pause, p.extra = shortestPause, false
		return nil
	case passed >= p.pause:
		p.pause = min(2*p.pause, longestPause)
		return nil
	case !p.extra && (q.more || givenUp || q.known.Issuer != "" && !q.same()):
		p.extra = true
		return nil
	}
	scopes := strings.Join(q.scopes, " ")
	when := fmt.Sprintf("the last login ended %s ago, and the next one is possible in %s", passed.Round(time.Second), (p.pause - passed).Round(time.Second))
	switch {
	case givenUp:
		return fmt.Errorf("%s: the last one was given up", when)
	case p.err != nil:
		return fmt.Errorf("%s: %w", when, p.err)
	case q.more:
		return fmt.Errorf("%w, now %q: %s", ErrScope, scopes, when)
	}
	return fmt.Errorf("%w, and asks for a login for the scopes %q: %s", ErrRejected, scopes, when)
}

// end ends a login.
func (p *pace) end(err error) { p.ended, p.err = p.now(), err }
