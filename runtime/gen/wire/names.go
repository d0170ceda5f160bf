package wire

import (
	"bytes"
	"hash/maphash"
)

// names finds members whose name occurs twice in an object, while [skip] reads a value. An application that reads such an object takes one of the members,
// and a check before it may have taken the other. The time is proportional to the length of the text, which has less than 4 GiB.
//
// The struct holds no slices of its own arrays, so that it can be on the stack.
type names struct {
	first  [16]nameMark     // of the objects that are open, the innermost last
	more   []nameMark       // those after them
	count  int              // how many there are
	starts [MaxDepth]uint16 // where the names of these objects begin
	open   int              // how many objects are open
	tables []table          // of objects that have many names
}

// nameMark stands for a name in a text: 32 bits that equal names have in common, and the index of the JSON string.
type nameMark uint64

// mark returns the mark of name, whose JSON string is at index i.
func mark(i int, name string) nameMark {
	m := uint64(len(name)) << 16
	if len(name) > 0 {
		m |= uint64(name[0])<<8 | uint64(name[len(name)-1])
	}
	return nameMark(m<<32 | uint64(uint32(i)))
}

// at returns the index of the JSON string.
func (m nameMark) at() uint32 { return uint32(m) }

// fewNames is how many names are compared one by one.
const fewNames = 24

// enter begins an object.
func (n *names) enter() {
	n.starts[n.open] = uint16(n.count)
	n.open++
}

// leave ends the innermost object.
func (n *names) leave() {
	n.open--
	n.count = int(n.starts[n.open])
	n.more = n.more[:max(0, n.count-len(n.first))]
	if t := len(n.tables) - 1; t >= 0 && n.tables[t].object == n.open {
		n.tables = n.tables[:t]
	}
}

// add adds the name of a member of the innermost object, whose JSON string is b[i:end]. It reports false if the object has a member of that name already.
func (n *names) add(b []byte, i, end int) bool {
	name := share(b[i+1 : end-1])
	if bytes.IndexByte(b[i:end], '\\') >= 0 {
		name, _ = Str(b, i)
	}
	if t := len(n.tables) - 1; t >= 0 && n.tables[t].object == n.open-1 {
		return n.tables[t].add(b, uint32(i), name)
	}
	m, start := mark(i, name), int(n.starts[n.open-1])
	for k := start; k < n.count; k++ {
		if other := n.at(k); other>>32 == m>>32 && isName(b, other.at(), name) {
			return false
		}
	}
	switch {
	case n.count-start == fewNames:
		n.tables = append(n.tables, n.newTable(b, start))
		return n.tables[len(n.tables)-1].add(b, uint32(i), name)
	case n.count < len(n.first):
		n.first[n.count] = m
	default:
		n.more = append(n.more, m)
	}
	n.count++
	return true
}

// at returns the mark at index k.
func (n *names) at(k int) nameMark {
	if k < len(n.first) {
		return n.first[k]
	}
	return n.more[k-len(n.first)]
}

// newTable returns a table of the names of the innermost object, which begin at index start.
func (n *names) newTable(b []byte, start int) table {
	t := table{object: n.open - 1, seed: maphash.MakeSeed(), slots: make([]uint32, 8*fewNames)}
	for k := start; k < n.count; k++ {
		at := n.at(k).at()
		name, _ := Str(b, int(at))
		t.add(b, at, name)
	}
	return t
}

// isName reports whether the text of the valid JSON string at index i is name.
func isName(b []byte, i uint32, name string) bool {
	text := b[i+1:]
	if len(text) > len(name) && text[len(name)] == '"' && string(text[:len(name)]) == name && bytes.IndexByte(text[:len(name)], '\\') < 0 {
		return true
	}
	other, _ := Str(b, int(i))
	return other == name
}

// table is a hash table of the names of an object that has more than [fewNames].
type table struct {
	object int // index in starts
	seed   maphash.Seed
	count  int
	slots  []uint32 // 0 is free: no name is at the beginning of a text
}

// add reports whether name, which is at index i, is new, and notes it.
func (t *table) add(b []byte, i uint32, name string) bool {
	if 4*t.count >= 3*len(t.slots) {
		old := t.slots
		t.slots = make([]uint32, 2*len(old))
		for _, at := range old {
			if at > 0 {
				other, _ := Str(b, int(at))
				t.slots[t.find(func(uint32) bool { return false }, other)] = at
			}
		}
	}
	k := t.find(func(at uint32) bool { return isName(b, at, name) }, name)
	if t.slots[k] > 0 {
		return false
	}
	t.slots[k] = i
	t.count++
	return true
}

// find returns the index of the slot of name, which equal recognizes, or of a free one.
func (t *table) find(equal func(at uint32) bool, name string) uint64 {
	size := uint64(len(t.slots))
	k := maphash.String(t.seed, name) % size
	for t.slots[k] > 0 && !equal(t.slots[k]) {
		if k++; k == size {
			k = 0
		}
	}
	return k
}

// skipOnce is [skip] for a value in which no object, at any depth, may have a member twice.
func skipOnce(b []byte, i, maxDepth int) (end int, spaced bool) {
	if uint(i) < uint(len(b)) && b[i] != '{' && b[i] != '[' {
		return skip(b, i, maxDepth, nil)
	}
	var n names
	return skip(b, i, maxDepth, &n)
}

// once moves past a value in which no object, at any depth, may have a member twice, and also
// reports whether there is white space between tokens. Each such member is reported.
func once(r *Reader) (spaced bool) {
	i := Space(r.b, r.i)
	end, spaced := skipOnce(r.b, i, r.depth)
	switch {
	case end >= 0:
		r.i = end
	case !isCollecting(r) || Skip(r.b, i, r.depth) < 0:
		fail(r)
	default:
		reportTwice(r, new(names))
		return true
	}
	return spaced
}

// reportTwice moves past the value at the cursor and reports each member that its object has already.
func reportTwice(r *Reader, n *names) {
	switch r.Kind() {
	case Object:
		n.enter()
		defer n.leave()
		var o Members
		for r.Object(&o); r.More(&o); {
			at := Space(r.b, Space(r.b, r.i)+1)
			if _, ok := otherMember(r, &o); !ok {
				return
			}
			if n.add(r.b, at, SkipString(r.b, at+1)) {
				reportTwice(r, n)
			} else {
				duplicateName(r)
			}
		}
	case Array:
		for a := r.Array(); r.Elem(&a); {
			reportTwice(r, n)
		}
	default:
		skipValue(r)
	}
}

// Others holds the names of the members of one object that are not decoded but may be read elsewhere,
// by [Peek] for instance. The zero value is that of an object that was not begun.
type Others struct{ names map[string]struct{} }

// Take ends a round over the object: a member that the round did not take is a fault if it is there twice, or if its value has an object with a member twice.
func (s *Others) Take(r *Reader, o *Members) {
	name, ok := otherMember(r, o)
	if !ok {
		return
	}
	if _, twice := s.names[name]; twice {
		duplicateName(r)
		return
	}
	if s.names == nil {
		s.names = make(map[string]struct{})
	}
	s.names[name] = struct{}{}
	once(r)
}
