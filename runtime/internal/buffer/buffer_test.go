package buffer

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/internal/heap"
)

// TestSizes: a large message is expected after one, and short ones that come instead have at most twice its memory together.
func TestSizes(t *testing.T) {
	var s Sizes
	short := []byte(`{"a":`)
	for _, n := range []int{usual + 1, 100_000, most, 10 << 20} {
		s.Saw("list", n)
		if b := s.Room(short, "list"); cap(b) < n || string(b) != string(short) {
			t.Errorf("%d bytes for a message of %d, with %q", cap(b), n, b)
		}
		s.Saw("list", n)
		sum := 0
		for range 1000 {
			if b := s.Room(short, "list"); cap(b) > cap(short) {
				sum += cap(b)
			}
		}
		if sum < n || sum > 4*n { // memory that is kept comes in powers of two
			t.Errorf("short messages after one of %d bytes have %d", n, sum)
		}
	}
	s.Saw("list", usual)
	if b := s.Room(short, "list"); cap(b) != cap(short) {
		t.Errorf("%d bytes for a short message", cap(b))
	}
	s.Saw("", most)
	if b := s.Room(nil, ""); cap(b) < most {
		t.Errorf("%d bytes for a message without a method", cap(b))
	}
}

// TestMemoryHasOneOwner takes and gives back memory of all sizes: what has an owner is not given to another one.
func TestMemoryHasOneOwner(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type owned struct {
		p    *[]byte
		b    []byte
		mark byte
	}
	var all []owned
	for i := range 20_000 {
		if len(all) > 0 && (len(all) > 8 || r.IntN(2) == 0) {
			at := r.IntN(len(all))
			o := all[at]
			if bytes.Count(o.b, []byte{o.mark}) != len(o.b) {
				t.Fatalf("memory of %d bytes has two owners", cap(o.b))
			}
			all = append(all[:at], all[at+1:]...)
			Put(o.p, o.b)
			continue
		}
		n := 1 << (4 + r.IntN(18))
		o := owned{p: Get(), mark: byte(i)}
		b := Room(*o.p, n)
		if len(b) > 0 || n > usual && cap(b) < n || n <= usual && cap(b) > usual {
			t.Fatalf("%d of %d bytes for %d", len(b), cap(b), n)
		}
		o.b = slices.Grow(b, n)[:n]
		fill(o.b, o.mark)
		all = append(all, o)
	}
	Put(nil, []byte("of nobody"))
}

// fill marks memory. The race detector, which would take minutes for the megabytes of this test, does not look: there is one goroutine. It would look at
// what copy does even here.
//
//go:norace
func fill(b []byte, mark byte) {
	for i := range b {
		b[i] = mark
	}
}

// TestMemoryIsGivenBack: what is kept of large messages is given back, and of very large ones nothing is kept.
func TestMemoryIsGivenBack(t *testing.T) {
	if kept := heap.Growth(func() {
		for n := 1; n <= 64<<20; n *= 2 {
			for range 4 {
				Put(Get(), make([]byte, 0, n))
			}
		}
	}); kept > 1<<20 {
		t.Errorf("%d bytes are kept", kept)
	}
}
