// Package jsontree holds JSON values whose numbers stay as they were written and whose members keep their order.
//
//test:by ./runtime/x/contract/values
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/internal/pointer"
)

// Kind is the kind of a value.
type Kind uint8

// The kinds of JSON.
const (
	Null Kind = iota
	Bool
	Number
	Text
	List
	Object
)

// Value is a JSON value. Values are shared rather than copied: what is in use is not changed, see [Value.With].
type Value struct {
	Kind  Kind
	Text  string   // what a text says; a number or a word as it is written
	Names []string // of the members of an object
	Items []*Value // elements, or the values of the members
}

// maxDepth limits how deep values are.
const maxDepth = 1000

// Parse reads one value, with nothing after it.
func Parse(text []byte) (*Value, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := read(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("there is more after the value")
	}
	return v, nil
}

func read(d *json.Decoder, depth int) (*Value, error) {
	token, err := d.Token()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if depth > maxDepth {
		return nil, errors.New("it is too deep")
	}
	switch t := token.(type) {
	case json.Delim:
		return readIn(d, t, depth)
	case string:
		return &Value{Kind: Text, Text: t}, nil
	case json.Number:
		return &Value{Kind: Number, Text: t.String()}, nil
	case bool:
		return Boolean(t), nil
	}
	return &Value{Text: "null"}, nil
}

// readIn reads what lies in a list or an object, and its end.
func readIn(d *json.Decoder, open json.Delim, depth int) (*Value, error) {
	v := &Value{Kind: List}
	if open == '{' {
		v.Kind = Object
	}
	for d.More() {
		if v.Kind == Object {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v.Names = append(v.Names, name.(string))
		}
		item, err := read(d, depth+1)
		if err != nil {
			return nil, err
		}
		v.Items = append(v.Items, item)
	}
	_, err := d.Token()
	return v, err
}

// Boolean returns true or false.
func Boolean(b bool) *Value { return &Value{Kind: Bool, Text: strconv.FormatBool(b)} }

// String returns a text.
func String(s string) *Value { return &Value{Kind: Text, Text: s} }

// Num returns a number as it is written.
func Num(s string) *Value { return &Value{Kind: Number, Text: s} }

// Append appends the value as JSON, and null for a nil value.
func (v *Value) Append(b []byte) []byte {
	switch {
	case v == nil:
		return append(b, "null"...)
	case v.Kind == Text:
		return AppendText(b, v.Text)
	case v.Kind == List || v.Kind == Object:
		open := "[]"
		if v.Kind == Object {
			open = "{}"
		}
		b = append(b, open[0])
		for i, item := range v.Items {
			if i > 0 {
				b = append(b, ',')
			}
			if v.Kind == Object {
				b = append(AppendText(b, v.Names[i]), ':')
			}
			b = item.Append(b)
		}
		return append(b, open[1])
	}
	return append(b, v.Text...)
}

// AppendText appends a text in quotes, without escapes that HTML would need.
func AppendText(b []byte, s string) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a text has no error
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

// JSON returns the value as JSON, and null for a nil value: messages may show what a server has left out.
func (v *Value) JSON() string { return string(v.Append(nil)) }

// Get returns a member, the last one of its name, or nil. It is nil for what is not an object, and for a nil value.
func (v *Value) Get(name string) *Value {
	if v == nil || v.Kind != Object {
		return nil
	}
	for i := len(v.Names) - 1; i >= 0; i-- {
		if v.Names[i] == name {
			return v.Items[i]
		}
	}
	return nil
}

// Is reports whether there is a value of a kind. It may be nil.
func (v *Value) Is(k Kind) bool { return v != nil && v.Kind == k }

// Str returns what a text says, and "" for everything else and for nil.
func (v *Value) Str() string {
	if v.Is(Text) {
		return v.Text
	}
	return ""
}

// True reports whether the value is true. It may be nil.
func (v *Value) True() bool { return v.Is(Bool) && v.Text == "true" }

// Float returns a number; ok is false for everything else and for nil.
func (v *Value) Float() (f float64, ok bool) {
	if !v.Is(Number) {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.Text, 64)
	return f, err == nil
}

