// Package dynamic converts between JSON and Go values that no schema describes: `any`, maps, and the Go types that a schema binds with `go:`. It is the only
// package of the runtime that uses reflection and sonic. Programs whose schema has no such values do not link it.
//
// # Numbers
//
// In an `any`, every number is a [json.Number], which is its exact text, so integers beyond 2^53 are preserved. The other types are those of encoding/json:
// nil, bool, string, []any and map[string]any.
//
// # Strictness
//
// Package wire checks the input first. It rejects invalid UTF-8, lone surrogates, control characters, deep nesting, and objects at any depth that have a
// member twice. Member names are case-sensitive. On 32-bit systems, where sonic does not run, encoding/json is used, and the names of bound structs are
// matched in any case. Output is checked and compacted, whatever a MarshalJSON method wrote; map keys are sorted.
//
//test:sequential
package dynamic

import (
	"reflect"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Append appends v as JSON. It panics with a [*wire.EncodeError] if v cannot be represented; dispatch, clients and MarshalJSON recover from that.
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

// Decode reads the value at the cursor of r into v, which must be a pointer. A value that does not fit is a violation of the rule `type`.
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

// DecodeNonNull is [Decode] for a schema that takes no null, which many Go types read as their zero value.
func DecodeNonNull(r *wire.Reader, v any) {
	if r.Kind() == wire.Null {
		r.Charge(errorCost)
		r.NoKind("a value that " + typeName(v) + " takes")
		return
	}
	Decode(r, v)
}

// errorCost estimates the bytes that an error of sonic takes, which quotes the text.
const errorCost = 1 << 10

// cost estimates the memory of the Go value for a text: a header, and the slot of a growing map or slice, for each value. Numbers may have a type for which
// time and memory grow with the square of their length, such as [math/big.Int].
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

// typeName returns the name of the type that v points to.
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

// Into decodes raw into v, which must be a pointer. Strings may share the memory of raw.
func Into(raw wire.Raw, v any) error {
	if p, ok := v.(*wire.Raw); ok {
		*p = raw
		return nil
	}
	return unmarshal(raw.String(), v)
}
