package wire

import "strconv"

// ID is a string or an integer of any size, such as a request id (JSON-RPC 2.0 section 4) or a
// progress token (RequestId and ProgressToken of MCP). Its JSON text is kept exactly, so it is
// returned to the peer as it was received. IDs can be compared with ==, which compares texts. The
// zero ID means no id.
type ID struct{ text string }

// StringID returns the ID of the string s.
func StringID(s string) ID { return ID{string(AppendString(nil, s))} }

// IntID returns the ID of the integer n.
func IntID(n int64) ID { return ID{strconv.FormatInt(n, 10)} }

// ParseID returns the ID with the JSON text b. It reports false if b is not a string or an integer
// without fraction and exponent.
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
	start := 0
	if b[0] == '-' {
		start = 1
	}
	return digits(b, start) == len(b) && SkipNumber(b, 0) == len(b)
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

// Int64 returns the value of an id that is an integer. It reports false if it is a string or does
// not fit.
func (id ID) Int64() (int64, bool) {
	n, err := strconv.ParseInt(id.text, 10, 64)
	return n, err == nil
}

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
