package wire

import (
	"math/bits"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
)

// Members is the state of reading one object. Generated decoders read objects as
//
//	var o Members
//	for r.Object(&o); r.More(&o); {
//		if r.Key(&o, 0, `"city":`) {
//			v.City = r.String()
//		}
//		...
//	}
//
// Each round takes the members that it finds, in the order in which it asks for them. Members in the order of the schema take one round. After a round
// that took no member, the cursor is at an unknown member.
type Members struct {
	seen uint64   // which of the first 64 names were read
	rest []uint64 // which of the other names were read
	at   int      // index at which the current round began
	open bool     // the first round has not run yet and has a member to take
}

const (
	fresh  = -1 // no round has begun
	absent = -2 // the value is not an object
)

// Object begins an object. The argument o must be zero.
func (r *Reader) Object(o *Members) {
	if b, i := r.b, r.i; uint(i+1) < uint(len(b)) && b[i] == '{' && b[i+1] == '"' && r.depth > 0 && !isCollecting(r) {
		r.depth--
		r.sep = '{'
		o.at, o.open = i, true
		return
	}
	openObject(r, o)
}

func openObject(r *Reader, o *Members) {
	if r.Kind() != Object {
		wrongKind(r, "object")
		o.at = absent
		return
	}
	if r.depth == 0 {
		fail(r)
		o.at = absent
		return
	}
	r.depth--
	r.i = Space(r.b, r.i)
	setSep(r, '{')
	enter(r)
	o.at = fresh
}

func setSep(r *Reader, c byte) { r.sep = r.sep&markedSep | uint16(c) }

// More begins a round over the members of o. If none are left, it moves past the object and returns false. It skips a member that the round before did
// not take.
func (r *Reader) More(o *Members) bool {
	if o.open {
		o.open = false
		return true
	}
	return nextRound(r, o)
}

// EmptyObject reads an object and ignores its members.
func (r *Reader) EmptyObject() {
	var o Members
	r.Object(&o)
	for more := r.More(&o); more; {
		more = r.More(&o)
	}
}

// nextRound is More for all rounds after the first.
func nextRound(r *Reader, o *Members) bool {
	b, i := r.b, r.i
	if uint(i+1) < uint(len(b)) {
		switch c := b[i]; {
		case c == '}' && r.sep == ',' && i != o.at:
			r.i = i + 1
			r.depth++
			return false
		case uint16(c) == r.sep && b[i+1] == '"' && i != o.at:
			o.at = i
			return true
		}
	}
	return moreMembers(r, o)
}

func moreMembers(r *Reader, o *Members) bool {
	for {
		if r.failed || o.at == absent {
			return false
		}
		m := scanMember(r)
		if r.failed {
			return false
		}
		if m.name == "" {
			closeObject(r, m.value)
			return false
		}
		if r.i != o.at {
			o.at = r.i
			return true
		}
		takeMember(r, m)
		skipValue(r)
	}
}

// closeObject moves past the end of the object, to index i.
func closeObject(r *Reader, i int) {
	r.i = i
	r.depth++
	setSep(r, ',')
	r.member.at = -1
	leaveValue(r)
}

// Key reports whether the next member is called name, and moves to its value if so. The argument n is the index of the name among those of the object;
// name is the JSON string followed by a colon. A member that was read before is a fault. It is not inlined, because that takes the compiler much longer
// than it saves a decoder.
//
//go:noinline
func (r *Reader) Key(o *Members, n int, name string) bool {
	if m := &r.member; m.at == r.i && m.direct && len(m.name) != len(name)-1 {
		return false // which next would find out later, after a call
	}
	i := findMember(r, o, n, name)
	if i >= 0 {
		r.i = i
	}
	return i >= 0
}

// KeyNotNull is Key for a member for which null means absent: it reads the null and returns false.
func (r *Reader) KeyNotNull(o *Members, n int, name string) bool {
	return r.Key(o, n, name) && !r.Null()
}

