// Package buffer keeps memory in which messages are written.
package buffer

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

const (
	usual = 64 << 10 // bytes; a buffer of at most that size is kept for any message
	most  = 1 << 20  // bytes; a larger one is not kept
)

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, 1<<10)
	return &b
}}

// large keeps buffers of more than usual bytes, at least usual<<i in large[i], for messages that are expected to be as large.
var large [5]sync.Pool

// Get returns an empty buffer, which [Put] takes back.
func Get() *[]byte { return buffers.Get().(*[]byte) }

// Put takes a buffer back, unless p is nil, and with it the memory of b, into which the message grew.
func Put(p *[]byte, b []byte) {
	if p != nil {
		*p = Keep(*p, b)
		buffers.Put(p)
	}
}

// Keep returns the memory of one buffer for any message: that of own, or of b, which may be a grown own. If b is too large for that, it is kept for large ones.
func Keep(own, b []byte) []byte {
	switch {
	case cap(b) > usual:
		if i := bits.Len(uint(cap(b)/usual)) - 1; i > 0 && cap(b) <= most {
			kept := b[:0] // a variable of its own, because it escapes
			large[i].Put(&kept)
		}
	case cap(b) > cap(own):
		own = b
	}
	return own[:0]
}

// Room returns b, or, for a large message, memory for n bytes with what b holds. [Keep] takes it back.
func Room(b []byte, n int) []byte {
	if n <= usual || n <= cap(b) {
		return b
	}
	if n > most {
		return append(make([]byte, 0, n), b...)
	}
	i := bits.Len(uint((n - 1) / usual))
	if p, ok := large[i].Get().(*[]byte); ok {
		return append(*p, b...)
	}
	return append(make([]byte, 0, usual<<i), b...)
}

// Sizes expects large messages: as large as the last large one of the same method.
type Sizes struct {
	some atomic.Bool      // there was a large message: programs without one need no more than this
	last [64]atomic.Int64 // bytes, by a hash of the method
}

func (s *Sizes) of(method string) *atomic.Int64 {
	hash := uint(len(method))
	if hash > 0 {
		hash += uint(method[0])<<2 + uint(method[len(method)-1])
	}
	return &s.last[hash%uint(len(s.last))]
}

// Room returns b, or, if a large message is expected, memory for it with what b holds. Then half as much is expected of the next message, until [Sizes.Saw]
// knows how large this one is. So what messages take that are short after all is at most twice the large one, however many are written at the same time.
func (s *Sizes) Room(b []byte, method string) []byte {
	if !s.some.Load() {
		return b
	}
	return s.room(b, method)
}

func (s *Sizes) room(b []byte, method string) []byte {
	last := s.of(method)
	if n := last.Load(); n > usual && last.CompareAndSwap(n, n/2) { // or another message takes it
		return Room(b, int(n))
	}
	return b
}

// Saw notes that a message of a method has n bytes.
func (s *Sizes) Saw(method string, n int) {
	if n > usual {
		s.some.Store(true)
		s.of(method).Store(int64(n + n/64)) // some room, since the next one may be a little larger
	}
}
