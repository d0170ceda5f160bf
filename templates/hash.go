package templates

import (
	"encoding/binary"
	"math/bits"
)

// sameNumber is methods whose names give the same number.
type sameNumber struct {
	number  int
	methods []*method
}

// grouped groups methods by the highest bits of their numbers, in the order in which these turn up. There are a bit more numbers than
// methods, so that most have one of their own, yet not so many more that the compiler makes no table of jumps.
func grouped(methods []*method) (groups []sameNumber, width int) {
	width = bits.Len(uint(len(methods)*3/2 - 1))
	index := map[int]int{}
	for _, m := range methods {
		n := int(hash(m.Name) >> (32 - width))
		i, known := index[n]
		if !known {
			i = len(groups)
			index[n] = i
			groups = append(groups, sameNumber{number: n})
		}
		groups[i].methods = append(groups[i].methods, m)
	}
	return groups, width
}

// hash is what gen.Hash returns.
func hash(name string) uint32 {
	first, last := name, ""
	switch n := len(name); {
	case n >= 8:
		first, last = name[:8], name[n-8:]
	case n >= 4:
		first, last = name[:4], name[n-4:]
	}
	return uint32((number(first) ^ number(last)*0x9e3779b97f4a7c15 + uint64(len(name))) * 0xd6e8feb86659fd93 >> 32)
}

// number reads up to eight bytes, the first one lowest.
func number(s string) uint64 {
	var word [8]byte
	copy(word[:], s)
	return binary.LittleEndian.Uint64(word[:])
}
