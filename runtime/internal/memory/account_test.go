package memory

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// TestAccount: an account holds no more than its limit, nor more than there is room for in the one that it is part of.
func TestAccount(t *testing.T) {
	var all, one, other Account
	all.Init(10, nil)
	one.Init(6, &all)
	other.Init(6, &all)
	steps := []struct {
		account *Account
		n       int
		ok      bool
	}{
		{&one, 6, true}, {&one, 1, false}, {&other, 5, false}, {&other, 4, true}, {&other, 1, false},
		{&one, -6, true}, {&one, 100, false}, {&other, 2, true}, {&other, 1, false}, {&other, -6, true}, {&one, 100, true}, {&one, 0, false}, {&other, 1, false}, {&one, -100, true},
	}
	for i, s := range steps {
		if s.n < 0 {
			s.account.Give(-s.n)
		} else if ok := s.account.Take(s.n) == nil; ok != s.ok {
			t.Errorf("step %d: %v", i, ok)
		}
	}
	if all.Used() != 0 || one.Used() != 0 || other.Used() != 0 {
		t.Error(all.Used(), one.Used(), other.Used())
	}
}

// TestRoom: takers that wait are woken, whatever the order in which bytes are given back.
func TestRoom(t *testing.T) {
	var all Account
	all.Init(100, nil)
	var accounts [3]Account
	for i := range accounts {
		accounts[i].Init(60, &all)
	}
	var most atomic.Int64
	var takers sync.WaitGroup
	for i := range 12 {
		takers.Go(func() {
			a := &accounts[i%len(accounts)]
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range 2000 {
				n := 1 + r.IntN(50)
				for room := a.Take(n); room != nil; room = a.Take(n) {
					<-room
				}
				for used := all.Used(); ; {
					before := most.Load()
					if used <= before || most.CompareAndSwap(before, used) {
						break
					}
				}
				a.Give(n)
			}
		})
	}
	takers.Wait()
	if all.Used() != 0 || most.Load() > 100 {
		t.Error(all.Used(), "bytes are left; at most", most.Load())
	}
}
