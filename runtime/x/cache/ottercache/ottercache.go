// Package ottercache is a store for package cache that is bounded in memory, by github.com/maypok86/otter. It is a module of its own,
// so that only programs that use it link otter.
package ottercache

import (
	"fmt"
	"math"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/rpcgen-go/rpcgen/runtime/internal/defaults"
	"github.com/rpcgen-go/rpcgen/runtime/x/cache"
)

// Store is a [cache.Store] in memory. It drops the results that are used least when it is full.
type Store struct{ all *otter.Cache[string, []byte] }

var _ cache.Store = (*Store)(nil)

// overhead is about what an entry takes in addition to its value, in bytes.
const overhead = 200

// New returns a store that takes at most about maxBytes of memory. Zero or less means 64 MiB.
func New(maxBytes int64) (*Store, error) {
	defaults.Set(&maxBytes, 64<<20)
	all, err := otter.New(&otter.Options[string, []byte]{
		MaximumWeight:    uint64(maxBytes),
		Weigher:          func(_ string, value []byte) uint32 { return uint32(min(len(value)+overhead, math.MaxUint32)) },
		ExpiryCalculator: otter.ExpiryWriting[string, []byte](24 * time.Hour), // until Set says when
	})
	if err != nil {
		return nil, fmt.Errorf("ottercache: %w", err)
	}
	return &Store{all}, nil
}

// Get implements [cache.Store].
func (s *Store) Get(key string) (value []byte, ok bool) { return s.all.GetIfPresent(key) }

// Set implements [cache.Store].
func (s *Store) Set(key string, value []byte, ttl time.Duration) {
	s.all.Set(key, value)
	s.all.SetExpiresAfter(key, ttl)
}

// Size returns the memory that the results take, in bytes, with an estimate of what the store adds.
func (s *Store) Size() uint64 { return s.all.WeightedSize() }

// Close drops all results and ends the store's goroutines.
func (s *Store) Close() {
	s.all.InvalidateAll()
	s.all.StopAllGoroutines()
}
