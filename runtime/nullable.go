package runtime

import "github.com/rpcgen-go/rpcgen/runtime/wire"

// Number is the text of a JSON number, kept as it was written.
type Number = wire.Number

// ReadNullable reads null or what read reads.
func ReadNullable[T any](r *wire.Reader, read func(*wire.Reader) T) Nullable[T] {
	if r.Null() {
		return Nullable[T]{}
	}
	return NotNull(read(r))
}

// AppendNullable appends null or what appendJSON appends.
func AppendNullable[T any](b []byte, v Nullable[T], appendJSON func([]byte, T) []byte) []byte {
	if x, ok := v.Get(); ok {
		return appendJSON(b, x)
	}
	return append(b, "null"...)
}

// SomeNonZero returns an Opt that holds v unless v is the zero value.
func SomeNonZero[T comparable](v T) Opt[T] {
	if v == *new(T) {
		return Opt[T]{}
	}
	return Some(v)
}
