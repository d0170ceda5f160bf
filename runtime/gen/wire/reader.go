package wire

import (
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
)

// A Reader is the cursor of generated decoders. It reads a text in one or two passes through the same generated code:
//
// The fast pass ([Reader.Reset]) stops at the first fault of any kind, see [Reader.Failed]. It does not build JSON Pointers. It expects members in the order
// of the schema; any other order and spacing is accepted, but slower.
//
// The collecting pass ([Reader.Collect]) is for a text whose fast pass failed. It continues after a value that does not fit the schema and reports each one
// with its JSON Pointer (RFC 6901). A fault of the syntax ends it like the fast pass.
//
// A Reader is used by one goroutine. The zero value must be Reset before use.
type Reader struct {
	b []byte
	i int
	// separator before the next member: '{' before the first, then ','. In the collecting pass it has the bit marked, so that it matches no byte
	sep      uint16
	failed   bool
	strict   bool // see Strict
	granted  bool // the budget was set
	spent    bool // see Spent
	depth    int  // levels of nesting that are left
	maxDepth int
	most     int // see AtMost; 0 if the next array or map has no limit
	budget   int // bytes that may still be allocated
	member   member
	vs       *violation.List // nil in the fast pass
	path     []segment       // position of the collecting pass
	shared   *Budget         // budget shared by several messages; nil if there is none
}

// member is the member at the cursor if its name was not the one that was asked for. It is scanned once and then compared with each name that is asked for.
type member struct {
	at    int    // index of the separator before it; negative if it was not scanned
	value int    // index of its value
	name  string // as canonical JSON with quotes; empty at the end of the object

	// direct is set if the name is written in canonical JSON, after at most one space and with the
	// colon right after it, or at the end of the object. It is never set in the collecting pass.
	direct bool
}

// segment is one token of a JSON Pointer: a name, or an index if there is no name.
type segment struct {
	name    string
	index   int
	isIndex bool
}

// markedSep is set on sep in the collecting pass, so that no fast comparison succeeds.
const markedSep = 0x100

// Reset starts the fast pass over the value at b[i:], which may be nested maxDepth levels deep.
func (r *Reader) Reset(b []byte, i, maxDepth int) {
	r.b, r.i = b, i
	r.sep, r.failed, r.strict, r.granted, r.spent = ',', false, false, false, false
	r.depth, r.maxDepth = maxDepth, maxDepth
	r.most, r.budget = 0, 0
	r.member.at = -1
	r.vs = nil
}

// Collect starts the collecting pass over the value at b[i:]. Violations are added to vs; they say nothing if the pass has failed and the syntax of b is not
// valid. The budget is what the fast pass over the same text has left.
func (r *Reader) Collect(b []byte, i, maxDepth int, vs *violation.List) {
	granted, budget, again := r.granted, r.budget, len(r.b) == len(b) && len(b) > 0 && &r.b[0] == &b[0]
	r.Reset(b, i, maxDepth)
	if again {
		r.granted, r.budget = granted, budget
	}
	r.sep |= markedSep
	r.vs = vs
	r.path = r.path[:0]
}

// Pos returns the index after what was read.
func (r *Reader) Pos() int { return r.i }

// Failed reports whether the fast pass met a fault, or the collecting pass one of the syntax or the end of the budget.
func (r *Reader) Failed() bool { return r.failed }

// fail ends the pass: nothing more can be read. In the collecting pass it is reached by texts whose syntax is not valid, and by decoders that read more
// values than the text has, or exceed the budget.
func fail(r *Reader) {
	r.failed = true
	r.i = len(r.b)
}

// isCollecting reports whether this is the collecting pass.
func isCollecting(r *Reader) bool { return r.vs != nil }

// Collecting reports whether r is in its collecting pass, for other packages that read objects.
func Collecting(r *Reader) bool { return isCollecting(r) }

// Fail ends the pass of r: nothing more can be read. In the collecting pass the fault must have been reported.
func Fail(r *Reader) { fail(r) }

// addFault reports that the value at the cursor violates a rule, and skips the value.
func addFault(r *Reader, v violation.Violation) {
	if !isCollecting(r) {
		fail(r)
		return
	}
	if !r.vs.Full() {
		v.Pointer = pointerOf(r)
		r.vs.AddUnusable(v)
	}
	r.most = 0
	skipValue(r)
}

// wrongKind reports that the value at the cursor should have another kind, and skips the value.
func wrongKind(r *Reader, expected string) {
	if !isCollecting(r) {
		fail(r)
		return
	}
	addFault(r, violation.Violation{Rule: "type", Expected: expected, Got: r.Kind().String()})
}

// skipValue moves past the value at the cursor.
func skipValue(r *Reader) {
	end := Skip(r.b, Space(r.b, r.i), r.depth)
	if end < 0 {
		fail(r)
		return
	}
	r.i = end
}

// enter begins the members or elements of a value. Only the collecting pass keeps track of its position.
func enter(r *Reader) {
	if isCollecting(r) {
		r.path = append(r.path, segment{})
	}
}

// leaveValue undoes enter.
func leaveValue(r *Reader) {
	if isCollecting(r) && len(r.path) > 0 {
		r.path = r.path[:len(r.path)-1]
	}
}

// pointerOf returns the position of the collecting pass as a JSON Pointer (RFC 6901).
func pointerOf(r *Reader) string {
	var short [64]byte
	b := short[:0]
	for _, p := range r.path {
		b = append(b, '/')
		if p.isIndex {
			b = strconv.AppendInt(b, int64(p.index), 10)
		} else {
			b = append(b, violation.EscapePointer(p.name)...)
		}
	}
	return r.vs.Text(share(b))
}

// Kind returns the kind of the value at the cursor.
func (r *Reader) Kind() Kind {
	i := Space(r.b, r.i)
	if uint(i) >= uint(len(r.b)) {
		return Invalid
	}
	return kinds[r.b[i]]
}

// Skip skips a value of any kind.
func (r *Reader) Skip() { skipValue(r) }
