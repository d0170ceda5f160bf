package wire

import (
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// Str reads the string whose opening quote is at i. It returns the text, which shares b unless it holds escapes, and the
// index after the closing quote, which is negative when the string is malformed.
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

// strSlow goes on at j, the first byte of the string that starts at i which is not plain ASCII.
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

// unescape reads the string that starts at i into memory of its own; its first escape is at j.
func unescape(b []byte, i, j int) (string, int) {
	var short [128]byte // where most texts fit, so that only the string itself is allocated
	out, end := appendUnescaped(append(short[:0], b[i:j]...), b, j)
	if end < 0 {
		return "", bad
	}
	return string(out), end
}

// appendUnescaped appends the text from i on up to the closing quote, and returns the index after that.
func appendUnescaped(out, b []byte, i int) ([]byte, int) {
	const least = 64 // any character fits
	for {
		if cap(out)-len(out) < least+spare {
			out = slices.Grow(out, max(least, min(3*len(out), len(b)-i))+spare)
		}
		free := out[len(out):cap(out)]
		p := b[i:min(len(b), i+len(free)-spare)]
		n := copyPlain(free, p, 0)
		if n < len(p) && p[n] >= utf8.RuneSelf {
			n = copyMultibyte(free, p, n)
		}
		out = out[:len(out)+n]
		if i += n; i >= len(b) {
			return out, bad
		}
		switch c := b[i]; {
		case c == '"':
			return out, i + 1
		case c == '\\' && i+1 < len(b) && escaped[b[i+1]] != 0:
			out = append(out, escaped[b[i+1]])
			i += 2
		case c == '\\':
			end := skipEscape(b, i)
			if end < 0 {
				return out, bad
			}
			out = utf8.AppendRune(out, escapedRune(b, i, end))
			i = end
		case n == 0: // a control character or no UTF-8, as there was room
			return out, bad
		}
	}
}

// escapedRune decodes the \u sequence, or pair of them, in b[i:end].
func escapedRune(b []byte, i, end int) rune {
	r := hex4(b, i+2)
	if end-i == 12 {
		return utf16.DecodeRune(r, hex4(b, i+8))
	}
	return r
}

// escaped holds what a letter stands for behind a backslash.
var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
