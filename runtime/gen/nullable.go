package gen

import (
	"github.com/rpcgen-go/rpcgen/runtime"
	"github.com/rpcgen-go/rpcgen/runtime/wire"
)

// ReadNullable reads null or what read reads.
func ReadNullable[T any](r *wire.Reader, read func(*wire.Reader) T) runtime.Nullable[T] {
	if r.Null() {
		return runtime.Nullable[T]{}
	}
	return runtime.NotNull(read(r))
}

// AppendNullable appends null or what appendJSON appends.
func AppendNullable[T any](b []byte, v runtime.Nullable[T], appendJSON func([]byte, T) []byte) []byte {
	if x, ok := v.Get(); ok {
		return appendJSON(b, x)
	}
	return append(b, "null"...)
}

// SomeNonZero returns an Opt that holds v unless v is the zero value.
func SomeNonZero[T comparable](v T) runtime.Opt[T] {
	if v == *new(T) {
		return runtime.Opt[T]{}
	}
	return runtime.Some(v)
}
