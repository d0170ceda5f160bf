package web

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unescape returns a text with the escapes of JSON, URLs and HTML replaced by what they stand for, once. What is not an escape stays.
func unescape(text string) string {
	at := strings.IndexAny(text, `\%&`)
	if at < 0 {
		return text
	}
	b := make([]byte, 0, len(text))
	for ; at >= 0; at = strings.IndexAny(text, `\%&`) {
		b = append(b, text[:at]...)
		var n int
		b, n = appendPlain(b, text[at:])
		text = text[at+n:]
	}
	return string(append(b, text...))
}

// appendPlain appends what the escape at the beginning of text stands for, and returns its length.
func appendPlain(b []byte, text string) ([]byte, int) {
	switch {
	case text[0] == '%':
		if c, ok := hex(text[1:], 2); ok {
			return append(b, byte(c)), len("%00")
		}
	case text[0] == '&':
		if c, n := entity(text); n > 0 {
			return utf8.AppendRune(b, c), n
		}
	case strings.HasPrefix(text, `\u`):
		if c, ok := hex(text[2:], 4); ok {
			return utf8.AppendRune(b, c), len(`\u0000`)
		}
	case strings.HasPrefix(text, `\x`):
		if c, ok := hex(text[2:], 2); ok {
			return append(b, byte(c)), len(`\x00`)
		}
	case len(text) > 1 && strings.IndexByte(`\/"'`, text[1]) >= 0:
		return append(b, text[1]), 2
	}
	return append(b, text[0]), 1
}

// hex returns the number of that many hexadecimal digits.
func hex(text string, digits int) (rune, bool) {
	if len(text) < digits {
		return 0, false
	}
	n, err := strconv.ParseUint(text[:digits], 16, 32)
	return rune(n), err == nil
}

// entities are the named ones that are also those of XML.
var entities = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

// entity returns the character of an entity of HTML at the beginning of text, and its length; 0 if there is none.
func entity(text string) (rune, int) {
	const most = 12 // bytes
	end := strings.IndexByte(text[:min(len(text), most)], ';')
	if end < 2 {
		return 0, 0
	}
	name := text[1:end]
	if c, ok := entities[name]; ok {
		return c, end + 1
	}
	digits, ok := strings.CutPrefix(name, "#")
	base := 10
	if rest, isHex := strings.CutPrefix(strings.ToLower(digits), "x"); isHex {
		digits, base = rest, 16
	}
	c, err := strconv.ParseUint(digits, base, 32)
	if !ok || err != nil || c > utf8.MaxRune {
		return 0, 0
	}
	return rune(c), end + 1
}
