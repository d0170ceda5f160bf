package wire

// Elements is the state of reading one array. Generated decoders read arrays as
//
//	for a := r.Array(); r.Elem(&a); {
//		s = append(s, r.String())
//	}
type Elements struct{ n int }

// Array begins an array.
func (r *Reader) Array() Elements {
	if b, i := r.b, r.i; uint(i) < uint(len(b)) && b[i] == '[' && r.depth > 0 && !r.collecting() {
		r.depth--
		return Elements{}
	}
	return r.array()
}

func (r *Reader) array() Elements {
	if r.Kind() != Array {
		r.wrongKind("array")
		return Elements{n: absent}
	}
	if r.depth == 0 {
		r.fail()
		return Elements{n: absent}
	}
	r.depth--
	r.i = Space(r.b, r.i)
	r.enter()
	return Elements{}
}

// Elem moves to the next element; it returns false, and moves past the array, when there is none left.
func (r *Reader) Elem(a *Elements) bool {
	if b, i := r.b, r.i; uint(i+1) < uint(len(b)) && !r.collecting() {
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
	return r.elem(a)
}

func (r *Reader) elem(a *Elements) bool {
	if r.failed || a.n == absent {
		return false
	}
	b := r.b
	i := Space(b, r.i)
	if uint(i) >= uint(len(b)) {
		r.fail()
		return false
	}
	switch {
	case a.n == 0 && b[i] == '[':
		if end := Space(b, i+1); end < len(b) && b[end] == ']' {
			r.closeArray(end + 1)
			return false
		}
	case a.n > 0 && b[i] == ']':
		r.closeArray(i + 1)
		return false
	case a.n == 0 || b[i] != ',':
		r.fail()
		return false
	}
	r.i = Space(b, i+1)
	if r.collecting() {
		r.path[len(r.path)-1] = segment{index: a.n, isIndex: true}
	}
	a.n++
	return true
}

func (r *Reader) closeArray(i int) {
	r.i = i
	r.depth++
	r.leave()
}

// Grow returns s with one element more, whose content is unspecified: a decoder overwrites it. A slice that has no memory
// yet gets room for a few small elements at once, but not so much that many short arrays of a hostile message would need many times its size.
func Grow[T any](s []T) []T {
	if n := len(s); n < cap(s) {
		return s[:n+1]
	}
	if cap(s) == 0 {
		return make([]T, 1, firstRoom(sizeOf[T]()))
	}
	return append(s, *new(T))
}

func firstRoom(size uintptr) int {
	switch {
	case size <= 16:
		return 8
	case size <= 64:
		return 4
	}
	return 2
}

// List begins to decode into s again: its memory is used, its elements are forgotten. The result is never nil.
func List[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s[:0]
}

// Strings reads an array of strings, into the memory of s.
func Strings[S ~string](r *Reader, s []S) []S {
	s = List(s)
	for a := r.Array(); r.Elem(&a); {
		s = Grow(s)
		s[len(s)-1] = S(r.String())
		for text, ok := r.nextString(&a); ok; text, ok = r.nextString(&a) {
			s = Grow(s)
			s[len(s)-1] = S(text)
		}
	}
	return s
}

// nextString reads the next element when it is a string as most are: without white space before it, plain.
func (r *Reader) nextString(a *Elements) (string, bool) {
	b, i := r.b, r.i
	if uint(i+1) >= uint(len(b)) || b[i] != ',' || b[i+1] != '"' || r.collecting() {
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
