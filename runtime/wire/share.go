package wire

import (
	"encoding/binary"
	"unsafe"
)

// This is the runtime's only use of unsafe. Strings that are decoded without an escape share the bytes of their message,
// which nobody changes any more (see the package comment); appending a string scans it as bytes without a copy; and words
// are loaded and stored where their caller has just seen that there is room, as it has to in any case to know where to end.

// share returns the bytes of p as a string, without copying them.
func share(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }

// shareSpan is share(p[i:j]), for a span that is known to lie in p, and not to begin at its end.
func shareSpan(p []byte, i, j int) string { return unsafe.String((*byte)(at(p, i)), j-i) }

func at(p []byte, i int) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(unsafe.SliceData(p)), i) }

// load returns the word at p[i], which must have eight bytes there.
func load(p []byte, i int) uint64 { return binary.LittleEndian.Uint64((*[8]byte)(at(p, i))[:]) }

// half returns the half word at p[i], which must have four bytes there.
func half(p []byte, i int) uint32 { return binary.LittleEndian.Uint32((*[4]byte)(at(p, i))[:]) }

// loadName and halfName are load and half for names.
func loadName(s string, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))[:])
}

func halfName(s string, i int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))[:])
}

// store puts the word w at p[i], which must have eight bytes there.
func store(p []byte, i int, w uint64) { binary.LittleEndian.PutUint64((*[8]byte)(at(p, i))[:], w) }

func storeHalf(p []byte, i int, w uint32) { binary.LittleEndian.PutUint32((*[4]byte)(at(p, i))[:], w) }

// bytesOf returns the bytes of s without copying them. They must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// sizeOf returns the size of a T in memory, in bytes.
func sizeOf[T any]() uintptr { return unsafe.Sizeof(*new(T)) }
