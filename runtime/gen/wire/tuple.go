package wire

import "github.com/rpcgen-go/rpcgen/runtime/gen/violation"

// Item is Elem for the elements of a tuple, which generated decoders ask for one by one: it may be called
// again after it returned false. EndTuple must be called after it.
func (r *Reader) Item(a *Elements) bool {
	if a.n < 0 {
		return false
	}
	if r.Elem(a) {
		return true
	}
	a.n = endMark - a.n
	return false
}

// endMark, less the number of elements, is what Elements holds after the end of a tuple.
const endMark = absent - 1

// EndTuple moves past the tuple. An array that has fewer than min elements, or more than those that were
// asked for, which are at most max, is a fault (of the rules minItems and maxItems).
func (r *Reader) EndTuple(a *Elements, min, max int) {
	switch {
	case r.Item(a):
		tooMany(r, a, max)
	case a.n <= endMark && endMark-a.n < min:
		tooFew(r, endMark-a.n, min)
	}
}

// tooFew reports an array of n elements. What it should have beyond them is not checked.
func tooFew(r *Reader, n, least int) {
	if !isCollecting(r) {
		fail(r)
		return
	}
	if !r.failed && !r.vs.Full() {
		r.vs.AddUnusable(violation.TooFew(r.vs, pointerOf(r), n, least, "Items", "element"))
	}
}

// Rest reads the elements of a tuple after those that were asked for. More than most of them are a fault,
// unless most is negative. The result is nil if there are none.
func Rest[T any](r *Reader, a *Elements, most int, read func(*Reader) T) (s []T) {
	for start := r.i; r.Item(a); {
		if len(s) == most {
			tooMany(r, a, a.n-1)
			a.n = absent
			break
		}
		if len(s) == cap(s) {
			s = Grow(r, start, most, s)
		}
		v := read(r)
		s = s[:len(s)+1]
		s[len(s)-1] = v
	}
	return s
}

// AppendRest appends the elements of a tuple after those that have names.
func AppendRest[T any](b []byte, s []T, appendJSON func([]byte, T) []byte) []byte {
	for _, v := range s {
		b = append(b, ',')
		b = appendJSON(b, v)
	}
	return b
}
