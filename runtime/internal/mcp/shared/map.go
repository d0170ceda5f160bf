// Package shared has a map that goroutines share.
//
//test:by ./runtime/mcp/mcpclient
package shared

import (
	"maps"
	"slices"
	"sync"
)

// Map is a map with a lock. The zero value is empty.
type Map[K comparable, V any] struct {
	mu  sync.Mutex
	all map[K]V
}

// Get returns the value of a key, or the zero value if there is none.
func (m *Map[K, V]) Get(key K) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[key]
}

// Set sets the value of a key.
func (m *Map[K, V]) Set(key K, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = make(map[K]V)
	}
	m.all[key] = value
}

// Delete removes a key.
func (m *Map[K, V]) Delete(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, key)
}

// Values returns the values, in any order.
func (m *Map[K, V]) Values() []V {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.all))
}
