package mcp

import "strings"

// Generated code matches and makes URIs of templates (RFC 6570 levels 1 and 2) with these: a variable {name} stands for text in which
// everything but letters, digits and -._~ is percent-encoded, {+name} also for text that holds the other characters of URIs as they are.

// AppendVariable appends the value of a variable {name} to a URI.
func AppendVariable(b []byte, value string) []byte { return appendEncoded(b, value, unreserved) }

// AppendReserved appends the value of a variable {+name} to a URI.
func AppendReserved(b []byte, value string) []byte {
	return appendEncoded(b, value, func(c byte) bool { return unreserved(c) || reservedURI(c) })
}

func appendEncoded(b []byte, value string, plain func(byte) bool) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(value) {
		if c := value[i]; plain(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return b
}

// Variable returns the value of a variable {name} that stands in a URI as text. False: no value stands there as that.
func Variable(text string) (string, bool) { return unencoded(text, unreserved) }

// Reserved returns the value of a variable {+name} that stands in a URI as text. False: no value stands there as that.
func Reserved(text string) (string, bool) {
	return unencoded(text, func(c byte) bool { return unreserved(c) || reservedURI(c) })
}

func unencoded(text string, plain func(byte) bool) (string, bool) {
	if text == "" {
		return "", false
	}
	value := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '%' {
			if i+2 >= len(text) {
				return "", false
			}
			high, low := hex(text[i+1]), hex(text[i+2])
			if high < 0 || low < 0 {
				return "", false
			}
			c = byte(high<<4 | low)
			i += 2
		} else if !plain(c) {
			return "", false
		}
		value = append(value, c)
	}
	return string(value), true
}

// hex returns the value of a hexadecimal digit, or a negative number.
func hex(c byte) int {
	if 'A' <= c && c <= 'F' {
		c += 'a' - 'A'
	}
	return strings.IndexByte("0123456789abcdef", c)
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func reservedURI(c byte) bool { return strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0 }
