package wire

import "github.com/rpcgen-go/rpcgen/runtime/gen/violation"

// Raw is the text of one JSON value. It is always valid, without white space between tokens, and
// without an object that has a member twice. The zero Raw is null. Raws can be compared with ==, which
// compares their texts.
type Raw struct{ text string }

// ParseRaw returns a copy of b without white space. It fails if b is not one JSON value, or is
// nested more than [MaxDepth] levels deep, or holds an object that has a member twice; then the error
// is a [*violation.Error].
func ParseRaw(b []byte) (Raw, error) {
	i := Space(b, 0)
	if end, _ := skipOnce(b, i, MaxDepth); end >= 0 && Space(b, end) == len(b) {
		return Raw{string(compact(make([]byte, 0, len(b)), b))}, nil
	}
	if err := Check(b, MaxDepth); err != nil {
		return Raw{}, err
	}
	var r Reader
	var vs violation.List
	r.Collect(b, i, MaxDepth, &vs)
	reportTwice(&r, new(names))
	return Raw{}, vs.Err()
}

// String returns the JSON text.
func (v Raw) String() string {
	if v.text == "" {
		return "null"
	}
	return v.text
}

// Kind returns the kind of the JSON value.
func (v Raw) Kind() Kind { return kinds[v.String()[0]] }

// IsNull reports whether the value is null.
func (v Raw) IsNull() bool { return v.Kind() == Null }

// MarshalJSON returns the JSON text.
func (v Raw) MarshalJSON() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalJSON stores a copy of b.
func (v *Raw) UnmarshalJSON(b []byte) error {
	raw, err := ParseRaw(b)
	if err != nil {
		return err
	}
	*v = raw
	return nil
}

// compact appends the tokens of b, which must be valid JSON, without the white space between them.
func compact(dst, b []byte) []byte {
	start := 0
	for i := 0; i < len(b); {
		switch b[i] {
		case '"':
			i = SkipString(b, i+1)
		case ' ', '\t', '\n', '\r':
			dst = append(dst, b[start:i]...)
			i = space(b, i)
			start = i
		default:
			i++
		}
	}
	return append(dst, b[start:]...)
}

// Kind is the kind of a JSON value. The zero value is Invalid.
type Kind uint8

// The kinds of JSON values. Invalid means that there is no value.
const (
	Invalid Kind = iota
	Null
	Boolean
	NumberKind
	Text
	Array
	Object
)

// String returns the name of the kind in JSON Schema, such as boolean.
func (k Kind) String() string {
	return [...]string{"nothing", "null", "boolean", "number", "string", "array", "object"}[k]
}

// kinds maps the first byte of a value to its kind.
var kinds = [256]Kind{
	'n': Null, 't': Boolean, 'f': Boolean, '"': Text, '[': Array, '{': Object, '-': NumberKind,
	'0': NumberKind, '1': NumberKind, '2': NumberKind, '3': NumberKind, '4': NumberKind,
	'5': NumberKind, '6': NumberKind, '7': NumberKind, '8': NumberKind, '9': NumberKind,
}
