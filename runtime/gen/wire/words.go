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

// special sets the high bit of every byte of w that is a quote, a backslash, a control character or
// not ASCII. Bytes above the first one that is marked may be marked wrongly.
func special(w uint64) uint64 { return quoteBits(w) & highs }

// quoteBits is special before all bits except the marks are cleared. Flipping the second bit turns a quote into a space and a space into a quote, so that
// quotes and control characters are the only ones up to the space.
func quoteBits(w uint64) uint64 { return ((w ^ twos) - marks) | ((w ^ slants) - ones) | w }

// quotes marks all quotes and backslashes of a word, and nothing else. Unlike in special, a carry never leaves its byte: the top bit of each byte is set
// after adding 127 to its other bits only if one of these is set.
func quotes(w uint64) uint64 {
	const low = ^uint64(highs)
	x, y := w^ones*'"', w^slants
	return ^((x&low + low | x) & (y&low + low | y)) & highs
}

// hasOnlyText reports whether a word holds neither control characters nor bytes outside ASCII.
func hasOnlyText(w uint64) bool { return (w|(w-ones*' ')&^w)&highs == 0 }

// firstMark returns the index of the first byte of a word that is marked, or 8.
func firstMark(marks uint64) int { return bits.TrailingZeros64(marks) >> 3 }

// lastWord returns the last bytes of b, those from index i on, of which there are fewer than eight, followed by zero bytes. These are control characters for
// special, which therefore finds the end as well.
func lastWord(b []byte, i int) uint64 {
	n := len(b)
	if n >= 8 {
		return load(b, n-8) >> (8 * (8 - (n - i)) & 127)
	}
	switch p := b[i:]; {
	case len(p) >= 4: // the two words overlap
		high := uint64(binary.LittleEndian.Uint32(p[len(p)-4:]))
		return uint64(binary.LittleEndian.Uint32(p)) | high<<(8*(len(p)-4)&63)
	case len(p) > 0: // so do three bytes
		n := len(p)
		return uint64(p[0]) | uint64(p[n/2])<<(8*(n/2)&63) | uint64(p[n-1])<<(8*(n-1)&63)
	}
	return 0
}

// plain returns the index of the first byte from index i on that is a quote, a backslash, a control character or not ASCII.
func plain(b []byte, i int) int {
	const short = 40 // from here on, rounds of 32 bytes are faster
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

// near returns what plain does if that byte is among the next eight, and otherwise an index from
// which plain finds it. It is inlined, because names and many texts are short.
func near(b []byte, i int) int {
	if i+8 > len(b) {
		return i
	}
	return i + firstMark(special(load(b, i)))
}

func plainLong(b []byte, i int) int {
	for ; i+32 <= len(b); i += 32 {
		p := b[i : i+32 : i+32]
		if (quoteBits(load(p, 0))|quoteBits(load(p, 8))|quoteBits(load(p, 16))|quoteBits(load(p, 24)))&highs != 0 {
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

// spare is how many bytes after its output a copy may overwrite, because it writes whole words.
const spare = 8

// withRoom returns b with room for n more bytes and for what copies overwrite after them.
func withRoom(b []byte, n int) []byte {
	if cap(b)-len(b) >= n+spare {
		return b
	}
	return slices.Grow(b, n+spare)
}

// copyMultibyte copies p to d, from a character outside ASCII at index i on, up to the first byte that cannot stand in a JSON string unescaped: a quote, a
// backslash, a control character, or invalid UTF-8. It returns the index of that byte.
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

// copyPlain copies p to d, from index i on, up to the byte that plain would find, and returns its index. It writes each word before it examines it, so it
// passes over p once. d must be longer than p by spare.
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

// copyLong is copyPlain for whole rounds of 32 bytes. It stops before a round that is not plain.
func copyLong(d, p []byte, i int) int {
	for ; i+32 <= len(p); i += 32 {
		from, to := p[i:i+32:i+32], d[i:i+32:i+32]
		w0, w1, w2, w3 := load(from, 0), load(from, 8), load(from, 16), load(from, 24)
		if (quoteBits(w0)|quoteBits(w1)|quoteBits(w2)|quoteBits(w3))&highs != 0 {
			break
		}
		store(to, 0, w0)
		store(to, 8, w1)
		store(to, 16, w2)
		store(to, 24, w3)
	}
	return i
}

// multibyte returns the index after the characters outside ASCII that begin at index i. It stops at invalid UTF-8.
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

// wideText reports whether the 24 bytes of p are eight characters of three bytes, which are frequent in Chinese and Japanese text. It returns false for some
// other valid texts, whose first bytes also begin invalid sequences.
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
	first := w0&low0 | w1&low1 | w2&low2 // the low four bits of all first bytes, neither of which may be 0 or 0xd
	return ((first|beyond)-ones)&((first^ones*0xd|beyond)-ones)&beyond == beyond
}

// wide reports whether the three bytes at the low end of w, which have the form of a three-byte character, are valid: the upper five bits of the code point
// are 0 if it is an overlong form, and 0x1b if it is a surrogate.
func wide(w uint64) bool {
	const wrong = 1<<0 | 1<<0x1b
	return wrong>>(w<<1&0x1e|w>>13&1)&1 == 0
}