// Whole reports whether the value is a number without a fraction, such as 1.0.
func (v *Value) Whole() bool {
	r, ok := v.rational()
	return ok && r.IsInt()
}

// rational returns a number exactly; ok is false for numbers with large exponents.
func (v *Value) rational() (r *big.Rat, ok bool) {
	if !v.Is(Number) || len(v.Text) > 400 {
		return nil, false
	}
	if i := strings.IndexAny(v.Text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(v.Text[i+1:]); err != nil || e > 400 || e < -400 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(v.Text)
}

// Equal reports whether two values are equal: numbers by value, members in any order.
func (v *Value) Equal(o *Value) bool {
	if v == nil || o == nil || v.Kind != o.Kind || len(v.Items) != len(o.Items) {
		return v == o
	}
	switch v.Kind {
	case Number:
		a, ok := v.rational()
		b, too := o.rational()
		return v.Text == o.Text || ok && too && a.Cmp(b) == 0
	case Object:
		for i, name := range v.Names {
			if !v.Items[i].Equal(o.Get(name)) {
				return false
			}
		}
		return true
	case List:
		for i := range v.Items {
			if !v.Items[i].Equal(o.Items[i]) {
				return false
			}
		}
		return true
	}
	return v.Text == o.Text
}

// With returns an object with a member set; nil removes it. The value is not changed.
func (v *Value) With(name string, member *Value) *Value {
	n := &Value{Kind: Object}
	set := false
	for i, old := range v.Names {
		item := v.Items[i]
		if old == name {
			item, set = member, true
		}
		if item != nil {
			n.Names, n.Items = append(n.Names, old), append(n.Items, item)
		}
	}
	if !set && member != nil {
		n.Names, n.Items = append(n.Names, name), append(n.Items, member)
	}
	return n
}

// Step is one part of a path: the name of a member, or the index of an element.
type Step struct {
	Name  string
	Index int // -1 for a member
}

// Put returns the value with a part of it replaced; nil removes a member or an element. The parts before the last one have to be there.
func (v *Value) Put(path []Step, part *Value) *Value {
	if len(path) == 0 {
		return part
	}
	step := path[0]
	if step.Index < 0 {
		if len(path) == 1 {
			return v.With(step.Name, part)
		}
		return v.With(step.Name, v.Get(step.Name).Put(path[1:], part))
	}
	n := &Value{Kind: List, Items: append([]*Value(nil), v.Items...)}
	if len(path) > 1 {
		part = n.Items[step.Index].Put(path[1:], part)
	}
	if part == nil {
		n.Items = append(n.Items[:step.Index], n.Items[step.Index+1:]...)
	} else {
		n.Items[step.Index] = part
	}
	return n
}

// Pointer returns the JSON Pointer (RFC 6901) of a path.
func Pointer(path []Step) string {
	var b strings.Builder
	for _, s := range path {
		b.WriteByte('/')
		if s.Index >= 0 {
			b.WriteString(strconv.Itoa(s.Index))
		} else {
			b.WriteString(pointer.Escape(s.Name))
		}
	}
	return b.String()
}

// At returns the value that a JSON Pointer leads to, or nil.
func (v *Value) At(path string) *Value {
	if path == "" {
		return v
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		switch {
		case v.Is(Object):
			v = v.Get(pointer.Unescape(part))
		case v.Is(List):
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v.Items) {
				return nil
			}
			v = v.Items[i]
		default:
			return nil
		}
	}
	return v
}

// Walk visits the value and all that lies in it, with their paths, until visit returns false for a value, whose parts are left out. It visits
// nothing of a nil value.
func (v *Value) Walk(path []Step, visit func(path []Step, v *Value) bool) {
	if v == nil || !visit(path, v) {
		return
	}
	for i, item := range v.Items {
		step := Step{Index: i}
		if v.Kind == Object {
			step = Step{Name: v.Names[i], Index: -1}
		}
		item.Walk(append(path[:len(path):len(path)], step), visit)
	}
}

// Shown returns the value as JSON, and "" for nil.
func (v *Value) Shown() string {
	if v == nil {
		return ""
	}
	return v.JSON()
}
