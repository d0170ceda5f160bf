package rule

import (
	"hash/maphash"
	"strconv"
)

// Unique asks the elements of s to differ. It takes time and memory in proportion to their number.
func Unique[T comparable](vs *Violations, at string, s []T) {
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
	var d Distinct
	for i, v := range s {
		if j, found := d.Add(maphash.Comparable(seed, v), i, func(j int) bool { return s[j] == v }); found {
			Same(vs, at, j, i)
			return
		}
	}
}

// Same reports that elements i and j of a list are equal.
func Same(vs *Violations, at string, i, j int) {
	if vs.Closed() {
		return
	}
	vs.Add(Violation{
		Pointer: at, Rule: "uniqueItems", Expected: "elements that differ",
		Got: "equal elements " + strconv.Itoa(i) + " and " + strconv.Itoa(j),
	})
}

// Distinct is a set of the indexes of list elements that differ, found by their hashes. It grows with what is added and holds no
// elements, so that it is smaller than a map of them. The zero value is an empty set.
type Distinct struct {
	slots []uint64 // the low half of a hash, and an index + 1 in the high half; zero: free
	taken int
}

// Add adds element i, whose hash is given, unless an element j of the set equals it, which equal decides for elements of the same hash.
// It returns that element. Indexes are less than 1<<31.
func (d *Distinct) Add(hash uint64, i int, equal func(j int) bool) (j int, found bool) {
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

// find returns the slot of an equal element, or the free slot for a new one.
func (d *Distinct) find(hash uint32, equal func(j int) bool) int {
	for slot := int(hash) & (len(d.slots) - 1); ; slot = (slot + 1) & (len(d.slots) - 1) {
		taken := d.slots[slot]
		if taken == 0 || uint32(taken) == hash && equal(int(taken>>32)-1) {
			return slot
		}
	}
}

func (d *Distinct) grow() {
	old := d.slots
	d.slots = make([]uint64, max(16, 2*len(old)))
	for _, taken := range old {
		if taken != 0 {
			d.slots[d.find(uint32(taken), func(int) bool { return false })] = taken
		}
	}
}
