package load

import (
	"math"
	"math/bits"
	"time"
)

// The classes of a histogram: values below 1024 ns have one each, and every doubling after that 512 of the same width, so that the middle of a class
// differs from its values by less than 0.1 %. Values are limited to one hour.
const (
	exact   = 1024
	halves  = exact / 2
	longest = time.Hour
)

var classes = classOf(uint64(longest)) + 1

// Histogram counts durations. The zero value is empty. It is not safe for concurrent use.
type Histogram struct {
	counts []uint32 // by class; nil if it is empty
	total  uint64
	most   time.Duration
}

// classOf returns the class of a value.
func classOf(ns uint64) int {
	if ns < exact {
		return int(ns)
	}
	shift := bits.Len64(ns) - bits.Len64(exact-1)
	return exact + (shift-1)*halves + int(ns>>shift) - halves
}

// middle returns the value in the middle of a class.
func middle(class int) time.Duration {
	if class < exact {
		return time.Duration(class)
	}
	shift := (class-exact)/halves + 1
	low := uint64((class-exact)%halves+halves) << shift
	return time.Duration(low + 1<<shift/2)
}

// Add counts a duration. One below zero counts as zero, and one above an hour as an hour.
func (h *Histogram) Add(d time.Duration) {
	d = min(max(d, 0), longest)
	if h.counts == nil {
		h.counts = make([]uint32, classes)
	}
	h.counts[classOf(uint64(d))]++
	h.total++
	h.most = max(h.most, d)
}

// Merge adds what another histogram has counted.
func (h *Histogram) Merge(o *Histogram) {
	if o.total == 0 {
		return
	}
	if h.counts == nil {
		h.counts = make([]uint32, classes)
	}
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.total += o.total
	h.most = max(h.most, o.most)
}

// Quantile returns the smallest duration that a share q, from 0 to 1, of the counted ones does not exceed; zero if there are none.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := max(1, uint64(math.Ceil(q*float64(h.total))))
	if rank >= h.total {
		return h.most
	}
	seen := uint64(0)
	for class, n := range h.counts {
		if seen += uint64(n); seen >= rank {
			return min(middle(class), h.most)
		}
	}
	return h.most
}

// Bucket is a class that has counted something.
type Bucket struct {
	Nanoseconds int64  `json:"ns"`
	Count       uint32 `json:"count"`
}

// Buckets returns the classes that have counted something.
func (h *Histogram) Buckets() []Bucket {
	all := []Bucket{}
	for class, n := range h.counts {
		if n > 0 {
			all = append(all, Bucket{int64(min(middle(class), h.most)), n})
		}
	}
	return all
}
