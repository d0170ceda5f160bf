// Package memory counts the bytes that peers make a process keep.
package memory

import (
	"context"
	"sync/atomic"
)

// Account counts bytes up to a limit. It may be part of another one, such as that of one client of
// the account of all clients. An account that holds nothing takes any number of bytes, so that a
// message over the limit is not refused for ever. An Account must not be copied. It is safe for
// concurrent use.
type Account struct {
	used   atomic.Int64
	limit  int64
	parent *Account
	room   atomic.Pointer[room] // nil unless a taker waits
}

// room is closed when bytes were given back.
type room struct{ made chan struct{} }

// Init sets the limit, and the account that this one is part of, which may be nil.
func (a *Account) Init(limit int64, parent *Account) { a.limit, a.parent = limit, parent }

// Take adds n bytes. If there is no room for them it adds nothing, and returns a channel that is
// closed when there may be.
func (a *Account) Take(n int) (room <-chan struct{}) {
	for in := a; in != nil; in = in.parent {
		if room = in.take(int64(n)); room == nil {
			continue
		}
		for taken := a; taken != in; taken = taken.parent {
			taken.give(int64(n))
		}
		return room
	}
	return nil
}

func (a *Account) take(n int64) <-chan struct{} {
	if a.fits(n) {
		return nil
	}
	r := a.room.Load()
	if r == nil {
		a.room.CompareAndSwap(nil, &room{made: make(chan struct{})})
		if r = a.room.Load(); r == nil { // it was closed at once
			r = &room{made: make(chan struct{})}
			close(r.made)
		}
	}
	if a.fits(n) { // what was given back before r was there did not close it
		return nil
	}
	return r.made
}

// fits adds n bytes if there is room for them.
func (a *Account) fits(n int64) bool {
	for {
		used := a.used.Load()
		if used > 0 && used+n > a.limit {
			return false
		}
		if a.used.CompareAndSwap(used, used+n) {
			return true
		}
	}
}

// Give takes n bytes off.
func (a *Account) Give(n int) {
	for ; a != nil; a = a.parent {
		a.give(int64(n))
	}
}

func (a *Account) give(n int64) {
	a.used.Add(-n)
	if r := a.room.Load(); r != nil && a.room.CompareAndSwap(r, nil) {
		close(r.made)
	}
}

// Used returns how many bytes the account holds.
func (a *Account) Used() int64 { return a.used.Load() }

// Limit returns the limit.
func (a *Account) Limit() int64 { return a.limit }

type key struct{}

// With returns a context for sessions whose accounts are part of a.
func With(ctx context.Context, a *Account) context.Context { return context.WithValue(ctx, key{}, a) }

// From returns the account that the account of a session which is made with ctx is part of, or nil.
func From(ctx context.Context) *Account {
	a, _ := ctx.Value(key{}).(*Account)
	return a
}
