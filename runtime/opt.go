package runtime

import "github.com/rpcgen-go/rpcgen/runtime/gen/wire"

// Opt is the value of an optional field, which may be absent. The zero value is absent. Unlike a
// pointer it needs no allocation, and copying it copies the value.
type Opt[T any] struct {
	value T
	set   bool
}

// Some returns an Opt with the value v.
func Some[T any](v T) Opt[T] { return Opt[T]{v, true} }

// Get returns the value, and whether it is present.
func (o Opt[T]) Get() (T, bool) { return o.value, o.set }

// Or returns the value, or fallback if it is absent.
func (o Opt[T]) Or(fallback T) T {
	if o.set {
		return o.value
	}
	return fallback
}

// IsZero reports whether the value is absent. Package encoding/json calls it for fields with the
// option omitzero.
func (o Opt[T]) IsZero() bool { return !o.set }

// IsSet reports whether the value is present.
func (o Opt[T]) IsSet() bool { return o.set }

// Set sets the value to v.
func (o *Opt[T]) Set(v T) { o.value, o.set = v, true }

// Clear makes the value absent.
func (o *Opt[T]) Clear() { *o = Opt[T]{} }

// Nullable is a value that may be null. The zero value is null. A field that may be absent and may
// be null is an Opt of a Nullable, which keeps the two apart.
type Nullable[T any] struct {
	value T
	set   bool
}

// Null returns a Nullable that is null.
func Null[T any]() Nullable[T] { return Nullable[T]{} }

// NotNull returns a Nullable with the value v.
func NotNull[T any](v T) Nullable[T] { return Nullable[T]{v, true} }

// Get returns the value, and whether it is not null.
func (n Nullable[T]) Get() (T, bool) { return n.value, n.set }

// Or returns the value, or fallback if it is null.
func (n Nullable[T]) Or(fallback T) T {
	if n.set {
		return n.value
	}
	return fallback
}

// IsNull reports whether the value is null.
func (n Nullable[T]) IsNull() bool { return !n.set }

// Set sets the value to v.
func (n *Nullable[T]) Set(v T) { n.value, n.set = v, true }

// Clear sets the value to null.
func (n *Nullable[T]) Clear() { *n = Nullable[T]{} }

// Number is the text of a JSON number (RFC 8259 section 6), exactly as it was written. It keeps
// numbers that no Go type holds without loss.
type Number = wire.Number

// Raw is any JSON value, as valid text without insignificant space. The zero value is null.
type Raw = wire.Raw

// ParseRaw returns a copy of b without insignificant space. It fails if b is not one JSON value, is
// nested too deeply, or holds an object that has a member twice.
func ParseRaw(b []byte) (Raw, error) { return wire.ParseRaw(b) }

// RawOf returns b as a Raw. It must be one valid JSON value without insignificant space, which is not
// checked.
func RawOf(b []byte) Raw { return wire.RawOf(b) }

// Appender is a value that appends its JSON to a buffer. All generated structs implement it.
type Appender = wire.Appender

// Peek is a cursor at a JSON value that was not decoded. It does not validate what it passes.
type Peek = wire.Peek
