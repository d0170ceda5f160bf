package text

import (
	"encoding/binary"
	"math/bits"
)

// Digest is the SHA-256 of a text (FIPS 180-4), for notes and names. Package crypto/sha256 links ciphers, other hashes and random numbers, with tests that run
// at the start: 40 kB of what the playground loads.
func Digest(text []byte) (sum [32]byte) {
	state := [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}
	whole := len(text) &^ 63
	end := append(append(make([]byte, 0, 128), text[whole:]...), 1<<7)
	end = append(end, make([]byte, (120-len(end)%64)%64)...)
	for _, blocks := range [][]byte{text[:whole], binary.BigEndian.AppendUint64(end, 8*uint64(len(text)))} {
		for ; len(blocks) > 0; blocks = blocks[64:] {
			digestBlock(&state, blocks)
		}
	}
	for i, word := range state {
		binary.BigEndian.PutUint32(sum[4*i:], word)
	}
	return sum
}

func digestBlock(state *[8]uint32, block []byte) {
	turn := bits.RotateLeft32
	mix := func(x uint32, a, b, c int) uint32 { return turn(x, -a) ^ turn(x, -b) ^ turn(x, -c) }
	w, s := [64]uint32{}, *state
	for i, k := range digestRounds {
		if w[i] = binary.BigEndian.Uint32(block[4*(i%16):]); i >= 16 { // what is rotated last is shifted there
			w[i] = w[i-16] + w[i-7] + (mix(w[i-15], 7, 18, 3) ^ w[i-15]<<29) + (mix(w[i-2], 17, 19, 10) ^ w[i-2]<<22)
		}
		t := s[7] + mix(s[4], 6, 11, 25) + (s[4]&s[5] ^ ^s[4]&s[6]) + k + w[i]
		s = [8]uint32{t + mix(s[0], 2, 13, 22) + (s[0]&s[1] ^ s[0]&s[2] ^ s[1]&s[2]), s[0], s[1], s[2], s[3] + t, s[4], s[5], s[6]}
	}
	for i := range state {
		state[i] += s[i]
	}
}

var digestRounds = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74,
	0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d,
	0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
	0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
	0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}
