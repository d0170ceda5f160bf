package wire

import (
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
)

// Elements is the state of reading one array. Generated decoders read arrays as
//
//	for a := r.Array(); r.Elem(&a); {
//		s = append(s, r.String())
//	}
type Elements struct{ n int }

// AtMost limits the elements of the array, or the members of the map, that is read next. One more is a fault (of the rules maxItems and maxProperties), and
// the elements after n are not decoded. Of two limits the smaller one counts. It returns r.
func (r *Reader) AtMost(n int) *Reader {
	if r.most == 0 || n < r.most-1 {
		r.most = n + 1
	}
	return r
}

// Bound returns the index at which the array at the cursor begins, and the limit that [Reader.AtMost] has set for it, which is negative if
// there is none. It and the functions below are for other packages that read lists.
func Bound(r *Reader) (start, most int) { return r.i, takeBound(r) }

// TooMany is what a list reports whose element after the limit most was begun: it counts the others, and moves past the array.
func TooMany(r *Reader, a *Elements, most int) { tooMany(r, a, most) }

// takeBound returns the limit that AtMost has set for the value that begins here.
func takeBound(r *Reader) int {
	n := r.most - 1
	r.most = 0
	return n // negative if there is no limit
}

// Array begins an array. If the value is not an array, it is a fault, and there are no elements.
func (r *Reader) Array() Elements {
	if b, i := r.b, r.i; uint(i) < uint(len(b)) && b[i] == '[' && r.depth > 0 && !isCollecting(r) {
		r.depth--
		return Elements{}
	}
	return openArray(r)
}

func openArray(r *Reader) Elements {
	if r.Kind() != Array {
		wrongKind(r, "array")
		return Elements{n: absent}
	}
	if r.depth == 0 {
		fail(r)
		return Elements{n: absent}
	}
	r.depth--
	r.i = Space(r.b, r.i)
	enter(r)
	return Elements{}
}

// Elem moves to the next element. If there is none, it moves past the array and returns false.
func (r *Reader) Elem(a *Elements) bool {
	if b, i := r.b, r.i; uint(i+1) < uint(len(b)) && !isCollecting(r) {
		switch c := b[i]; {
		case c == ',' && a.n > 0, c == '[' && a.n == 0 && b[i+1] > ' ' && b[i+1] != ']':
			a.n++
			r.i = i + 1
			if b[i+1] == ' ' {
				r.i++
			}
			return true
		case c == ']' && a.n > 0:
			r.i = i + 1
			r.depth++
			return false
		}
	}
	return nextElem(r, a)
}

func nextElem(r *Reader, a *Elements) bool {
	if r.failed || a.n == absent {
		return false
	}
	b := r.b
	i := Space(b, r.i)
	if uint(i) >= uint(len(b)) {
		fail(r)
		return false
	}
	switch {
	case a.n == 0 && b[i] == '[':
		if end := Space(b, i+1); end < len(b) && b[end] == ']' {
			closeArray(r, end+1)
			return false
		}
	case a.n > 0 && b[i] == ']':
		closeArray(r, i+1)
		return false
	case a.n == 0 || b[i] != ',':
		fail(r)
		return false
	}
	r.i = Space(b, i+1)
	if isCollecting(r) {
		r.path[len(r.path)-1] = segment{index: a.n, isIndex: true}
	}
	a.n++
	return true
}

// tooMany reports an array with too many elements at the first one that exceeds the limit, counts them, and moves past the array.
func tooMany(r *Reader, a *Elements, most int) {
	if !isCollecting(r) {
		fail(r)
		return
	}
	skipValue(r)
	for r.Elem(a) {
		skipValue(r)
	}
	if !r.failed && !r.vs.Full() {
		r.vs.AddFound(violation.TooMany(r.vs, pointerOf(r), a.n, most, "Items", "element"))
	}
}

func closeArray(r *Reader, i int) {
	r.i = i
	r.depth++
	leaveValue(r)
}

// list prepares to decode an array into s, reusing its memory. The result is never nil. Its capacity is at most the limit most, if it has one, so the loop
// needs to compare the number of elements only when the slice is full. If AtMost set no limit, most is negative. The result start is the index at which the
// array begins.
func list[T any](r *Reader, s []T) (empty []T, start, most int) {
	start, most = r.i, takeBound(r)
	switch {
	case s == nil:
		s = []T{}
	case uint(most) < uint(cap(s)):
		s = s[:0:most]
	}
	return s[:0], start, most
}

// Grow returns the full slice s with room for at least one more element. The array begins at start and may have most elements.
//
//go:noinline
func Grow[T any](r *Reader, start, most int, s []T) []T {
	n, size := len(s), int(sizeOf[T]())
	room := roomFor(r, start, n, size)
	if most >= 0 {
		room = min(room, most)
	}
	if !r.Charge(allocationSize(room * size)) {
		return make([]T, 0, 1) // the array is empty
	}
	grown := make([]T, n, room)
	copy(grown, s)
	return grown
}

// roomFor returns for how many elements of the given size a full slice of n elements should have room.
//
// A slice without memory gets room for a few small elements, but not for so many that an array of many short arrays takes many times the size of the message.
// A large slice gets room for as many elements as the rest of the message holds at the present rate, but at most for four times as many as before. So the
// largest array of a message is copied a few times at most, and little room is left over.
func roomFor(r *Reader, start, n, size int) int {
	const small = 4 << 10 // bytes
	switch {
	case n == 0:
		return firstRoom(size)
	case n*size < small:
		return 2 * n
	}
	expected := n + 1 + int(float64(n)*float64(len(r.b)-r.i)/float64(max(1, r.i-start)))
	return min(max(expected, n+n/4+1), 4*n)
}

// allocationSize estimates how many bytes an allocation of n bytes takes: the allocator rounds sizes up.
func allocationSize(n int) int { return n + n/8 + 8 }

func firstRoom(size int) int {
	switch {
	case size <= 16:
		return 8
	case size <= 64:
		return 4
	}
	return 2
}

// Strings reads an array of strings and reuses the memory of s.
func Strings[S ~string](r *Reader, s []S) []S {
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
		s[len(s)-1] = S(r.String())
		for len(s) != most {
			text, ok := nextString(r, &a)
			if !ok {
				break
			}
			if len(s) == cap(s) {
				s = Grow(r, start, most, s)
			}
			s = s[:len(s)+1]
			s[len(s)-1] = S(text)
		}
	}
	return s
}

// nextString reads the next element if it is a string in the most common notation: without escapes, and without white space before it.
func nextString(r *Reader, a *Elements) (string, bool) {
	b, i := r.b, r.i
	if uint(i+1) >= uint(len(b)) || b[i] != ',' || b[i+1] != '"' || isCollecting(r) {
		return "", false
	}
	j := plain(b, i+2)
	if uint(j) >= uint(len(b)) || b[j] != '"' {
		return "", false
	}
	a.n++
	r.i = j + 1
	return shareSpan(b, i+2, j), true
}
