package backendoauth

import (
	"context"
	"sync"
)

// tokens keeps tokens by their keys. One goroutine at a time gets a token of a key; others wait for it.
type tokens[K comparable] struct {
	mu  sync.Mutex
	all map[K]*heldToken
}

// heldToken is the token of one key.
type heldToken struct {
	turn  chan struct{} // holds one element while a goroutine has it
	token *token
	users int
}

// maxTokens bounds how many tokens are kept in memory. Those that are not in use go first.
const maxTokens = 10_000

// use calls f for the token of a key, which may be nil, while no other call has it, and keeps what f returns.
func (t *tokens[K]) use(ctx context.Context, key K, f func(*token) (*token, error)) (*token, error) {
	t.mu.Lock()
	if t.all == nil {
		t.all = map[K]*heldToken{}
	}
	h := t.all[key]
	if h == nil {
		t.forget()
		h = &heldToken{turn: make(chan struct{}, 1)}
		t.all[key] = h
	}
	h.users++
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		if h.users--; h.users == 0 && h.token == nil {
			delete(t.all, key)
		}
		t.mu.Unlock()
	}()
	select {
	case h.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-h.turn }()
	is, err := f(h.token)
	t.mu.Lock()
	h.token = is
	t.mu.Unlock()
	return is, err
}

// forget makes room for one more: tokens that nobody uses and that are no longer valid go, or any one that nobody uses.
func (t *tokens[K]) forget() {
	if len(t.all) < maxTokens {
		return
	}
	for key, h := range t.all {
		if h.users == 0 && !h.token.valid() {
			delete(t.all, key)
		}
	}
	for key, h := range t.all {
		if len(t.all) < maxTokens {
			return
		}
		if h.users == 0 {
			delete(t.all, key)
		}
	}
}