// matchKey is Key for any spacing and any notation of the name.
func matchKey(r *Reader, o *Members, n int, name string) bool {
	m := scanMember(r)
	if r.failed || m.name != name[:len(name)-1] {
		return false
	}
	takeMember(r, m)
	if o.mark(n) {
		return true
	}
	duplicateName(r)
	return false
}

// scanMember scans the member at the cursor, unless it was scanned before.
func scanMember(r *Reader) *member {
	m := &r.member
	if m.at == r.i {
		return m
	}
	sep := byte(r.sep)
	b := r.b
	i := Space(b, r.i)
	if uint(i) >= uint(len(b)) {
		fail(r)
		return m
	}
	if sep == ',' && b[i] == '}' || sep == '{' && emptyAt(b, i) > 0 {
		end := i + 1
		if sep == '{' {
			end = emptyAt(b, i)
		}
		m.is(r.i, end, "", !isCollecting(r))
		return m
	}
	if b[i] != sep {
		fail(r)
		return m
	}
	scanName(r, Space(b, i+1))
	return m
}

// is sets the fields of m one by one. Copying a struct value would load words that are wider than the stores just before, for which processors have to
// wait.
func (m *member) is(at, value int, name string, direct bool) {
	m.at, m.value, m.name, m.direct = at, value, name, direct
}

// emptyAt returns the index after the empty object at index i, or 0 if the object has members.
func emptyAt(b []byte, i int) int {
	if i = Space(b, i+1); i < len(b) && b[i] == '}' {
		return i + 1
	}
	return 0
}

// scanName scans the name of the member at index i, and the colon.
func scanName(r *Reader, i int) {
	b := r.b
	if uint(i) >= uint(len(b)) || b[i] != '"' {
		fail(r)
		return
	}
	end := plain(b, i+1)
	name, direct := "", false
	if uint(end) < uint(len(b)) && b[end] == '"' {
		end++
		name = share(b[i:end])
		direct = !isCollecting(r) && (i == r.i+1 || i == r.i+2 && b[i-1] == ' ') && end < len(b) && b[end] == ':'
	} else {
		if name, end = escapedName(r, i); end < 0 {
			fail(r)
			return
		}
	}
	if uint(end) >= uint(len(b)) || b[end] != ':' {
		if end = Space(b, end); end >= len(b) || b[end] != ':' {
			fail(r)
			return
		}
	}
	r.member.is(r.i, Space(b, end+1), name, direct)
}

// escapedName reads a name that has escapes or characters outside ASCII. It returns the name as canonical JSON and the index after it, which is negative
// if the name is malformed or the budget is exceeded.
func escapedName(r *Reader, i int) (name string, end int) {
	const copies = 4 // made until the name is the key of a map
	text, end := Str(r.b, i)
	if end < 0 || !r.Charge(copies*(end-i)) {
		return "", bad
	}
	return string(AppendString(nil, text)), end
}

// takeMember moves to the value of m.
func takeMember(r *Reader, m *member) {
	r.i = m.value
	setSep(r, ',')
	if isCollecting(r) {
		r.path[len(r.path)-1] = segment{name: m.text()}
	}
}

// text returns the decoded name.
func (m *member) text() string {
	s, _ := Str(bytesOf(m.name), 0)
	return s
}

// duplicateName reports that the member whose value is at the cursor occurs twice.
func duplicateName(r *Reader) {
	addFault(r, violation.Violation{Rule: "duplicate", Expected: "each member once", Got: "the member again"})
}

// mark notes that name n was read. It returns false if it was read before.
func (o *Members) mark(n int) bool {
	words := &o.seen
	if n >= 64 {
		for len(o.rest) < n/64 {
			o.rest = append(o.rest, 0)
		}
		words = &o.rest[n/64-1]
	}
	bit := uint64(1) << (n & 63)
	if *words&bit != 0 {
		return false
	}
	*words |= bit
	return true
}

