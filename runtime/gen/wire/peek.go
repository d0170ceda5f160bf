package wire

import (
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
)

// A Peek is a cursor at a value that was not read yet. Generated decoders of unions use it to
// choose a branch. It does not validate what it passes. The zero Peek is at nothing.
type Peek struct {
	b     []byte
	i     int
	depth int
}

// Peek returns a Peek at the value at the cursor.
func (r *Reader) Peek() Peek { return Peek{r.b, Space(r.b, r.i), r.depth} }

// Kind returns the kind of the value, or Invalid if there is none.
func (p Peek) Kind() Kind {
	if uint(p.i) >= uint(len(p.b)) {
		return Invalid
	}
	return kinds[p.b[p.i]]
}

// In returns a Peek at the member of the object that is called name. It is at nothing if there is no such member.
func (p Peek) In(name string) Peek {
	b, i := p.b, p.i
	if uint(i) >= uint(len(b)) || b[i] != '{' || p.depth == 0 {
		return Peek{}
	}
	i = Space(b, i+1)
	for {
		key, end := Str(b, i)
		if end < 0 {
			return Peek{}
		}
		if i = Space(b, end); i >= len(b) || b[i] != ':' {
			return Peek{}
		}
		i = Space(b, i+1)
		if key == name {
			return Peek{b, i, p.depth - 1}
		}
		if i = Skip(b, i, p.depth-1); i < 0 {
			return Peek{}
		}
		if i = Space(b, i); i >= len(b) || b[i] != ',' {
			return Peek{}
		}
		i = Space(b, i+1)
	}
}

// Members returns the members of the object in their order. It ends at the first fault.
func (p Peek) Members() iter.Seq2[string, Peek] {
	return func(yield func(string, Peek) bool) {
		b := p.b
		for i := p.first('{'); i > 0; i = p.next(i) {
			name, end := Str(b, i)
			if end < 0 {
				return
			}
			if i = Space(b, end); i >= len(b) || b[i] != ':' {
				return
			}
			i = Space(b, i+1)
			if !yield(name, Peek{b, i, p.depth - 1}) {
				return
			}
		}
	}
}

// Elements returns the elements of the array in their order. It ends at the first fault.
func (p Peek) Elements() iter.Seq[Peek] {
	return func(yield func(Peek) bool) {
		for i := p.first('['); i > 0; i = p.next(i) {
			if !yield(Peek{p.b, i, p.depth - 1}) {
				return
			}
		}
	}
}

// first returns the index of the first member or element of a value that begins with open, or 0 if there is none.
func (p Peek) first(open byte) int {
	if uint(p.i) >= uint(len(p.b)) || p.b[p.i] != open || p.depth == 0 {
		return 0
	}
	i := Space(p.b, p.i+1)
	if i >= len(p.b) || p.b[i] == '}' || p.b[i] == ']' {
		return 0
	}
	return i
}

// next returns the index of the member or element after the value at index i, or 0 if there is none.
func (p Peek) next(i int) int {
	if i = Skip(p.b, i, p.depth-1); i < 0 {
		return 0
	}
	if i = Space(p.b, i); i >= len(p.b) || p.b[i] != ',' {
		return 0
	}
	return Space(p.b, i+1)
}

// At returns a Peek at the element of the array at index n. It is at nothing if there is no such element.
func (p Peek) At(n int) Peek {
	for i := p.first('['); i > 0; i = p.next(i) {
		if n == 0 {
			return Peek{p.b, i, p.depth - 1}
		}
		n--
	}
	return Peek{}
}

// Len returns the number of elements of the array, or most if there are more.
func (p Peek) Len(most int) int {
	n := 0
	for i := p.first('['); i > 0 && n < most; i = p.next(i) {
		n++
	}
	return n
}

// Has reports whether the value is an object with a member called name.
func (p Peek) Has(name string) bool { return p.In(name).Kind() != Invalid }

// Once reports whether the value is well formed and no object in it, at any depth, has a member twice: then every reader of it finds the same.
func (p Peek) Once() bool {
	end, _ := skipOnce(p.b, p.i, p.depth)
	return end >= 0
}

// Text returns the value if it is a string.
func (p Peek) Text() (string, bool) {
	if p.Kind() != Text {
		return "", false
	}
	s, end := Str(p.b, p.i)
	return s, end >= 0
}

// Scalar returns the JSON text of the value if it is an integer or a boolean. Integers are returned as plain digits.
func (p Peek) Scalar() (string, bool) {
	switch p.Kind() {
	case Boolean:
		return strconv.FormatBool(p.b[p.i] == 't'), true
	case NumberKind:
		if end := SkipNumber(p.b, p.i); end >= 0 {
			return integerText(share(p.b[p.i:end]))
		}
	}
	return "", false
}

