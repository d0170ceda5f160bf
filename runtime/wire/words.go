package wire

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Text is scanned and copied in words of eight bytes, the first byte lowest.
const (
	ones   = 0x0101010101010101
	highs  = 0x8080808080808080
	slants = ones * '\\'
	twos   = ones * 2
	marks  = ones * (' ' + 1)
)

// special marks, with its high bit, every byte of w that is a quote, a backslash, a control character or not ASCII. Bytes
// above the first marked one may be marked wrongly.
func special(w uint64) uint64 { return unmasked(w) & highs }

// unmasked is special before the bits below the marks are cut off. With its second bit turned, a quote is a space and a space a
// quote; so quotes and control characters are all that is then below what follows a space.
func unmasked(w uint64) uint64 { return ((w ^ twos) - marks) | ((w ^ slants) - ones) | w }

// firstMark returns which byte of a word is the first that is marked; 8: none is.
func firstMark(marks uint64) int { return bits.TrailingZeros64(marks) >> 3 }

// lastWord returns the last bytes of b, those from i on, of which there are less than eight. Zero bytes follow them in the
// word; they are control characters to special, so that it finds the end as well.
func lastWord(b []byte, i int) uint64 {
	n := len(b)
	if n >= 8 {
		return load(b, n-8) >> (8 * (8 - (n - i)) & 127)
	}
	switch p := b[i:]; {
	case len(p) >= 4: // the halves overlap
		high := uint64(binary.LittleEndian.Uint32(p[len(p)-4:]))
		return uint64(binary.LittleEndian.Uint32(p)) | high<<(8*(len(p)-4)&63)
	case len(p) > 0: // so do three bytes
		n := len(p)
		return uint64(p[0]) | uint64(p[n/2])<<(8*(n/2)&63) | uint64(p[n-1])<<(8*(n-1)&63)
	}
	return 0
}

// plain returns the index of the first byte from i on that is a quote, a backslash, a control character or not ASCII.
func plain(b []byte, i int) int {
	const short = 40 // beyond this, rounds of 32 bytes pay
	for limit := min(len(b), i+short); i+8 <= limit; i += 8 {
		if m := special(load(b, i)); m != 0 {
			return i + firstMark(m)
		}
	}
	if i+8 > len(b) {
		return i + firstMark(special(lastWord(b, i)))
	}
	return plainLong(b, i)
}

func plainLong(b []byte, i int) int {
	for ; i+32 <= len(b); i += 32 {
		p := b[i : i+32 : i+32]
		if (unmasked(load(p, 0))|unmasked(load(p, 8))|unmasked(load(p, 16))|unmasked(load(p, 24)))&highs != 0 {
			break
		}
	}
	for ; i+8 <= len(b); i += 8 {
		if m := special(load(b, i)); m != 0 {
			return i + firstMark(m)
		}
	}
	return i + firstMark(special(lastWord(b, i)))
}

// spare is how many bytes a copy may write behind what it copies: it writes whole words.
const spare = 8

// withRoom returns b with room for n more bytes, and for what copies write behind them.
func withRoom(b []byte, n int) []byte {
	if cap(b)-len(b) >= n+spare {
		return b
	}
	return slices.Grow(b, n+spare)
}

// copyMultibyte copies p to d, from a character beyond ASCII at i on, up to the first byte that cannot stand in a string in
// JSON as it is (a quote, a backslash, a control character, or what is not UTF-8), and returns the index of that byte.
func copyMultibyte(d, p []byte, i int) int {
	for i < len(p) && p[i] >= utf8.RuneSelf {
		end := multibyte(p, i)
		if end == i {
			break
		}
		copy(d[i:], p[i:end])
		i = copyPlain(d, p, end)
	}
	return i
}

