package ratelimit

import (
	"strings"
	"sync"
)

// key identifies a bucket of a table.
type key struct {
	rate int    // index
	name string // of a principal or an address
}

// table holds buckets by name in two generations. A bucket that is used moves to the young one. When
// the slowest bucket would be full again, the old generation is dropped: all of its buckets are full
// by then, as new ones are. So dropping buckets takes no search and changes no decision. If there is
// no room, the old generation is dropped earlier.
type table struct {
	most  int   // buckets in both generations
	lasts int64 // how long a generation is young, in nanoseconds

	mu         sync.Mutex
	young, old map[key]*bucket
	turns      int64 // when the next generation begins
}

// bucket returns the bucket for k, whose name may share memory of a message.
func (t *table) bucket(k key, now int64) *bucket {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now >= t.turns {
		t.turn(now)
	}
	if b := t.young[k]; b != nil {
		return b
	}
	if len(t.young) >= (t.most+1)/2 {
		t.turn(now)
	}
	b := t.old[k]
	if b == nil {
		b = new(bucket)
	}
	delete(t.old, k)
	k.name = strings.Clone(k.name)
	t.young[k] = b
	return b
}

// turn begins a generation.
func (t *table) turn(now int64) {
	t.old, t.young = t.young, make(map[key]*bucket)
	if now >= t.turns+t.lasts {
		t.old = nil
	}
	t.turns = now + t.lasts
}

// len returns the number of buckets.
func (t *table) len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.young) + len(t.old)
}
