// Package json holds JSON values whose numbers stay as they were written and whose members keep their order.
//
//test:sequential
package json

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/schema/decimal"
	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// Kind is the kind of a JSON value. Integer is a number without a fraction, such as 3 or 1e2; where only "a number" is meant, the kind is Number.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Boolean
	Integer
	Number
	Text
	Array
	Object
)

// String gives JSON Schema's word for the kind.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}[k]
}

// Value is a JSON value. The functions that take it by pointer share its parts with what they return, and take nil for a value that is not there.
type Value struct {
	Pos    diag.Pos // where it was written, if that is known
	Kind   Kind
	Text   string   // Text: the decoded string; Integer, Number, Boolean, Null: the JSON text
	Items  []Value  // Array
	Fields []Member // Object, in file order
}

// Member is one member of an object value.
type Member struct {
	Name  string
	Value Value
}

// NewBool returns true or false.
func NewBool(b bool) *Value { return &Value{Kind: Boolean, Text: strconv.FormatBool(b)} }

// NewText returns a text.
func NewText(s string) *Value { return &Value{Kind: Text, Text: s} }

// NewNumber returns a number as it is written.
func NewNumber(text string) *Value {
	if d, ok := decimal.Parse(text); ok && d.IsInteger() {
		return &Value{Kind: Integer, Text: text}
	}
	return &Value{Kind: Number, Text: text}
}

// NewArray returns a list of values.
func NewArray(items []*Value) *Value {
	v := &Value{Kind: Array}
	for _, item := range items {
		v.Items = append(v.Items, *item)
	}
	return v
}

// Get returns the member of an object with a name. It reports false if there is none.
func (v Value) Get(name string) (Value, bool) {
	for _, m := range v.Fields {
		if m.Name == name {
			return m.Value, true
		}
	}
	return Value{}, false
}

// Member returns the member of a name; the zero value if there is none.
func (v Value) Member(name string) Value {
	member, _ := v.Get(name)
	return member
}

// In returns the member of an object with a name; nil if there is none.
func (v *Value) In(name string) *Value {
	if v != nil {
		for i := range v.Fields {
			if v.Fields[i].Name == name {
				return &v.Fields[i].Value
			}
		}
	}
	return nil
}

// Parts returns the elements of a list, or the values of the members of an object.
func (v *Value) Parts() []*Value {
	if v == nil {
		return nil
	}
	parts := make([]*Value, 0, len(v.Items)+len(v.Fields))
	for i := range v.Items {
		parts = append(parts, &v.Items[i])
	}
	for i := range v.Fields {
		parts = append(parts, &v.Fields[i].Value)
	}
	return parts
}

// Names returns the names of the members of an object.
func (v *Value) Names() []string {
	if v == nil {
		return nil
	}
	names := make([]string, len(v.Fields))
	for i, m := range v.Fields {
		names[i] = m.Name
	}
	return names
}

// Is reports whether there is a value of a kind. An integer is a number too.
func (v *Value) Is(k Kind) bool { return v != nil && (v.Kind == k || k == Number && v.Kind == Integer) }

// Str returns the decoded string of a text, and "" for everything else.
func (v *Value) Str() string {
	if v.Is(Text) {
		return v.Text
	}
	return ""
}

// Words returns the texts of a list, or the one that the value is.
func (v Value) Words() (all []string) {
	if v.Kind == Text {
		return []string{v.Text}
	}
	for _, item := range v.Items {
		all = append(all, item.Text)
	}
	return all
}

// True reports whether the value is true.
func (v *Value) True() bool { return v.Is(Boolean) && v.Text == "true" }

// Float returns a number; ok is false for everything else.
func (v *Value) Float() (f float64, ok bool) {
	if !v.Is(Number) {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.Text, 64)
	return f, err == nil
}

// Equal reports whether two values are one JSON value: numbers by value, members in any order.
func (v *Value) Equal(o *Value) bool {
	switch {
	case v == nil || o == nil:
		return v == o
	case v.Is(Number) && o.Is(Number):
		return v.Text == o.Text || v.Key() == o.Key()
	case v.Kind != o.Kind || len(v.Items) != len(o.Items) || len(v.Fields) != len(o.Fields) || v.Kind != Null && v.Text != o.Text:
		return false
	case !slices.EqualFunc(v.Fields, o.Fields, func(a, b Member) bool { return a.Name == b.Name }):
		return v.Key() == o.Key()
	}
	return slices.EqualFunc(v.Parts(), o.Parts(), (*Value).Equal)
}

// Key is a text that equal values share.
func (v *Value) Key() string {
	var parts []string
	switch v.Kind {
	case Integer, Number:
		number, _ := decimal.Parse(v.Text)
		return number.Key()
	case Array:
		for i := range v.Items {
			parts = append(parts, v.Items[i].Key())
		}
		return "[" + strings.Join(parts, ",") + "]"
	case Object:
		for i := range v.Fields {
			parts = append(parts, fmt.Sprintf("%q:%s", v.Fields[i].Name, v.Fields[i].Value.Key()))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ",") + "}"
	}
	return v.String()
}

// With returns an object with a member set; nil removes it. The value is not changed.
func (v *Value) With(name string, member *Value) *Value {
	n := *v
	n.Kind, n.Fields = Object, slices.Clone(v.Fields)
	at := slices.IndexFunc(n.Fields, func(m Member) bool { return m.Name == name })
	switch {
	case at < 0 && member != nil:
		n.Fields = append(n.Fields, Member{name, *member})
	case at >= 0 && member != nil:
		n.Fields[at].Value = *member
	case at >= 0:
		n.Fields = slices.Delete(n.Fields, at, at+1)
	}
	return &n
}

// Set returns an object with a member set. The value is not changed.
func (v Value) Set(name string, member Value) Value { return *v.With(name, &member) }

// Without returns an object without some members. The value is not changed.
func (v Value) Without(names ...string) Value {
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(m Member) bool { return slices.Contains(names, m.Name) })
	return v
}

// Has reports whether an object has one of some members.
func (v Value) Has(names ...string) bool {
	return slices.ContainsFunc(v.Fields, func(m Member) bool { return slices.Contains(names, m.Name) })
}

// String writes the value as compact JSON.
func (v Value) String() string { return string(v.Append(nil)) }

// JSON writes the value as compact JSON, and null for nil: messages may show what is not there.
func (v *Value) JSON() string { return string(v.Append(nil)) }

// Shown is [Value.JSON], and "" for nil.
func (v *Value) Shown() string {
	if v == nil {
		return ""
	}
	return v.JSON()
}

// Append appends the value as compact JSON, and null for nil.
func (v *Value) Append(b []byte) []byte {
	switch {
	case v == nil || v.Kind == Null:
		return append(b, "null"...)
	case v.Kind == Text:
		return AppendText(b, v.Text)
	case v.Kind == Array:
		b = append(b, '[')
		for i := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = v.Items[i].Append(b)
		}
		return append(b, ']')
	case v.Kind == Object:
		b = append(b, '{')
		for i := range v.Fields {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendText(b, v.Fields[i].Name), ':')
			b = v.Fields[i].Value.Append(b)
		}
		return append(b, '}')
	}
	return append(b, v.Text...)
}

// short are the characters below a space that have an escape of two characters.
var short = [' ']byte{'\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f'}

// AppendText appends a JSON string with the escapes that JSON demands, and no others.
func AppendText(b []byte, text string) []byte {
	b = append(b, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ' && short[r] != 0:
			b = append(b, '\\', short[r])
		case r < ' ':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
