package uri

import "strings"

// Append appends the expansion of {name}: all characters except unreserved ones are percent-encoded
// (RFC 6570 section 3.2.2).
func Append(b []byte, value string) []byte {
	for i := range len(value) {
		b = encode(b, value[i], isUnreserved(value[i]))
	}
	return b
}

// AppendReserved appends the expansion of {+name}, or of {#name} without the #: reserved characters
// and percent-encoded triplets are not encoded (RFC 6570 sections 3.2.3 and 3.2.4).
func AppendReserved(b []byte, value string) []byte {
	for i := range len(value) {
		c := value[i]
		b = encode(b, c, isUnreserved(c) || isReserved(c) || c == '%' && isTriplet(value[i:]))
	}
	return b
}

const digits = "0123456789ABCDEF"

func encode(b []byte, c byte, plain bool) []byte {
	if plain {
		return append(b, c)
	}
	return append(b, '%', digits[c>>4], digits[c&15])
}

// RFC 3986 section 2.3.
func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// RFC 3986 section 2.2.
func isReserved(c byte) bool { return strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0 }

// isTriplet reports whether text begins with % and two hexadecimal digits.
func isTriplet(text string) bool { return len(text) > 2 && hex(text[1]) >= 0 && hex(text[2]) >= 0 }

func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
