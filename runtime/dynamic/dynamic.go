// Package dynamic turns JSON into Go values that no schema describes, and back: `any`, maps, and the Go types that a schema binds
// with `go:`. It is the only package of the runtime that stands on reflection and on sonic; programs whose schema has no such
// values link neither.
//
// # Numbers
//
// In an `any`, every number is a [json.Number]: its text, to the byte, so that integers beyond 2^53 survive a round trip. The
// other kinds are those of encoding/json: nil, bool, string, []any and map[string]any.
//
// # Strictness
//
// What comes in has passed package wire, which refuses invalid UTF-8, lone surrogates, control characters and deep nesting before
// anybody else sees them. Member names match in exact case; of a name that occurs twice the last one counts, as in
// encoding/json; where sonic does not run, on 32-bit systems, encoding/json does the work, and names of bound structs match in any
// case. What goes out is checked again and compacted, whatever a MarshalJSON method wrote; map keys are sorted.
package dynamic

import (
	"reflect"

	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// Append appends v as JSON. It panics with a [*wire.EncodeError] when v cannot be written: dispatch, clients and MarshalJSON recover
// that.
func Append(b []byte, v any) []byte {
	raw, err := Raw(v)
	if err != nil {
		panic(&wire.EncodeError{What: err.Error()})
	}
	return wire.AppendRaw(b, raw)
}

// Raw returns v as JSON.
func Raw(v any) (wire.Raw, error) {
	if raw, ok := v.(wire.Raw); ok {
		return raw, nil
	}
	text, err := marshal(v)
	if err != nil {
		return wire.Raw{}, err
	}
	return wire.ParseRaw(text)
}

// Decode reads the value at r's cursor into v, a pointer. A value that does not fit is a violation of the rule `type`.
func Decode(r *wire.Reader, v any) {
	before := *r
	raw := r.Raw()
	if _, kept := v.(*wire.Raw); r.Failed() || !kept && !r.Charge(cost(raw.String())) {
		return
	}
	if err := Into(raw, v); err != nil {
		r.Back(before)
		r.Charge(errorCost)
		r.NoKind("a value that " + typeName(v) + " takes")
	}
}

// errorCost is how many bytes an error of sonic takes, which holds a part of the text.
const errorCost = 1 << 10

// cost estimates how much memory the Go value of a text takes: a header, and the slot of a growing map or slice, for each of its values.
// Numbers may be of a type that takes time and memory in proportion to the square of their length, such as [math/big.Int].
func cost(text string) int {
	const value = 64 // bytes
	if kind := text[0]; kind == '-' || '0' <= kind && kind <= '9' {
		const usual = 64 // digits
		return value + max(0, len(text)-usual)*len(text)
	}
	n := 1
	for i := range len(text) {
		switch text[i] {
		case ',', '[', '{':
			n++
		}
	}
	return len(text) + n*value
}

// typeName names what v points to.
func typeName(v any) string {
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer {
		return "nothing"
	}
	return t.Elem().String()
}

// Value returns the Go value of raw: nil, bool, [json.Number], string, []any or map[string]any.
func Value(raw wire.Raw) (any, error) {
	var v any
	err := Into(raw, &v)
	return v, err
}

// Into decodes raw into v, a pointer. Strings may share raw's memory.
func Into(raw wire.Raw, v any) error {
	if p, ok := v.(*wire.Raw); ok {
		*p = raw
		return nil
	}
	return unmarshal(raw.String(), v)
}
