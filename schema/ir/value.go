package ir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/diag"
)

// Kind is the kind of a JSON value. Integer is a number without a fraction, such as 3 or 1e2; where only "a number" is
// meant, the kind is Number.
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

// Value is a JSON value written in a schema: a default, a constant, an enum value, an example.
type Value struct {
	Pos    diag.Pos
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

var (
	pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")
	pointerNames   = strings.NewReplacer("~1", "/", "~0", "~")
)

// EscapePointer writes a name as one step of a JSON Pointer (RFC 6901 section 3).
func EscapePointer(name string) string { return pointerEscapes.Replace(name) }

// UnescapePointer reads one step of a JSON Pointer.
func UnescapePointer(step string) string { return pointerNames.Replace(step) }

// Get returns the member of an object with a name. It reports false if there is none.
func (v Value) Get(name string) (Value, bool) {
	for _, m := range v.Fields {
		if m.Name == name {
			return m.Value, true
		}
	}
	return Value{}, false
}

// Has reports whether an object has one of some members.
func (v Value) Has(names ...string) bool {
	return slices.ContainsFunc(v.Fields, func(m Member) bool { return slices.Contains(names, m.Name) })
}

// With returns an object with a member set.
func (v Value) With(name string, value Value) Value {
	v.Kind, v.Fields = Object, slices.Clone(v.Fields)
	for i, m := range v.Fields {
		if m.Name == name {
			v.Fields[i].Value = value
			return v
		}
	}
	v.Fields = append(v.Fields, Member{name, value})
	return v
}

// Without returns an object without some members.
func (v Value) Without(names ...string) Value {
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(m Member) bool { return slices.Contains(names, m.Name) })
	return v
}

// String writes the value as compact JSON.
func (v Value) String() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v Value) write(b *strings.Builder) {
	switch v.Kind {
	case Text:
		writeText(b, v.Text)
	case Array:
		b.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		for i, m := range v.Fields {
			if i > 0 {
				b.WriteByte(',')
			}
			writeText(b, m.Name)
			b.WriteByte(':')
			m.Value.write(b)
		}
		b.WriteByte('}')
	default:
		b.WriteString(v.Text)
	}
}

// writeText writes a JSON string with the escapes that JSON demands, and no others.
func writeText(b *strings.Builder, text string) {
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ':
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}
