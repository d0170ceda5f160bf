// Package turns lets goroutines and programs take turns, by keys and by files.
package turns

import (
	"context"
	"errors"
	"sync"
	"time"
)

// File waits until no other program or goroutine has locked a file, or ctx ends. It makes the file, which stays; a lock ends with its program, also if that is
// killed. On systems that have no such lock it does not wait.
func File(ctx context.Context, path string) (unlock func(), err error) {
	const step = 20 * time.Millisecond
	wait := time.NewTicker(step)
	defer wait.Stop()
	for {
		unlock, err := tryLock(path)
		if !errors.Is(err, errLocked) {
			return unlock, err
		}
		select {
		case <-wait.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// errLocked means that another program or goroutine has locked a file.
var errLocked = errors.New("the file is locked")

// KeyLocks has a lock for each key. The zero value has none that is locked.
type KeyLocks[K comparable] struct {
	mu  sync.Mutex
	all map[K]*keyLock
}

// keyLock is the lock of one key.
type keyLock struct {
	turn  chan struct{} // holds one element while it is locked
	users int           // that have it or wait for it
}

// Lock waits until no other goroutine has locked a key, or ctx ends.
func (k *KeyLocks[K]) Lock(ctx context.Context, key K) (unlock func(), err error) {
	k.mu.Lock()
	if k.all == nil {
		k.all = map[K]*keyLock{}
	}
	one := k.all[key]
	if one == nil {
		one = &keyLock{turn: make(chan struct{}, 1)}
		k.all[key] = one
	}
	one.users++
	k.mu.Unlock()
	leave := func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(k.all, key)
		}
	}
	select {
	case one.turn <- struct{}{}:
		return sync.OnceFunc(func() {
			<-one.turn
			leave()
		}), nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
