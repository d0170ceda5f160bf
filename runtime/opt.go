package runtime

import "github.com/rpcgen-go/rpcgen/runtime/wire"

// Opt is the value of an optional field, or nothing. The zero value is nothing.
type Opt[T any] struct {
	value T
	set   bool
}

// Some returns an Opt that holds v.
func Some[T any](v T) Opt[T] { return Opt[T]{v, true} }

// Get returns the value and whether there is one.
func (o Opt[T]) Get() (T, bool) { return o.value, o.set }

// Or returns the value, or fallback when there is none.
func (o Opt[T]) Or(fallback T) T {
	if o.set {
		return o.value
	}
	return fallback
}

// IsZero tells that there is no value; encoding/json asks it for omitzero.
func (o Opt[T]) IsZero() bool { return !o.set }

// IsSet reports whether there is a value.
func (o Opt[T]) IsSet() bool { return o.set }

// Set makes o hold v.
func (o *Opt[T]) Set(v T) { o.value, o.set = v, true }

// Clear makes o hold nothing.
func (o *Opt[T]) Clear() { *o = Opt[T]{} }

// Nullable is a value that may be null. The zero value is null.
type Nullable[T any] struct {
	value T
	set   bool
}

// Null returns the Nullable that is null.
func Null[T any]() Nullable[T] { return Nullable[T]{} }

// NotNull returns a Nullable that holds v.
func NotNull[T any](v T) Nullable[T] { return Nullable[T]{v, true} }

// Get returns the value and whether it is there and not null.
func (n Nullable[T]) Get() (T, bool) { return n.value, n.set }

// Or returns the value, or fallback for null.
func (n Nullable[T]) Or(fallback T) T {
	if n.set {
		return n.value
	}
	return fallback
}

// IsNull reports whether it is null.
func (n Nullable[T]) IsNull() bool { return !n.set }

// Set makes n hold v.
func (n *Nullable[T]) Set(v T) { n.value, n.set = v, true }

// Clear makes n null.
func (n *Nullable[T]) Clear() { *n = Nullable[T]{} }

// Number is the text of a JSON number, kept as it was written.
type Number = wire.Number

// Raw is any JSON value, as valid and compact text; the zero value is null.
type Raw = wire.Raw