// Has reports whether name n was read.
func (o *Members) Has(n int) bool {
	if n < 64 {
		return o.seen>>n&1 == 1
	}
	return len(o.rest) >= n/64 && o.rest[n/64-1]>>(n&63)&1 == 1
}

// HasAll reports whether the first n names were read, if they are at most 64.
func (o *Members) HasAll(n int) bool { return n > 0 && n <= 64 && o.seen == 1<<n-1 }

// Need reports the required members that were not read. The argument required has a bit for each of the first 64 names; names holds all names,
// newline-separated.
func (r *Reader) Need(o *Members, required uint64, names string) {
	if o.seen&required != required {
		missingMembers(r, o, o.seen, 0, required, names)
	}
}

// NeedMore is Need for the 64 names from index 64*word on.
func (r *Reader) NeedMore(o *Members, word int, required uint64, names string) {
	var seen uint64
	if len(o.rest) >= word {
		seen = o.rest[word-1]
	}
	if seen&required != required {
		missingMembers(r, o, seen, word, required, names)
	}
}

func missingMembers(r *Reader, o *Members, seen uint64, word int, required uint64, names string) {
	if !isCollecting(r) {
		fail(r)
		return
	}
	if o.at == absent || r.failed {
		return
	}
	left := required &^ seen
	if r.vs.Full() {
		r.vs.Drop(bits.OnesCount64(left) - 1) // Full has counted one of them
		return
	}
	at := pointerOf(r)
	for n := -64 * word; n < 64 && left != 0; n++ {
		name, rest, _ := strings.Cut(names, "\n")
		names = rest
		if n >= 0 && left>>n&1 == 1 {
			left &^= 1 << n
			r.vs.AddUnusable(violation.Violation{
				Pointer: r.vs.Text(at, "/", violation.EscapePointer(name)), Rule: "required", Expected: r.vs.Quoted("member ", name),
			})
		}
	}
}

// Reject ends a round over an object that allows no other members: it reports the member that the round did not take. The closest of names, which are
// newline-separated, is suggested.
func (r *Reader) Reject(o *Members, names string) {
	if r.i != o.at || r.failed {
		return
	}
	if !isCollecting(r) {
		fail(r)
		return
	}
	m := scanMember(r)
	if m.name == "" {
		return
	}
	takeMember(r, m)
	if r.vs.Full() {
		skipValue(r)
		return
	}
	name := m.text()
	known := "no members"
	if names != "" {
		known = r.vs.OneOf(names)
	}
	addFault(r, violation.Violation{
		Rule: "additionalProperties", Expected: known, Got: r.vs.Quoted("unknown member ", name), Closest: violation.ClosestOf(name, names),
	})
}

// tooManyMembers reports an object with too many members at the first one that exceeds the limit, counts them, and moves past the object.
func tooManyMembers(r *Reader, most int) {
	if !isCollecting(r) {
		fail(r)
		return
	}
	n := most
	for m := scanMember(r); !r.failed; m = scanMember(r) {
		if m.name == "" {
			closeObject(r, m.value)
			break
		}
		takeMember(r, m)
		skipValue(r)
		n++
	}
	if !r.failed && !r.vs.Full() {
		r.vs.AddFound(violation.TooMany(r.vs, pointerOf(r), n, most, "Properties", "member"))
	}
}

// NextMember ends a round over an object of any members: it returns the name of the member at the cursor, and moves to its value.
func NextMember(r *Reader, o *Members) (name string, ok bool) { return otherMember(r, o) }

// otherMember returns the name of the member that the round did not take, and moves to its value.
func otherMember(r *Reader, o *Members) (name string, ok bool) {
	if r.i != o.at || r.failed {
		return "", false
	}
	m := scanMember(r)
	if r.failed || m.name == "" {
		return "", false
	}
	takeMember(r, m)
	return m.text(), true
}
