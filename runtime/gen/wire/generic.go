package wire

import (
	"math/bits"
	"slices"
)

// Slice reads an array whose elements decode themselves, and reuses the memory of s. The result is never nil.
func Slice[T any](r *Reader, s []T, decode func(*T, *Reader)) []T {
	s, start, most := list(r, s)
	for a := r.Array(); r.Elem(&a); {
		if len(s) == cap(s) {
			if len(s) == most {
				tooMany(r, &a, most)
				break
			}
			s = Grow(r, start, most, s)
		}
		s = s[:len(s)+1]
		decode(&s[len(s)-1], r)
	}
	return s
}

// Values reads an array of values and reuses the memory of s. The result is never nil.
func Values[T any](r *Reader, s []T, read func(*Reader) T) []T {
	s, start, most := list(r, s)
	for a := r.Array(); r.Elem(&a); {
		if len(s) == cap(s) {
			if len(s) == most {
				tooMany(r, &a, most)
				break
			}
			s = Grow(r, start, most, s)
		}
		v := read(r)
		s = s[:len(s)+1]
		s[len(s)-1] = v
	}
	return s
}

// Map reads an object with arbitrary names. The result is never nil.
func Map[T any](r *Reader, read func(*Reader) T) map[string]T {
	r.Charge(mapSize)
	m := map[string]T{}
	most := takeBound(r)
	var o Members
	for r.Object(&o); r.More(&o); {
		if len(m) == most {
			tooManyMembers(r, len(m))
			break
		}
		m = Other(r, &o, m, read)
	}
	return m
}

// Other ends a round over an object that keeps unknown members: it adds the member that the round did not take to m. If m is nil, it is made.
func Other[T any](r *Reader, o *Members, m map[string]T, read func(*Reader) T) map[string]T {
	name, ok := otherMember(r, o)
	if !ok {
		return m
	}
	if _, twice := m[name]; twice {
		duplicateName(r)
		return m
	}
	if !r.Charge(entrySize[T](len(m))) {
		return m
	}
	if m == nil {
		m = map[string]T{}
	}
	m[name] = read(r)
	return m
}

// mapSize is the size of an empty map in bytes.
const mapSize = 48

// entrySize returns how many bytes one more member takes in a map of n members: its value, if that is allocated on its own or read into memory of its
// own; its name in the sorted list that a report of violations needs; and from time to time the slots of a larger table.
func entrySize[T any](n int) int {
	const nameSize, inline, control = 16, 128, 8
	size := int(sizeOf[T]())
	slot, taken := nameSize+size, nameSize
	if size > nameSize {
		taken += 2 * size // once for decoding, once for checking
	}
	if size > inline {
		slot = nameSize + 8
		taken += size
	}
	if slots := newSlots(n); slots > 0 {
		taken += (slots*slot + slots + control) * 3 / 2 // sizes are rounded up, and parts of a large table grow before others
	}
	return taken
}

// newSlots returns how many slots are allocated when a map of n members gets one more, or 0 if it has room. A map begins with eight slots and doubles
// when seven eighths of them are taken.
func newSlots(n int) int {
	switch {
	case n == 0:
		return 8
	case n == 8:
		return 16
	case n%14 == 0 && bits.OnesCount(uint(n/14)) == 1:
		return n / 14 * 32
	}
	return 0
}

// MustDecode decodes the JSON of a default. It panics if the JSON is invalid, which the schema compiler has ruled out.
func MustDecode[T any](text string, read func(*Reader) T) (v T) {
	if err := Unmarshal([]byte(text), func(r *Reader) { v = read(r) }, nil); err != nil {
		panic("rpcgen: a default does not decode: " + err.Error()) // the schema compiler checks defaults
	}
	return v
}

// AppendSlice appends elements that append themselves as an array. A nil slice is written as []. It is not inlined: the compiler would make a copy for
// each type, and another for each place.
//
//go:noinline
func AppendSlice[T any](b []byte, s []T, appendJSON func(*T, []byte) []byte) []byte {
	b = append(b, '[')
	for i := range s {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(&s[i], b)
	}
	return append(b, ']')
}

// AppendValues appends values as an array. A nil slice is written as []. Like [AppendSlice] it is not inlined.
//
//go:noinline
func AppendValues[T any](b []byte, s []T, appendJSON func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, v := range s {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, v)
	}
	return append(b, ']')
}

// AppendMap appends a map as an object, sorted by name. A nil map is written as {}.
func AppendMap[M ~map[string]T, T any](b []byte, m M, appendJSON func([]byte, T) []byte) []byte {
	start := len(b)
	b = AppendExtra(b, m, appendJSON)
	return CloseObject(b, start)
}

// AppendExtra appends the members of a map, sorted by name, each preceded by a comma.
func AppendExtra[M ~map[string]T, T any](b []byte, m M, appendJSON func([]byte, T) []byte) []byte {
	if len(m) == 0 {
		return b
	}
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b = append(b, ',')
		b = AppendString(b, name)
		b = append(b, ':')
		b = appendJSON(b, m[name])
	}
	return b
}

// CloseObject closes an object whose members begin at start, each preceded by a comma: it replaces the first comma by the opening brace.
func CloseObject(b []byte, start int) []byte {
	if len(b) == start {
		return append(b, "{}"...)
	}
	b[start] = '{'
	return append(b, '}')
}

// NoBranch returns the panic value for appending a union that holds none of its branches.
func NoBranch(union string, before []byte) *EncodeError {
	return &EncodeError{What: "a " + union + " that is nil", Before: before}
}

// RawOf returns b as a Raw. It must be one valid JSON value without white space between tokens, which is not checked.
func RawOf(b []byte) Raw { return Raw{string(b)} }
