package ir

import "github.com/rpcgen-go/rpcgen/schema/json"

// Value is a JSON value written in a schema: a default, a constant, an enum value, an example.
type Value = json.Value

// Member is one member of an object value.
type Member = json.Member

// Kind is the kind of a value.
type Kind = json.Kind

// The kinds of values.
const (
	Null    = json.Null
	Boolean = json.Boolean
	Integer = json.Integer
	Number  = json.Number
	Text    = json.Text
	Array   = json.Array
	Object  = json.Object
)

// ParseJSON reads one JSON text, see [json.Parse].
func ParseJSON(text []byte) (Value, error) {
	v, err := json.Parse(text)
	if err != nil {
		return Value{}, err
	}
	return *v, nil
}

// NumberValue returns the value of a JSON number text.
func NumberValue(text string) Value { return *json.NewNumber(text) }

// TextList returns a list of texts.
func TextList(all ...string) Value {
	return Value{Kind: Array, Items: Each(all, func(s string) Value { return Value{Kind: Text, Text: s} })}
}

// EscapePointer writes a name as one step of a JSON Pointer (RFC 6901 section 3).
func EscapePointer(name string) string { return json.Escape(name) }

// UnescapePointer reads one step of a JSON Pointer.
func UnescapePointer(step string) string { return json.Unescape(step) }
