package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/internal/contextkey"
)

// Errors of what handlers do with their context.
var (
	errNoRequest = errors.New("mcp: this is not the context of a request")

	// ErrOver means that the request has ended.
	ErrOver = errors.New("mcp: the request has ended")
)

// acquire returns the scope of a context, locked. If there is no request it returns an error and no
// lock.
func acquire(ctx context.Context) (*scope, error) {
	s, ok := ctx.Value(scopeKey{}).(*scope)
	if !ok {
		return nil, errNoRequest
	}
	s.mu.Lock()
	if s.request == nil {
		s.mu.Unlock()
		return nil, ErrOver
	}
	return s, nil
}

type scopeKey struct{}

// end releases the request.
func (s *scope) end() {
	s.mu.Lock()
	s.request = nil
	s.mu.Unlock()
}

// Deadline returns the deadline of the session or transport.
func (s *scope) Deadline() (time.Time, bool) { return s.context.Deadline() }

// Done returns a channel that is closed when the request is cancelled or has ended.
func (s *scope) Done() <-chan struct{} { return s.context.Done() }

// Err returns why the request was cancelled.
func (s *scope) Err() error { return s.context.Err() }

// Value returns the value for key, and the scope for its own key.
func (s *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	if key == (contextkey.Reports{}) {
		return s.reports()
	}
	v := s.context.Value(key)
	if conn, ok := v.(runtime.Conn); ok && s.stateless && key == (contextkey.Peer{}) {
		return statelessConn{conn}
	}
	return v
}

// reports reports whether progress of the request goes anywhere: to its client or into its task.
func (s *scope) reports() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.request != nil && (s.request.task != nil || !s.request.meta.token.IsZero())
}