// copyPlain copies p to d, from i on, up to the byte that plain would find, and returns its index. It writes each word before
// it looks at it, so that p is walked once. d must be longer than p by spare.
func copyPlain(d, p []byte, i int) int {
	const short = 40
	for limit := min(len(p), i+short); i+8 <= limit; i += 8 {
		w := load(p, i)
		store(d, i, w)
		if m := special(w); m != 0 {
			return i + firstMark(m)
		}
	}
	if i+32 <= len(p) {
		i = copyLong(d, p, i)
	}
	for ; i+8 <= len(p); i += 8 {
		w := load(p, i)
		store(d, i, w)
		if m := special(w); m != 0 {
			return i + firstMark(m)
		}
	}
	w := lastWord(p, i)
	store(d, i, w)
	return i + firstMark(special(w))
}

// copyLong is copyPlain for whole rounds of 32 bytes; it stops before a round that is not plain.
func copyLong(d, p []byte, i int) int {
	for ; i+32 <= len(p); i += 32 {
		from, to := p[i:i+32:i+32], d[i:i+32:i+32]
		w0, w1, w2, w3 := load(from, 0), load(from, 8), load(from, 16), load(from, 24)
		if (unmasked(w0)|unmasked(w1)|unmasked(w2)|unmasked(w3))&highs != 0 {
			break
		}
		store(to, 0, w0)
		store(to, 8, w1)
		store(to, 16, w2)
		store(to, 24, w3)
	}
	return i
}

// multibyte returns the index after the characters beyond ASCII that start at i; it stops at what is not UTF-8.
func multibyte(b []byte, i int) int {
	for i+24 <= len(b) && wideText(b[i:i+24:i+24]) {
		i += 24
	}
	for ; i+8 <= len(b); i += 2 {
		w := load(b, i)
		for w&0xc0c0f0c0c0f0 == 0x8080e08080e0 && wide(w) && wide(w>>24) { // two characters of three bytes
			i += 6
			if i+8 > len(b) {
				return multibyteEnd(b, i)
			}
			w = load(b, i)
		}
		if w&0xc0e0 != 0x80c0 || w&0x1e == 0 { // neither one of two bytes
			_, n := utf8.DecodeRune(b[i:])
			if n == 1 {
				return i
			}
			i += n - 2
		}
	}
	return multibyteEnd(b, i)
}

func multibyteEnd(b []byte, i int) int {
	for i < len(b) && b[i] >= utf8.RuneSelf {
		_, n := utf8.DecodeRune(b[i:])
		if n == 1 {
			return i
		}
		i += n
	}
	return i
}

// wideText reports whether the 24 bytes of p are eight characters of three bytes, as Chinese and Japanese texts are full of. It
// says no to some others: those whose first byte allows for what is no character.
func wideText(p []byte) bool {
	const (
		shape0, form0, low0 = 0xc0f0_c0c0f0_c0c0f0, 0x80e0_8080e0_8080e0, 0x000f_00000f_00000f
		shape1, form1, low1 = 0xf0_c0c0f0_c0c0f0_c0, 0xe0_8080e0_8080e0_80, 0x0f_00000f_00000f_00
		shape2, form2, low2 = 0xc0c0f0_c0c0f0_c0c0, 0x8080e0_8080e0_8080, 0x00000f_00000f_0000
		beyond              = ones << 4
	)
	w0, w1, w2 := load(p, 0), load(p, 8), load(p, 16)
	if (w0&shape0^form0)|(w1&shape1^form1)|(w2&shape2^form2) != 0 {
		return false
	}
	first := w0&low0 | w1&low1 | w2&low2 // the low halves of all first bytes, neither of which may be 0 or 0xd
	return ((first|beyond)-ones)&((first^ones*0xd|beyond)-ones)&beyond == beyond
}

// wide reports whether the three bytes at the low end of w, which have the shape of a character of three bytes, are one: its
// highest five bits, of the first byte and the second, are 0 when it should have been shorter, 0x1b when it is a surrogate.
func wide(w uint64) bool {
	const wrong = 1<<0 | 1<<0x1b
	return wrong>>(w<<1&0x1e|w>>13&1)&1 == 0
}
