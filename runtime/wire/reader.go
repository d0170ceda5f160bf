package wire

import (
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
)

// A Reader is the cursor of generated decoders. It reads in one of two passes, through the same generated code:
//
// The fast pass ([Reader.Reset]) stops at the first fault, whatever it is; [Reader.Failed] tells. It builds no pointers, looks
// for members in the order in which the schema declares them, and takes any other order and spacing a little slower.
//
// The collecting pass ([Reader.Collect]) is for a text whose syntax has been checked and whose fast pass failed. It goes on
// after a fault, and reports each one with its JSON Pointer.
type Reader struct {
	b        []byte
	i        int
	sep      byte // what stands before the next member: '{' right after it, else ','. Marked, and so never met, while collecting
	failed   bool
	strict   bool // see Strict
	granted  bool // budget was set
	spent    bool // see Spent
	depth    int  // of what may still be opened
	maxDepth int
	most     int // see AtMost; zero: the next array or map has no bound
	budget   int // bytes of memory that may still be allocated
	member   member
	vs       *rule.Violations // nil in the fast pass
	path     []segment        // where the collecting pass is
	shared   *Budget          // of several messages; nil: none
}

// member is the member that the reader stands at, when its name was not the one asked for: it is scanned once, and then
// compared with each name that is asked for.
type member struct {
	at    int    // where its separator is; negative: not scanned
	value int    // where its value starts
	name  string // in canonical JSON, with the quotes; empty: there is none, the object ends

	// The name is written so, after at most one space, with the colon right behind it; or there is none. Never in the collecting
	// pass.
	direct bool
}

// segment is a step of a JSON Pointer: a name, or an index when name is unset.
type segment struct {
	name    string
	index   int
	isIndex bool
}

// marked is set on sep in the collecting pass, so that no fast comparison ever succeeds.
const marked = 0x80

// Reset starts the fast pass over the value at b[i], nested at most maxDepth deep.
func (r *Reader) Reset(b []byte, i, maxDepth int) {
	r.b, r.i = b, i
	r.sep, r.failed, r.strict, r.granted, r.spent = ',', false, false, false, false
	r.depth, r.maxDepth = maxDepth, maxDepth
	r.most, r.budget = 0, 0
	r.member.at = -1
	r.vs = nil
}

// Collect starts the collecting pass over the value at b[i]. The syntax of b must have been checked. Faults go to vs. The budget is
// what a fast pass over the same text has left of it.
func (r *Reader) Collect(b []byte, i, maxDepth int, vs *rule.Violations) {
	granted, budget, again := r.granted, r.budget, len(r.b) == len(b) && len(b) > 0 && &r.b[0] == &b[0]
	r.Reset(b, i, maxDepth)
	if again {
		r.granted, r.budget = granted, budget
	}
	r.sep |= marked
	r.vs = vs
	r.path = r.path[:0]
}

// Pos returns the index after what has been read.
func (r *Reader) Pos() int { return r.i }

// Failed reports whether the fast pass met a fault.
func (r *Reader) Failed() bool { return r.failed }

// fail ends the fast pass: nothing can be read any more. In the collecting pass, whose text is valid, it is only reached by
// decoders that call for more than there is.
func (r *Reader) fail() {
	r.failed = true
	r.i = len(r.b)
}

// collecting tells which pass this is.
func (r *Reader) collecting() bool { return r.vs != nil }

// fault reports that the value at the cursor breaks a rule, and skips the value.
func (r *Reader) fault(v rule.Violation) {
	if !r.collecting() {
		r.fail()
		return
	}
	if !r.vs.Full() {
		v.Pointer = r.pointer()
		r.vs.AddUnusable(v)
	}
	r.most = 0
	r.skipValue()
}

// wrongKind reports that the value at the cursor should be of another kind, and skips it.
func (r *Reader) wrongKind(expected string) {
	if !r.collecting() {
		r.fail()
		return
	}
	r.fault(rule.Violation{Rule: "type", Expected: expected, Got: r.Kind().String()})
}

// skipValue moves past the value at the cursor.
func (r *Reader) skipValue() {
	end := Skip(r.b, Space(r.b, r.i), r.depth)
	if end < 0 {
		r.fail()
		return
	}
	r.i = end
}

// enter begins the members or elements of a value. Only the collecting pass keeps track of where it is.
func (r *Reader) enter() {
	if r.collecting() {
		r.path = append(r.path, segment{})
	}
}

// leave ends what enter began.
func (r *Reader) leave() {
	if r.collecting() && len(r.path) > 0 {
		r.path = r.path[:len(r.path)-1]
	}
}

// pointer is where the collecting pass is.
func (r *Reader) pointer() string {
	var s strings.Builder
	for _, p := range r.path {
		s.WriteByte('/')
		if p.isIndex {
			s.WriteString(strconv.Itoa(p.index))
		} else {
			s.WriteString(rule.EscapePointer(p.name))
		}
	}
	return s.String()
}

// Kind tells the kind of the value at the cursor.
func (r *Reader) Kind() Kind {
	i := Space(r.b, r.i)
	if uint(i) >= uint(len(r.b)) {
		return Invalid
	}
	return kinds[r.b[i]]
}

// Skip reads past a value of any kind.
func (r *Reader) Skip() { r.skipValue() }
