// Package clients counts the bytes that each of many clients makes a process keep.
//
//test:sequential
package clients

import (
	"sync"

	"github.com/rpcgen-go/rpcgen/runtime/internal/memory"
)

// Accounts holds an account for all clients and one for each client, which may hold half of what all
// may. A K identifies a client. The zero value must be Init before use. It is safe for concurrent use.
type Accounts[K comparable] struct {
	all  memory.Account
	mu   sync.Mutex
	each map[K]*client
}

type client struct {
	memory.Account
	users int
}

// Init sets the limit of all clients.
func (s *Accounts[K]) Init(limit int64) { s.all.Init(limit, nil) }

// Enter returns the account of a client, for which the caller has to call Leave. The zero K is that of
// a client that is not known: its account is that of all.
func (s *Accounts[K]) Enter(who K) *memory.Account {
	if who == *new(K) {
		return &s.all
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.each[who]
	if c == nil {
		c = new(client)
		c.Init(max(1, s.all.Limit()/2), &s.all)
		if s.each == nil {
			s.each = make(map[K]*client)
		}
		s.each[who] = c
	}
	c.users++
	return &c.Account
}

// Leave undoes Enter.
func (s *Accounts[K]) Leave(who K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.each[who]; c != nil {
		if c.users--; c.users == 0 {
			delete(s.each, who)
		}
	}
}
