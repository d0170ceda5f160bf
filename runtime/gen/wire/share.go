package wire

import (
	"encoding/binary"
	"unsafe"
)

// This file is the only use of unsafe in the runtime. Strings without escapes share the bytes of their message,
// which are never changed (see the package comment). Appending a string scans it as bytes without a copy. Words
// are loaded and stored only where the caller has just checked that there is room, which it has to do anyway.

// share returns the bytes of p as a string, without copying them.
func share(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }

// shareSpan is share(p[i:j]) without bounds checks: the span must lie in p and must not begin at
// its end.
func shareSpan(p []byte, i, j int) string { return unsafe.String((*byte)(at(p, i)), j-i) }

func at(p []byte, i int) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(unsafe.SliceData(p)), i) }

// load returns the word at p[i], which must have eight bytes there.
func load(p []byte, i int) uint64 { return binary.LittleEndian.Uint64((*[8]byte)(at(p, i))[:]) }

// load32 returns the word of four bytes at p[i], which must have four bytes there.
func load32(p []byte, i int) uint32 { return binary.LittleEndian.Uint32((*[4]byte)(at(p, i))[:]) }

// loadName and loadName32 are load and load32 for strings.
func loadName(s string, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))[:])
}

func loadName32(s string, i int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(unsafe.Pointer(unsafe.StringData(s)), i))[:])
}

// store puts the word w at p[i], which must have eight bytes there.
func store(p []byte, i int, w uint64) { binary.LittleEndian.PutUint64((*[8]byte)(at(p, i))[:], w) }

func store32(p []byte, i int, w uint32) { binary.LittleEndian.PutUint32((*[4]byte)(at(p, i))[:], w) }

// bytesOf returns the bytes of s without copying them. They must not be written to.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// sizeOf returns the size of a T in memory, in bytes.
func sizeOf[T any]() uintptr { return unsafe.Sizeof(*new(T)) }
