package backendoauth

import (
	"context"
	"maps"
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/internal/turns"
)

// tokens keeps tokens by their keys. One goroutine at a time gets a token of a key; others wait for it.
type tokens[K comparable] struct {
	turns turns.KeyLocks[K]
	mu    sync.Mutex
	all   map[K]*token
}

// maxTokens bounds how many tokens are kept in memory. Those that are no longer valid go first.
const maxTokens = 10_000

// use calls f for the token of a key, which may be nil, while no other call has it, and keeps what f returns.
func (t *tokens[K]) use(ctx context.Context, key K, f func(*token) (*token, error)) (*token, error) {
	unlock, err := t.turns.Lock(ctx, key)
	if err != nil {
		return nil, context.Cause(ctx)
	}
	defer unlock()
	t.mu.Lock()
	old := t.all[key]
	t.mu.Unlock()
	is, err := f(old)
	t.mu.Lock()
	defer t.mu.Unlock()
	if delete(t.all, key); is != nil {
		t.makeRoom()
		t.all[key] = is
	}
	return is, err
}

// makeRoom makes room for one more: tokens that are no longer valid go, or any one.
func (t *tokens[K]) makeRoom() {
	if t.all == nil {
		t.all = map[K]*token{}
	}
	if len(t.all) >= maxTokens {
		maps.DeleteFunc(t.all, func(_ K, old *token) bool { return !old.valid() })
	}
	for key := range t.all {
		if len(t.all) < maxTokens {
			return
		}
		delete(t.all, key)
	}
}
