package envelope

import "github.com/rpcgen-go/rpcgen/runtime/gen/wire"

// SkipID returns the index after the id at index i, or a negative number if it is not a valid id.
// Loose ids include null and numbers with a fractional part, which JSON-RPC 2.0 section 4 discourages
// but allows. The value counts: 4.0 is an integer.
func SkipID(b []byte, i int, loose bool) int {
	if uint(i) >= uint(len(b)) {
		return Fault
	}
	switch b[i] {
	case '1', '2', '3', '4', '5', '6', '7', '8', '9': // a fast path: most ids are short integers
		j := i + 1
		for uint(j) < uint(len(b)) && b[j]-'0' <= 9 {
			j++
		}
		if uint(j) < uint(len(b)) && b[j] == ',' {
			return j
		}
	case '"':
		return wire.SkipString(b, i+1)
	case 'n':
		if loose && wire.Has(b, i, "null") {
			return i + len("null")
		}
		return Fault
	}
	end := wire.SkipNumber(b, i)
	if end > 0 && !loose && !plain(b[i:end]) && !wire.PeekAt(b[i:end]).IsInteger() {
		return Fault
	}
	return end
}

// plain reports whether a number is written without a fraction and without an exponent.
func plain(number []byte) bool {
	for _, c := range number {
		if c == '.' || c|0x20 == 'e' {
			return false
		}
	}
	return true
}
