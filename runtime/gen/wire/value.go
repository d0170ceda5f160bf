package wire

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
)

// String reads a string.
func (r *Reader) String() string {
	b, i := r.b, r.i
	if uint(i) < uint(len(b)) && b[i] == '"' {
		if j := plain(b, i+1); uint(j) < uint(len(b)) && b[j] == '"' {
			r.i = j + 1
			return shareSpan(b, i+1, j)
		}
	}
	return readString(r)
}

func readString(r *Reader) string {
	i := Space(r.b, r.i)
	s, end := Str(r.b, i)
	if end < 0 {
		wrongKind(r, "string")
		return ""
	}
	r.i = end
	if len(s)+len(`""`) != end-i && !r.Charge(2*len(s)) { // it has escapes, so it was copied
		return ""
	}
	return s
}

// Bool reads true or false.
func (r *Reader) Bool() bool {
	i := Space(r.b, r.i)
	switch {
	case Has(r.b, i, "true"):
		r.i = i + 4
		return true
	case Has(r.b, i, "false"):
		r.i = i + 5
	default:
		wrongKind(r, "boolean")
	}
	return false
}

// Null reads null if it is there, and reports whether it was.
func (r *Reader) Null() bool {
	i := Space(r.b, r.i)
	if !Has(r.b, i, "null") {
		return false
	}
	r.i = i + 4
	r.most = 0
	return true
}

// Int64 reads an integer. 1.0 and 1e2 are integers, as in JSON Schema. A value out of range is a fault.
func (r *Reader) Int64() int64 {
	if v, end := readInt(r.b, r.i); end >= 0 {
		r.i = end
		return v
	}
	return readInt64(r)
}

func readInt64(r *Reader) int64 {
	text, end := readInteger(r)
	if end < 0 {
		return 0
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		outOfRange(r, r.i, "a 64-bit integer")
		return 0
	}
	r.i = end
	return v
}

// Int32 reads a 32-bit integer, see [Reader.Int64].
func (r *Reader) Int32() int32 {
	at := r.i
	v := r.Int64()
	if v != int64(int32(v)) {
		outOfRange(r, at, "a 32-bit integer")
		return 0
	}
	return int32(v)
}

// Uint32 reads a 32-bit unsigned integer, see [Reader.Int64].
func (r *Reader) Uint32() uint32 {
	at := r.i
	v := r.Int64()
	if v != int64(uint32(v)) {
		outOfRange(r, at, "an unsigned 32-bit integer")
		return 0
	}
	return uint32(v)
}

// Uint64 reads an unsigned integer, see [Reader.Int64].
func (r *Reader) Uint64() uint64 {
	if v, end := readInt(r.b, r.i); end >= 0 && v >= 0 {
		r.i = end
		return uint64(v)
	}
	text, end := readInteger(r)
	if end < 0 {
		return 0
	}
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		outOfRange(r, r.i, "an unsigned 64-bit integer")
		return 0
	}
	r.i = end
	return v
}

// outOfRange reports the number that begins at index at. The report does not contain the number, which may be a secret.
func outOfRange(r *Reader, at int, expected string) {
	r.i = at
	addFault(r, violation.Violation{Rule: "type", Expected: expected, Got: "an integer out of range"})
}

// readInteger returns the digits of the integer at the cursor and the index after it. If it reported a fault, end is negative.
func readInteger(r *Reader) (text string, end int) {
	i := Space(r.b, r.i)
	if end = SkipNumber(r.b, i); end < 0 {
		wrongKind(r, "integer")
		return "", bad
	}
	text, ok := integerText(share(r.b[i:end]))
	if !ok {
		addFault(r, violation.Violation{Rule: "type", Expected: "integer", Got: "a number with a fraction"})
		return "", bad
	}
	return text, end
}

// Float64 reads a number as the nearest float64. A number out of range is a fault.
func (r *Reader) Float64() float64 {
	if v, end := readFloat(r.b, r.i); end >= 0 {
		r.i = end
		return v
	}
	return readFloat64(r)
}

func readFloat64(r *Reader) float64 {
	i := Space(r.b, r.i)
	end := SkipNumber(r.b, i)
	if end < 0 {
		wrongKind(r, "number")
		return 0
	}
	v, err := strconv.ParseFloat(share(r.b[i:end]), 64)
	if err != nil {
		addFault(r, violation.Violation{Rule: "type", Expected: "a 64-bit floating-point number", Got: "a number out of range"})
		return 0
	}
	r.i = end
	return v
}

// Number reads a number and keeps its text.
func (r *Reader) Number() Number {
	i := Space(r.b, r.i)
	end := SkipNumber(r.b, i)
	if end < 0 {
		wrongKind(r, "number")
		return ""
	}
	r.i = end
	return Number(share(r.b[i:end]))
}

