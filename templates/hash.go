package templates

import "encoding/binary"

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
