// Package wire reads and writes JSON for generated code: a strict reader and an appender.
//
// Strict means RFC 8259 and nothing beyond it: valid UTF-8, escapes that pair their surrogates, no control characters in strings, no
// leading zeros, no trailing commas, nothing after the value. Member names are case-sensitive, and a typed object holds
// each of its members once.
//
// # Ownership
//
// Decoded strings, [ID], [Raw] and [Number] may share the bytes of their message. So bytes that
// were passed to a reader must not be changed afterwards. Transports read each message into a buffer of its own.
//
//test:sequential
package wire

import "unicode/utf8"

// bad is returned by scanning functions in place of an index if the input is malformed.
const bad = -1

// Space returns the index of the first byte from index i on that is not white space.
func Space(b []byte, i int) int {
	if uint(i) < uint(len(b)) && b[i] > ' ' {
		return i
	}
	return space(b, i)
}

func space(b []byte, i int) int {
	for uint(i) < uint(len(b)) {
		switch b[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// SkipString checks the string whose first byte after the quote is at index i. It returns the index
// after the closing quote, or a negative number if the string is malformed.
func SkipString(b []byte, i int) int {
	for {
		i = plain(b, i)
		if uint(i) >= uint(len(b)) {
			return bad
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			i = skipEscape(b, i)
		case c >= 0x80:
			i = skipText(b, i)
		default:
			return bad
		}
		if i < 0 {
			return bad
		}
	}
}

// skipText skips characters outside ASCII.
func skipText(b []byte, i int) int {
	i = multibyte(b, i)
	if uint(i) < uint(len(b)) && b[i] >= utf8.RuneSelf {
		return bad
	}
	return i
}

// skipEscape skips the escape sequence whose backslash is at index i. A high surrogate must be
// followed by a low one (RFC 8259 section 7).
func skipEscape(b []byte, i int) int {
	if i+1 >= len(b) {
		return bad
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		r := hex4(b, i+2)
		switch {
		case r < 0, r >= 0xdc00 && r < 0xe000:
			return bad
		case r < 0xd800 || r >= 0xe000:
			return i + 6
		}
		if i+12 > len(b) || b[i+6] != '\\' || b[i+7] != 'u' {
			return bad
		}
		if low := hex4(b, i+8); low < 0xdc00 || low >= 0xe000 {
			return bad
		}
		return i + 12
	}
	return bad
}

// hex4 reads four hexadecimal digits, or returns a negative number.
func hex4(b []byte, i int) rune {
	if i+4 > len(b) {
		return bad
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return bad
		}
		r = r<<4 | rune(c)
	}
	return r
}

// SkipNumber checks the number at index i (RFC 8259 section 6). It returns the index after it, or a
// negative number if it is malformed.
func SkipNumber(b []byte, i int) int {
	if uint(i) < uint(len(b)) && b[i] == '-' {
		i++
	}
	start := i
	if i = digits(b, i); i == start || b[start] == '0' && i-start > 1 {
		return bad
	}
	if uint(i) < uint(len(b)) && b[i] == '.' {
		start = i + 1
		if i = digits(b, start); i == start {
			return bad
		}
	}
	if uint(i) < uint(len(b)) && b[i]|0x20 == 'e' {
		i++
		if uint(i) < uint(len(b)) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		start = i
		if i = digits(b, i); i == start {
			return bad
		}
	}
	return i
}

func digits(b []byte, i int) int {
	for uint(i) < uint(len(b)) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// Has reports whether b[i:] begins with s.
func Has(b []byte, i int, s string) bool {
	return len(b)-i >= len(s) && string(b[i:i+len(s)]) == s
}
