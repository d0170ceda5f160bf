package wire

import "strconv"

// ID is a string or an integer without bounds, such as a request id or a progress token (JSON-RPC 2.0 section 4; MCP
// RequestId). Its JSON text is kept to the byte, so it goes back exactly as it came. IDs can be compared with ==; the zero ID is none.
type ID struct{ text string }

// StringID returns the id that is the string s.
func StringID(s string) ID { return ID{string(AppendString(nil, s))} }

// IntID returns the id that is the integer n.
func IntID(n int64) ID { return ID{strconv.FormatInt(n, 10)} }

// ParseID returns the id with the JSON text b: a string or an integer without fraction and exponent.
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

// IsZero reports whether id is none.
func (id ID) IsZero() bool { return id.text == "" }

// String returns the JSON text of id: strings stand in quotes.
func (id ID) String() string { return id.text }

// Text returns the string that id is, and whether it is one.
func (id ID) Text() (string, bool) {
	if id.text == "" || id.text[0] != '"' {
		return "", false
	}
	s, _ := Str(bytesOf(id.text), 0)
	return s, true
}

// Int64 returns the integer that id is, and whether it is one that fits.
func (id ID) Int64() (int64, bool) {
	n, err := strconv.ParseInt(id.text, 10, 64)
	return n, err == nil
}

// MarshalJSON returns the JSON text; the zero ID is null.
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

// AppendID appends id; the zero ID is null.
func AppendID(b []byte, id ID) []byte {
	if id.text == "" {
		return append(b, "null"...)
	}
	return append(b, id.text...)
}
