package wire

import (
	"strconv"
	"strings"
)

// ID is a string or an integer of any size, such as a request id (JSON-RPC 2.0 section 4) or a progress token (RequestId and ProgressToken of MCP). Its JSON
// text is kept exactly, so it is returned to the peer as it was received. Comparing IDs with == compares texts; [ID.Key] is for comparing values. The zero ID
// means no id.
type ID struct{ text string }

// StringID returns the ID of the string s.
func StringID(s string) ID { return ID{string(AppendString(nil, s))} }

// IntID returns the ID of the integer n.
func IntID(n int64) ID { return ID{strconv.FormatInt(n, 10)} }

// ParseID returns the ID with the JSON text b. It reports false if b is not a string or a number whose value is an integer, such as 4, 4.0 and 40e-1.
func ParseID(b []byte) (ID, bool) {
	if !validID(b) {
		return ID{}, false
	}
	return ID{string(b)}, true
}

func validID(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	if b[0] == '"' {
		return SkipString(b, 1) == len(b)
	}
	if SkipNumber(b, 0) != len(b) {
		return false
	}
	start := 0
	if b[0] == '-' {
		start = 1
	}
	if digits(b, start) == len(b) {
		return true
	}
	_, ok := integerText(share(b))
	return ok
}

// Key returns a text that equal ids have in common, see [IDKey].
func (id ID) Key() string { return IDKey(id.text) }

// IDKey returns a text that the JSON texts of equal ids have in common: numbers are equal by value, as 4, 4.0 and 40e-1, and strings are equal decoded, as
// "a" and "\u0061". A number never equals a string. The text may be that of any id, so also null or 1.5, which plain JSON-RPC 2.0 allows. Most ids are their
// own keys; for others the time is proportional to the length of the text.
func IDKey(text string) string {
	if ownKey(text) {
		return text
	}
	return foundKey(text)
}

// keyDigits is the most digits of an integer that is its own key. Longer ones may end in many zeros, which an equal number leaves to its exponent.
const keyDigits = 19

// ownKey reports whether the text of an id is its key.
func ownKey(text string) bool {
	switch {
	case text == "":
		return true
	case text[0] == '"':
		return strings.IndexByte(text, '\\') < 0
	case len(text) > keyDigits || text[0] == '-':
		return false
	}
	return areDigits(text)
}

// foundKey is IDKey for the text of an id that is not its key.
func foundKey(text string) string {
	b := bytesOf(text)
	if b[0] == '"' {
		if s, end := Str(b, 0); end == len(b) {
			return `"` + s + `"` // a text without escapes holds no quotes, so this is no other key
		}
		return text
	}
	if SkipNumber(b, 0) != len(b) {
		return text
	}
	if n, ok := integerText(text); ok && len(strings.TrimPrefix(n, "-")) <= keyDigits {
		return n
	}
	return CanonicalNumber(text)
}

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id.text == "" }

// String returns the JSON text of the id: a string is quoted. The zero ID returns "".
func (id ID) String() string { return id.text }

// Text returns the value of an id that is a string. It reports false for any other id.
func (id ID) Text() (string, bool) {
	if id.text == "" || id.text[0] != '"' {
		return "", false
	}
	s, _ := Str(bytesOf(id.text), 0)
	return s, true
}

// Int64 returns the value of an id that is an integer. It reports false if it is a string or does not fit.
func (id ID) Int64() (int64, bool) { return PeekAt(bytesOf(id.text)).Int64() }

// MarshalJSON returns the JSON text of the id. The zero ID is null.
func (id ID) MarshalJSON() ([]byte, error) { return AppendID(nil, id), nil }

// UnmarshalJSON accepts a string or an integer.
func (id *ID) UnmarshalJSON(b []byte) error {
	v, ok := ParseID(b)
	if !ok {
		return &SyntaxError{What: "an id is a string or an integer"}
	}
	*id = v
	return nil
}

// AppendID appends the JSON text of id. The zero ID is null.
func AppendID(b []byte, id ID) []byte {
	if id.text == "" {
		return append(b, "null"...)
	}
	return append(b, id.text...)
}
