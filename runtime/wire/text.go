package wire

import (
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
	out := make([]byte, 0, textBound(b, i, j))
	for {
		out = append(out, b[i:j]...)
		if uint(j) >= uint(len(b)) {
			return "", bad
		}
		i = j
		switch c := b[j]; {
		case c == '"':
			return share(out), j + 1
		case c == '\\':
			if j+1 >= len(b) {
				return "", bad
			}
			if e := escaped[b[j+1]]; e != 0 {
				out = append(out, e)
				j += 2
			} else {
				next := skipEscape(b, j)
				if next < 0 {
					return "", bad
				}
				out = utf8.AppendRune(out, escapedRune(b, j, next))
				j = next
			}
			i = j
		case c < 0x20:
			return "", bad
		default:
			if j = skipText(b, j); j < 0 {
				return "", bad
			}
		}
		j = plain(b, j)
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

// textBound returns an upper bound for the length of the text that starts at i; j is where its first escape is. A long
// string is not walked to its end only for that.
func textBound(b []byte, i, j int) int {
	const enough = 1 << 20
	for j < len(b) && j-i < enough {
		if j = plain(b, j); j >= len(b) {
			break
		}
		switch b[j] {
		case '"':
			return j - i
		case '\\':
			j += 2
		default:
			j++
		}
	}
	return min(j, len(b)) - i
}

var escaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}
