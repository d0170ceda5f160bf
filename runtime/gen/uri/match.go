package uri

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Match matches a URI with a template, from left to right. After a part that does not match,
// nothing matches any more.
type Match struct {
	rest   string
	failed bool
}

// NewMatch returns a Match for the whole URI.
func NewMatch(uri string) Match { return Match{rest: uri} }

// Done reports whether everything has matched up to the end.
func (m *Match) Done() bool { return !m.failed && m.rest == "" }

// Literal matches text.
func (m *Match) Literal(text string) {
	rest, ok := strings.CutPrefix(m.rest, text)
	m.rest = rest
	m.failed = m.failed || !ok
}

// Simple matches {name}, which is at least one character, and the text next that follows it, at the
// first place where next occurs. If a later place were possible too, the next variable takes the
// text in between.
func (m *Match) Simple(next string) string {
	if m.rest == "" {
		m.failed = true
		return ""
	}
	at := strings.Index(m.rest[1:], next)
	if at < 0 {
		m.failed = true
		return ""
	}
	value := m.rest[:at+1]
	m.rest = m.rest[at+1+len(next):]
	return m.decode(value, false)
}

// Last matches {name} if no other variable follows, and the text suffix at the end. It returns the
// value.
func (m *Match) Last(suffix string) string { return m.last(suffix, false) }

// LastReserved is Last for {+name} and {#name}, whose values may contain reserved characters.
func (m *Match) LastReserved(suffix string) string { return m.last(suffix, true) }

func (m *Match) last(suffix string, reserved bool) string {
	value, ok := strings.CutSuffix(m.rest, suffix)
	if !ok || value == "" {
		m.failed = true
		return ""
	}
	m.rest = ""
	return m.decode(value, reserved)
}

// decode decodes percent-encoding. A value must not contain characters that expansion would have
// encoded, nor control characters such as NUL, at which other programs would end it. Anything else
// is accepted, ../ as well.
func (m *Match) decode(value string, reserved bool) string {
	if m.failed {
		return ""
	}
	encoded := 0
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '%' && isTriplet(value[i:]):
			encoded++
			i += 2
		case !isUnreserved(c) && !(reserved && isReserved(c)):
			m.failed = true
			return ""
		}
	}
	if encoded == 0 {
		return value
	}
	text := make([]byte, 0, len(value)-2*encoded)
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c == '%' {
			c = byte(hex(value[i+1])<<4 | hex(value[i+2]))
			i += 2
		}
		text = append(text, c)
	}
	s := string(text)
	if m.failed = !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl); m.failed {
		return ""
	}
	return s
}

// Int parses a value that is an integer of the given number of bits, in the form in which it is
// expanded: without leading zeros and without +.
func (m *Match) Int(value string, bits int) int64 {
	n, err := strconv.ParseInt(value, 10, bits)
	m.failed = m.failed || err != nil || strconv.FormatInt(n, 10) != value
	return n
}

// Uint is Int for unsigned integers.
func (m *Match) Uint(value string, bits int) uint64 {
	n, err := strconv.ParseUint(value, 10, bits)
	m.failed = m.failed || err != nil || strconv.FormatUint(n, 10) != value
	return n
}
