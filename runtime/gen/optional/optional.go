// Package optional reads and writes values that may be null or absent.
//
//test:sequential
//test:by ./test/profiles
//test:by ./test/allkinds TestBoundNull|TestByPosition
package optional

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/gen"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// ReadNullable reads null, or a value with read.
func ReadNullable[T any](r *wire.Reader, read func(*wire.Reader) T) runtime.Nullable[T] {
	if r.Null() {
		return runtime.Nullable[T]{}
	}
	return runtime.NotNull(read(r))
}

// AppendNullable appends null, or the value with appendJSON.
func AppendNullable[T any](b []byte, v runtime.Nullable[T], appendJSON func([]byte, T) []byte) []byte {
	if x, ok := v.Get(); ok {
		return appendJSON(b, x)
	}
	return append(b, "null"...)
}

// ReadBoxed reads null or an object that decode reads, held by pointer.
func ReadBoxed[T any](r *wire.Reader, decode func(*T, *wire.Reader)) runtime.Nullable[*T] {
	if r.Null() {
		return runtime.Nullable[*T]{}
	}
	v := wire.New[T](r)
	decode(v, r)
	return runtime.NotNull(v)
}

// AppendBoxed appends null or what appendJSON appends. A nil pointer is null, too.
func AppendBoxed[T any](b []byte, v runtime.Nullable[*T], appendJSON func(*T, []byte) []byte) []byte {
	if x, _ := v.Get(); x != nil {
		return appendJSON(x, b)
	}
	return append(b, "null"...)
}

// SomeNonZero returns an Opt with the value v, or an absent one if v is the zero value.
func SomeNonZero[T comparable](v T) runtime.Opt[T] {
	if v == *new(T) {
		return runtime.Opt[T]{}
	}
	return runtime.Some(v)
}

// MessageOpt is [gen.MessageText] for an optional field. It returns "" if the field is absent.
func MessageOpt[T any](appendJSON func([]byte, T) []byte, v runtime.Opt[T]) string {
	if x, ok := v.Get(); ok {
		return gen.MessageText(appendJSON, x)
	}
	return ""
}

// MessagePointer is [gen.MessageText] for a field that is a pointer. It returns "" for nil.
func MessagePointer[T any](appendJSON func([]byte, T) []byte, v *T) string {
	if v == nil {
		return ""
	}
	return gen.MessageText(appendJSON, *v)
}
