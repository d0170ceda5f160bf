package compact

import (
	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// Strings takes a list of strings with at least min and at most max elements. A negative max means no
// maximum. An optional list that is nil is absent.
//
//go:noinline
func (w *Walker) Strings(v *[]string, key string, required Presence, min, max int) {
	switch w.Member(key, required, required == Required || *v != nil) {
	case StepRead:
		*v = wire.Strings(w.most(max), *v)
	case StepWrite:
		w.b = wire.AppendStrings(w.b, *v)
	case StepCheck:
		w.items(len(*v), min, max)
	case StepReset:
		*v = nil
	}
}

// most returns the reader of a list that has at most max elements, see [wire.Reader.AtMost].
func (w *Walker) most(max int) *wire.Reader {
	if max >= 0 {
		w.r.AtMost(max)
	}
	return w.r
}

// items checks that the list that was taken last has at least min and at most max elements.
func (w *Walker) items(n, min, max int) {
	if n < min || uint(n) > uint(max) {
		rule.Items(w.vs, pointerTo(w.key), n, min, max)
	}
}

// elements is the state of passing the elements of a list to a Walker.
type elements struct {
	pass
	step  Step
	a     wire.Elements   // while reading
	begun int             // where the list begins, while reading
	n     int             // how many elements there are, while writing or checking; how many there may be, while reading
	whole violation.Scope // of the list, while checking
	of    string          // the key of the list
}

// WalkList takes a list of structs, see [Walker.Strings]; walk is their WalkJSON. Their rules are
// checked if ruled is set. What does not depend on T is in methods, because the compiler makes a copy
// of this function for each T.
//
//go:noinline
func WalkList[T any](w *Walker, v *[]T, key string, required Presence, min, max int, ruled bool, walk func(*T, *Walker)) {
	s, l := *v, elements{}
	if !w.list(&l, key, required, s != nil, len(s)) {
		if l.step == StepReset {
			*v = nil
		}
		return
	}
	if l.step == StepRead {
		w.array(&l, max)
		if s = s[:0]; s == nil {
			s = []T{}
		}
	} else if !w.count(&l, min, max, ruled) {
		return
	}
	for w.next(&l) {
		if l.step == StepRead {
			if len(s) == cap(s) {
				s = wire.Grow(w.r, l.begun, l.n, s)
			}
			s = s[:len(s)+1]
			l.index = len(s) - 1
		}
		for w.again(&l.pass) {
			walk(&s[l.index], w)
		}
	}
	*v = s
}

// list begins a list. It reports false if its elements are not to be passed to w.
func (w *Walker) list(l *elements, key string, required Presence, isThere bool, n int) bool {
	l.step, l.of, l.index, l.n = w.Member(key, required, required == Required || isThere), key, -1, n
	return l.step == StepRead || l.step == StepWrite || l.step == StepCheck
}

// array begins to read a list.
func (w *Walker) array(l *elements, max int) {
	l.begun, l.n = wire.Bound(w.most(max))
	l.a = w.r.Array()
}

// count begins to write or check a list. It reports false if its elements have no rules.
func (w *Walker) count(l *elements, min, max int, ruled bool) bool {
	if l.step == StepWrite {
		w.b = append(w.b, '[')
		return true
	}
	w.items(l.n, min, max)
	if ruled {
		l.whole = w.vs.Enter()
	}
	return ruled
}

// next moves to the next element. If there is none, it ends the list and returns false.
func (w *Walker) next(l *elements) bool {
	l.phase = begins
	l.index++
	if l.step == StepRead {
		if !w.r.Elem(&l.a) {
			return false
		}
		if l.index == l.n {
			wire.TooMany(w.r, &l.a, l.n)
			return false
		}
		return true
	}
	if l.index == l.n {
		w.endList(l)
		return false
	}
	if l.step == StepWrite && l.index > 0 {
		w.b = append(w.b, ',')
	}
	return true
}

// endList ends the list.
func (w *Walker) endList(l *elements) {
	if l.step == StepWrite {
		w.b = append(w.b, ']')
		return
	}
	w.end(&pass{in: l.whole, key: l.of})
}

// Struct takes a required struct. Its rules are checked if ruled is set.
//
//go:noinline
func (w *Walker) Struct(v Walked, key string, ruled bool) {
	switch w.Member(key, Required, true) {
	case StepCheck:
		if !ruled {
			return
		}
	case StepNone, StepReset: // a message without the struct is rejected
		return
	}
	for p := (pass{key: key}); w.again(&p); {
		v.WalkJSON(w)
	}
}

// WalkPointer takes an optional struct whose WalkJSON is walk; nil is absent. Its rules are checked if
// ruled is set.
//
//go:noinline
func WalkPointer[T any](w *Walker, v **T, key string, ruled bool, walk func(*T, *Walker)) {
	switch w.Member(key, Optional, *v != nil) {
	case StepRead:
		*v = wire.New[T](w.r)
	case StepWrite:
	case StepCheck:
		if !ruled {
			return
		}
	case StepReset:
		*v = nil
		return
	default:
		return
	}
	for p := (pass{key: key}); w.again(&p); {
		walk(*v, w)
	}
}
