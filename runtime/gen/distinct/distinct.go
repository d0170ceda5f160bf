// Package distinct finds equal elements of lists whose elements must differ.
//
//test:sequential
//test:by ./runtime/gen/exact
//test:by ./runtime/internal/properties
package distinct

import (
	"hash/maphash"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
)

// Unique checks that the elements of s differ (uniqueItems). Time and memory are proportional to
// their number.
func Unique[T comparable](vs *rule.Violations, at string, s []T) {
	if len(s) <= 16 {
		for i := 1; i < len(s); i++ {
			for j := range i {
				if s[i] == s[j] {
					Same(vs, at, j, i)
					return
				}
			}
		}
		return
	}
	seed := maphash.MakeSeed()
	var d Set
	for i, v := range s {
		if j, found := d.Add(maphash.Comparable(seed, v), i, func(j int) bool { return s[j] == v }); found {
			Same(vs, at, j, i)
			return
		}
	}
}

// Same reports that the elements i and j of a list are equal.
func Same(vs *rule.Violations, at string, i, j int) {
	if vs.Skips(at) {
		return
	}
	var x, y [20]byte
	first, second := strconv.AppendInt(x[:0], int64(i), 10), strconv.AppendInt(y[:0], int64(j), 10)
	vs.Add(rule.Violation{
		Pointer: at, Rule: "uniqueItems", Expected: "elements that differ",
		Got: vs.Text("equal elements ", string(first), " and ", string(second)),
	})
}

// Set is a set of list elements that differ. It holds only hashes and indexes, so it takes
// less memory than a map of the elements. The zero value is an empty set.
type Set struct {
	// the lower 32 bits of a hash, and index + 1 in the upper 32 bits; 0 means free
	slots []uint64
	taken int
}

// Add adds the element i, of which hash is the hash, unless the set holds an equal element, which
// it then returns. The function equal compares element i with element j; it is called for equal
// hashes only. Indexes must be less than 1<<31.
func (d *Set) Add(hash uint64, i int, equal func(j int) bool) (j int, found bool) {
	if 4*d.taken >= 3*len(d.slots) {
		d.grow()
	}
	slot := d.find(uint32(hash), equal)
	if taken := d.slots[slot]; taken != 0 {
		return int(taken>>32) - 1, true
	}
	d.slots[slot] = uint64(i+1)<<32 | hash&(1<<32-1)
	d.taken++
	return 0, false
}

// find returns the slot of an equal element, or a free slot.
func (d *Set) find(hash uint32, equal func(j int) bool) int {
	for slot := int(hash) & (len(d.slots) - 1); ; slot = (slot + 1) & (len(d.slots) - 1) {
		taken := d.slots[slot]
		if taken == 0 || uint32(taken) == hash && equal(int(taken>>32)-1) {
			return slot
		}
	}
}

func (d *Set) grow() {
	old := d.slots
	d.slots = make([]uint64, max(16, 2*len(old)))
	for _, taken := range old {
		if taken != 0 {
			d.slots[d.find(uint32(taken), func(int) bool { return false })] = taken
		}
	}
}
