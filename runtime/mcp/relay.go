package mcp

import (
	"slices"
	"sync/atomic"
)

// relay shares changes.
type relay struct{ send func([]byte) }

// relays is a set of relays. It is read with every change, and replaced as a whole.
type relays struct{ all atomic.Pointer[[]*relay] }

func (r *relays) remove(own *relay) {
	r.replace(func(all []*relay) []*relay {
		return slices.DeleteFunc(slices.Clone(all), func(other *relay) bool { return other == own })
	})
}

func (r *relays) replace(f func([]*relay) []*relay) {
	for {
		old := r.all.Load()
		var all []*relay
		if old != nil {
			all = *old
		}
		all = f(all)
		next := &all
		if len(all) == 0 {
			next = nil
		}
		if r.all.CompareAndSwap(old, next) {
			return
		}
	}
}