// Int64 returns the value if it is an integer, see [Peek.IsInteger], that fits.
func (p Peek) Int64() (int64, bool) {
	if p.Kind() != NumberKind {
		return 0, false
	}
	if v, end := readInt(p.b, p.i); end >= 0 {
		return v, true
	}
	text, _ := p.Scalar()
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// IsInteger reports whether the value is a number without a fractional part, such as 3 or 1e2.
func (p Peek) IsInteger() bool {
	if p.Kind() != NumberKind {
		return false
	}
	_, ok := p.Scalar()
	return ok
}

// Integer is a type of integers, by which unions tell an integer from another number.
type Integer uint8

// The types of integers.
const (
	Int32 Integer = iota
	Int64
	Uint32
	Uint64
)

// holds reports whether a value of the type can be the integer that text spells.
func (t Integer) holds(text string) (ok bool) {
	bits := 64
	if t == Int32 || t == Uint32 {
		bits = 32
	}
	var err error
	if t == Uint32 || t == Uint64 {
		_, err = strconv.ParseUint(text, 10, bits)
	} else {
		_, err = strconv.ParseInt(text, 10, bits)
	}
	return err == nil
}

// Is reports whether the value is an integer, see [Peek.IsInteger], that the type t can hold.
func (p Peek) Is(t Integer) bool {
	if _, end := readInt(p.b, p.i); end >= 0 && t == Int64 {
		return true
	}
	if p.Kind() != NumberKind {
		return false
	}
	text, ok := p.Scalar()
	return ok && t.holds(text)
}

// RoundsTo reports whether the value is a number with a fractional part that a float64 does not keep,
// so that it would be written as an integer which the type t can hold.
func (p Peek) RoundsTo(t Integer) bool {
	if p.Kind() != NumberKind || p.IsInteger() {
		return false
	}
	end := SkipNumber(p.b, p.i)
	if end < 0 {
		return false
	}
	v, err := strconv.ParseFloat(share(p.b[p.i:end]), 64)
	return err == nil && v == math.Trunc(v) && t.holds(strconv.FormatFloat(v+0, 'f', -1, 64)) // no -0
}

// NoBranch reports that the value at the cursor matches no branch of a union, and skips the value. The property or element at path (names and indexes joined
// by /) selects the branch; tags are its known values, newline-separated.
func (r *Reader) NoBranch(path, tags string) {
	if !isCollecting(r) {
		fail(r)
		return
	}
	if r.vs.Full() {
		skipValue(r)
		return
	}
	p, at := r.Peek(), pointerOf(r)
	for name := range strings.SplitSeq(path, "/") {
		if p.Kind() == Invalid {
			break // an object on the path is missing
		}
		if index, err := strconv.Atoi(name); err == nil && p.Kind() == Array {
			p, at = p.At(index), r.vs.Text(at, "/", name)
			continue
		}
		if p.Kind() != Object {
			reportValue(r, violation.Violation{Pointer: at, Rule: "type", Expected: "object", Got: p.Kind().String()})
			return
		}
		p, at = p.In(name), r.vs.Text(at, "/", violation.EscapePointer(name))
	}
	v := violation.Violation{Pointer: at, Rule: "enum", Expected: r.vs.OneOf(tags)}
	if text, ok := p.Text(); ok {
		v.Got, v.Closest = r.vs.Quoted("", text), violation.ClosestOf(text, tags)
	} else if v.Got, ok = p.Scalar(); !ok {
		v.Got = p.Kind().String()
	}
	if p.Kind() == Invalid {
		v.Rule, v.Got = "required", ""
	}
	reportValue(r, v)
}

// NoMember reports that the value at the cursor matches no branch of a union in which the presence
// of one of names, which are newline-separated, selects the branch. It skips the value.
func (r *Reader) NoMember(names string) {
	if !isCollecting(r) {
		fail(r)
		return
	}
	if r.Kind() != Object {
		wrongKind(r, "object")
		return
	}
	if r.vs.Full() {
		skipValue(r)
		return
	}
	reportValue(r, violation.Violation{
		Pointer: pointerOf(r), Rule: "oneOf", Expected: r.vs.Text("an object with ", r.vs.OneOf(names)), Got: "none of them",
	})
}

// NoKind reports that the value at the cursor has no kind that a union allows, and skips the value.
func (r *Reader) NoKind(kinds string) { wrongKind(r, kinds) }

// reportValue adds v, which is about the value at the cursor or a part of it, and skips the value.
func reportValue(r *Reader, v violation.Violation) {
	r.vs.Unusable(pointerOf(r))
	r.vs.AddFound(v)
	skipValue(r)
}
