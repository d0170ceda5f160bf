package wire

import "unsafe"

// This is the runtime's only use of unsafe. Strings that are decoded without an escape share the bytes of their message,
// which nobody changes any more (see the package comment); and appending a string scans it as bytes without a copy.

// share returns the bytes of p as a string, without copying them.
func share(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }

// bytesOf returns the bytes of s without copying them. They must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// sizeOf returns the size of a T in memory, in bytes.
func sizeOf[T any]() uintptr { return unsafe.Sizeof(*new(T)) }
