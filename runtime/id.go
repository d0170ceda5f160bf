package runtime

import "github.com/rpcgen-go/rpcgen/runtime/wire"

// ID is a request's id, or another value that is a string or an integer, kept to the byte. The zero ID is none; [wire.StringID] and
// [wire.IntID] make others.
type ID = wire.ID

// skipID returns the index after the id at i, or a negative number when it is none. Loose ids include null and numbers that
// are not written as integers (JSON-RPC 2.0 section 4).
func skipID(b []byte, i int, loose bool) int {
	if uint(i) >= uint(len(b)) {
		return fault
	}
	switch b[i] {
	case '"':
		return wire.SkipString(b, i+1)
	case 'n':
		if loose && has(b, i, "null") {
			return i + len("null")
		}
		return fault
	}
	end := wire.SkipNumber(b, i)
	if end > 0 && !loose && !integer(b[i:end]) {
		return fault
	}
	return end
}

// integer reports whether a number is written without fraction and exponent.
func integer(number []byte) bool {
	for _, c := range number {
		if c == '.' || c|0x20 == 'e' {
			return false
		}
	}
	return true
}
