package wire

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Str reads the string whose opening quote is at index i. It returns the text, which shares b unless it has escapes, and the index after the closing quote,
// which is negative if the string is malformed.
func Str(b []byte, i int) (string, int) {
	if uint(i) >= uint(len(b)) || b[i] != '"' {
		return "", bad
	}
	i++
	j := plain(b, i)
	if uint(j) < uint(len(b)) && b[j] == '"' {
		return share(b[i:j]), j + 1
	}
	return strSlow(b, i, j)
}

// strSlow continues at j, the first byte of the string at index i that is not plain ASCII.
func strSlow(b []byte, i, j int) (string, int) {
	for {
		if uint(j) >= uint(len(b)) {
			return "", bad
		}
		switch c := b[j]; {
		case c == '"':
			return share(b[i:j]), j + 1
		case c == '\\':
			return unescape(b, i, j)
		case c < 0x20:
			return "", bad
		}
		if j = skipText(b, j); j < 0 {
			return "", bad
		}
		j = plain(b, j)
	}
}

// unescape reads the string at index i into memory of its own. Its first escape is at index j.
func unescape(b []byte, i, j int) (string, int) {
	if j-i <= 64 {
		var short [128]byte // most texts fit, so that only the string itself is allocated
		n := copy(short[:], b[i:j])
		m, next, done := decodeText(short[n:], b, j)
		if done {
			return string(short[:n+m]), next
		}
		if next < 0 {
			return "", bad
		}
	}
	return unescapeLong(b, i, j)
}

// unescapeLong is unescape for any length. The memory in which it collects the text becomes the string, unless much of it is unused.
func unescapeLong(b []byte, i, j int) (string, int) {
	out := b[i:j:j]
	for {
		out = slices.Grow(out, max(2*leastRoom, min(3*len(out), len(b)-j)))
		n, next, done := decodeText(out[len(out):cap(out)], b, j)
		out = out[:len(out)+n]
		switch {
		case next < 0:
			return "", bad
		case !done:
			j = next
		case cap(out)-len(out) > len(out)/4:
			return string(out), next
		default:
			return share(out), next
		}
	}
}

// leastRoom is the room that decoding a text needs at least: enough for a word and for any character.
const leastRoom = 16

// decodeText decodes the text from index i on to d, as far as there is room. It returns how many bytes it wrote, and the index after what it read. If done,
// that is after the closing quote; it is negative if the text is malformed.
func decodeText(d, b []byte, i int) (n, next int, done bool) {
	for {
		written, read := copyUnescaped(d[n:], b[i:])
		n += written
		i += read
		if len(d)-n < leastRoom {
			return n, i, false
		}
		if i >= len(b) {
			return n, bad, false
		}
		switch c := b[i]; {
		case c == '"':
			return n, i + 1, true
		case c == '\\':
			end := skipEscape(b, i)
			if end < 0 {
				return n, bad, false
			}
			n += utf8.EncodeRune(d[n:], escapedRune(b, i, end))
			i = end
		case c >= utf8.RuneSelf:
			end := multibyte(b[:min(len(b), i+len(d)-n)], i)
			if end == i {
				return n, bad, false
			}
			n += copy(d[n:], b[i:end])
			i = end
		case c < ' ':
			return n, bad, false
		default: // one of the last few bytes
			d[n] = c
			n++
			i++
		}
	}
}

// copyUnescaped copies p to d and decodes escapes of one letter. It stops at any other special character, or when less than a word is left of either slice.
// It returns how many bytes it wrote and read.
func copyUnescaped(d, p []byte) (n, i int) {
	for n+8 <= len(d) && i+8 <= len(p) {
		w := load(p, i)
		store(d, n, w)
		m := special(w)
		if m == 0 {
			n += 8
			i += 8
			continue
		}
		k := firstMark(m)
		n += k
		i += k
		if p[i] != '\\' || i+1 >= len(p) || escapeLetters[p[i+1]] == 0 {
			break
		}
		d[n] = escapeLetters[p[i+1]]
		n++
		i += 2
	}
	return n, i
}

// escapedRune decodes the escape sequence in b[i:end], or the two sequences of a surrogate pair.
func escapedRune(b []byte, i, end int) rune {
	if end == i+2 {
		return rune(escapeLetters[b[i+1]])
	}
	r := hex4(b, i+2)
	if end-i == 12 {
		return utf16.DecodeRune(r, hex4(b, i+8))
	}
	return r
}

// escapeLetters maps the letter of a short escape to its character, or to 0.
var escapeLetters = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