// ID reads a string or an integer and keeps its text.
func (r *Reader) ID() ID {
	i := Space(r.b, r.i)
	end := bad
	switch r.Kind() {
	case Text:
		end = SkipString(r.b, i+1)
	case NumberKind:
		if end = SkipNumber(r.b, i); end >= 0 && !validID(r.b[i:end]) {
			return integralID(r, i, end)
		}
	}
	if end < 0 {
		wrongKind(r, "string or integer")
		return ID{}
	}
	r.i = end
	return ID{share(r.b[i:end])}
}

// integralID reads a number that is an integer only by value, such as 1.0. Its text is kept.
func integralID(r *Reader, i, end int) ID {
	if _, ok := integerText(share(r.b[i:end])); !ok {
		addFault(r, violation.Violation{Rule: "type", Expected: "string or integer", Got: "a number with a fraction"})
		return ID{}
	}
	r.i = end
	return ID{share(r.b[i:end])}
}

// Raw reads a value of any kind and keeps its text, without white space between tokens. An object that has a member twice, at any depth, is a fault: of
// two readers of the text each could take another one.
func (r *Reader) Raw() Raw {
	i := Space(r.b, r.i)
	spaced := once(r)
	if r.failed {
		return Raw{}
	}
	text := r.b[i:r.i]
	if spaced {
		if !r.Charge(len(text)) {
			return Raw{}
		}
		text = compact(make([]byte, 0, len(text)), text)
	}
	return Raw{share(text)}
}

// Bytes reads a string in base64 (RFC 4648 section 4, with padding) and reuses the memory of p. The result is never nil.
func (r *Reader) Bytes(p []byte) []byte {
	at := r.i
	s := r.String()
	if r.failed {
		return nil
	}
	if n := base64.StdEncoding.DecodedLen(len(s)); n > cap(p) && !r.Charge(n) {
		return nil
	}
	if p == nil {
		p = []byte{}
	}
	p, err := base64.StdEncoding.Strict().AppendDecode(p[:0], bytesOf(s))
	if err != nil || strings.ContainsAny(s, "\r\n") { // line ends, which the decoder ignores
		r.i = at
		addFault(r, violation.Violation{Rule: "format", Expected: "base64 (RFC 4648, padded)", Got: "other text"})
		return p[:0]
	}
	return p
}

// Time reads a date-time of RFC 3339.
func (r *Reader) Time() time.Time {
	at := r.i
	s := r.String()
	if r.failed {
		return time.Time{}
	}
	t, ok := parseTime(s)
	if !ok {
		r.i = at
		addFault(r, violation.Violation{Rule: "format", Expected: "a date-time (RFC 3339), such as 2026-07-28T12:00:00Z", Got: "other text"})
	}
	return t
}

// parseTime parses a date-time of the one grammar that formats have as well: what it accepts can be written again.
func parseTime(s string) (t time.Time, ok bool) {
	if !IsDateTime(s) {
		return t, false
	}
	if s[10] == 't' || s[len(s)-1] == 'z' { // RFC 3339 section 5.6 allows lower case
		p := []byte(s)
		p[10] &^= 0x20
		if p[len(p)-1] == 'z' {
			p[len(p)-1] = 'Z'
		}
		s = string(p)
	}
	err := t.UnmarshalText(bytesOf(s))
	return t, err == nil
}

// Unset reports that the value that was just read cannot be distinguished from an absent one: it is the zero value of a field with a default, and
// violates a rule of that field, so the struct stands for the default.
func (r *Reader) Unset(broken, expected string) {
	if !isCollecting(r) {
		fail(r)
		return
	}
	if r.vs.Full() {
		return
	}
	at := pointerOf(r)
	for _, v := range r.vs.All() {
		if v.Pointer == at {
			return // zero because it could not be read, which was reported
		}
	}
	r.vs.AddUnusable(violation.Violation{Pointer: at, Rule: broken, Expected: expected})
}

// Const reads the value whose canonical JSON is text. Any other value is a fault.
func (r *Reader) Const(text string) {
	i := Space(r.b, r.i)
	if Has(r.b, i, text) {
		// A number may continue: 1 does not match 12.
		if end := Skip(r.b, i, r.depth); end == i+len(text) {
			r.i = end
			return
		}
	}
	at, kind := r.i, r.Kind()
	if kind == kinds[text[0]] {
		if v := r.Raw(); r.failed || equalScalar(v.String(), text) {
			return
		}
	}
	r.i = at
	addFault(r, violation.Violation{Rule: "const", Expected: text, Got: kind.String()})
}

// equalScalar reports whether two scalars, given as JSON texts, have equal values.
func equalScalar(a, b string) bool {
	switch {
	case kinds[a[0]] != kinds[b[0]]:
		return false
	case kinds[a[0]] == NumberKind:
		return CompareDecimal(a, b) == 0
	case kinds[a[0]] == Text:
		x, _ := Str(bytesOf(a), 0)
		y, _ := Str(bytesOf(b), 0)
		return x == y
	}
	return a == b
}
