package mcp

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime"
)

// scope is the context that the handler of a request gets. It is small, and may be held for ever: when the handler has returned, it
// lets go of the request, which serves for another one then.
type scope struct {
	context context.Context // of the session or the transport
	oneWay  bool            // the client takes no requests

	mu      sync.Mutex
	request *Request // nil: the handler has returned
}

// Errors of what handlers do with their context.
var (
	errNoRequest = errors.New("mcp: this is not the context of a request")

	// ErrOver is returned for what is done about a request that has ended.
	ErrOver = errors.New("mcp: the request is over")
)

// acquire returns the scope of a context, locked. Without a request to it there is an error, and no lock.
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

// end lets go of the request.
func (s *scope) end() {
	s.mu.Lock()
	s.request = nil
	s.mu.Unlock()
}

// Deadline is that of the session or transport.
func (s *scope) Deadline() (time.Time, bool) { return s.context.Deadline() }

// Done is closed when the request is cancelled or over.
func (s *scope) Done() <-chan struct{} { return s.context.Done() }

// Err says why the request is cancelled.
func (s *scope) Err() error { return s.context.Err() }

// Value returns the value for key, and the scope itself for its own.
func (s *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	v := s.context.Value(key)
	if conn, ok := v.(runtime.Conn); ok && s.oneWay && runtime.IsPeerKey(key) {
		return oneWay{conn}
	}
	return v
}
