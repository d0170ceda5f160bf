package gen

// Hash returns a hash of a method name, which differs in the high bits for most names. Generated
// routers of many methods switch over it first, so the result for a name must never change. It
// depends on the length and on the first and the last eight bytes.
func Hash(method string) uint32 {
	const odd, other = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93 // arbitrary odd numbers with random bits
	var first, last uint64
	switch n := len(method); {
	case n >= 8:
		first, last = uint64(load32(method, 0))|uint64(load32(method, 4))<<32, uint64(load32(method, n-8))|uint64(load32(method, n-4))<<32
	case n >= 4:
		first, last = uint64(load32(method, 0)), uint64(load32(method, n-4))
	default:
		for i := range n {
			first |= uint64(method[i]) << (8 * i)
		}
	}
	return uint32((first ^ last*odd + uint64(len(method))) * other >> 32)
}

// load32 returns four bytes of s, the first one in the lowest bits.
func load32(s string, i int) uint32 {
	s = s[i : i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}
