// Package violation holds what values do wrong by the rules of a schema: violations, lists of them with bounds, and their texts. All that reads
// or checks values reports them; the rules themselves are functions of package rule, which only those link whose schemas have rules.
//
//test:sequential
package violation

import (
	"strconv"
	"strings"
)

// MaxViolations is the maximum number of violations that one check collects. It is enough for
// mistakes made by people, and bounds the cost of the report on a hostile message.
const MaxViolations = 256

// Violation is one violation of a rule of the schema.
type Violation struct {
	Pointer  string // RFC 6901 pointer relative to the checked value; empty for the value itself
	Rule     string // the JSON Schema keyword, such as type, required, enum, minLength
	Expected string // what is allowed, for people
	Got      string // what was found, shortened; empty if it is sensitive or missing
	Closest  string // the valid key or value that is closest; empty if none is close
}

// String returns v as one line of text for people.
func (v Violation) String() string { return string(v.Append(nil)) }

// Append appends the text of [Violation.String] to b.
func (v *Violation) Append(b []byte) []byte {
	if v.Pointer != "" {
		b = append(append(b, v.Pointer...), ": "...)
	}
	b = append(b, v.Rule...)
	if v.Expected != "" {
		b = append(append(b, ": expected "...), v.Expected...)
	}
	if v.Got != "" {
		b = append(append(b, ", got "...), v.Got...)
	}
	if v.Closest != "" {
		b = append(b, " (did you mean "...)
		b = append(strconv.AppendQuote(b, v.Closest), "?)"...)
	}
	return b
}

// maxText limits the text of the violations that one check collects, in bytes. It counts the parts that come from the checked value, since pointers contain
// the names of its members. It bounds the cost of a message with long names.
const maxText = 32 << 10

// List collects the violations of one value. The zero value is ready for use.
type List struct {
	list     []Violation // of all open scopes
	start    int         // index in list of the first violation of the innermost scope
	scopes   int         // number of open scopes
	dropped  int
	text     int             // bytes of text in list, see maxText
	unusable []string        // pointers of values that are missing or unreadable
	block    strings.Builder // see Text
	closed   bool            // see Close
}

// Len returns the number of violations that are kept.
func (vs *List) Len() int { return len(vs.list) - vs.start }

// All returns the violations in the order in which they were found. The slice belongs to vs.
func (vs *List) All() []Violation { return vs.list[vs.start:] }

// Dropped returns the number of violations that were found but not kept, because there are more than [MaxViolations] or more than 32 KiB of text. A few of
// them may be about values that could not be read and are reported as such already.
func (vs *List) Dropped() int { return vs.dropped }

// Full reports whether no further violation is kept, and counts one as dropped if so. Checks call
// it before they build a violation, so that violations beyond the limit cost nothing.
func (vs *List) Full() bool {
	if len(vs.list) < MaxViolations && vs.text < maxText {
		return false
	}
	vs.Drop(1)
	return true
}

// Closed reports whether no further violation of a rule is kept: the list is full, or Close was called.
func (vs *List) Closed() bool { return vs.closed || vs.Full() }

// Skips reports whether no violation of the value at the pointer at is kept, see [List.Closed]
// and [List.Add]. Checks call it before they build the violation.
func (vs *List) Skips(at string) bool { return vs.Closed() || vs.isUnusable(at) }

// isUnusable reports whether the value at the pointer at, or one that contains it, could not be read.
// Inside of a scope, pointers are not known as a whole: Leave finds out.
func (vs *List) isUnusable(at string) bool {
	if vs.scopes == 0 {
		for _, p := range vs.unusable {
			if strings.HasPrefix(at, p) && (len(at) == len(p) || at[len(p)] == '/') {
				return true
			}
		}
	}
	return false
}

// Close ends the checking of rules because the rest of the value was not decoded. Violations that decoding finds are still kept.
func (vs *List) Close() { vs.closed = true }

// Drop counts n violations as dropped without building them.
func (vs *List) Drop(n int) { vs.dropped += n }

// Reset removes all violations.
func (vs *List) Reset() {
	unusable := vs.unusable
	*vs = List{}
	if cap(unusable) <= mostKept {
		clear(unusable)
		vs.unusable = unusable[:0]
	}
}

// mostKept limits the memory that is kept for further violations, in elements of a list.
const mostKept = 16

// Reuse removes all violations like [List.Reset], and keeps the memory of the list for others:
// a slice that [List.All] has returned must not be used any more.
func (vs *List) Reuse() {
	list := vs.list
	vs.Reset()
	if cap(list) <= mostKept {
		clear(list)
		vs.list = list[:0]
	}
}

// Add adds a violation, unless its value, or a value that contains it, is unusable: a value that is missing or has the wrong type is not checked any further.
func (vs *List) Add(v Violation) {
	if !vs.closed && !vs.isUnusable(v.Pointer) {
		vs.AddFound(v)
	}
}

// AddUnusable adds the violation of a value that is missing or could not be read.
func (vs *List) AddUnusable(v Violation) {
	vs.Unusable(v.Pointer)
	vs.AddFound(v)
}

// Unusable notes that the value at a pointer could not be read, because of a violation of a part of it such as the tag of a union.
func (vs *List) Unusable(at string) {
	if len(vs.unusable) < MaxViolations {
		vs.unusable = append(vs.unusable, at)
	}
}

// AddFound adds a violation that decoding has found in a value that it could read, such as too many elements.
func (vs *List) AddFound(v Violation) {
	if vs.Full() {
		return
	}
	vs.text += v.size()
	if cap(vs.list) == 0 {
		vs.list = make([]Violation, 0, 4)
	}
	vs.list = append(vs.list, v)
}

// size returns how many bytes of v may come from the checked value.
func (v *Violation) size() int { return len(v.Pointer) + len(v.Got) }

// Err returns the violations as an [*Error], or nil if there are none.
func (vs *List) Err() error {
	if vs.Len() == 0 {
		return nil
	}
	return &Error{Violations: vs.All(), Dropped: vs.dropped}
}

// Checker is a value with rules. Generated types that have rules implement it.
type Checker interface {
	CheckRules(vs *List)
}

// Validate checks v. The error is nil or an [*Error].
func Validate(v Checker) error {
	var vs List
	v.CheckRules(&vs)
	return vs.Err()
}

// Error holds the violations of one value.
type Error struct {
	Violations []Violation
	Dropped    int // number of violations that were found but not kept
}

// Error returns the violations as one text, separated by semicolons.
func (e *Error) Error() string {
	var s strings.Builder
	for i := range e.Violations {
		if i > 0 {
			s.WriteString("; ")
		}
		s.WriteString(e.Violations[i].String())
	}
	if e.Dropped > 0 {
		s.WriteString("; and " + strconv.Itoa(e.Dropped) + " more")
	}
	return s.String()
}

// A Scope collects the violations of a part of a value. Enter opens it before the part is checked, and Leave closes it and prepends the pointer of the part
// to the violations found in between. So no pointer is built while there is no violation.
type Scope struct {
	outer   int // where the enclosing scope begins
	dropped int // how many violations were dropped before
}

// Enter opens a scope.
func (vs *List) Enter() Scope {
	s := Scope{vs.start, vs.dropped}
	vs.start = len(vs.list)
	vs.scopes++
	return s
}

// Leave closes s, which is the part at the pointer at.
func (vs *List) Leave(s Scope, at string) {
	if len(vs.list) == vs.start {
		vs.close(s)
		return
	}
	vs.leave(s, at)
}

func (vs *List) close(s Scope) {
	vs.start = s.outer
	vs.scopes--
}

// Found reports whether the innermost scope has violations.
func (vs *List) Found() bool { return len(vs.list) > vs.start }

// Abandon closes s and forgets its violations.
func (vs *List) Abandon(s Scope) {
	vs.take()
	vs.close(s)
	vs.dropped = s.dropped
}

// take removes the violations of the innermost scope and returns them. The slice is valid until as many violations were added as it has.
func (vs *List) take() []Violation {
	inner := vs.list[vs.start:]
	for i := range inner {
		vs.text -= inner[i].size()
	}
	vs.list = vs.list[:vs.start]
	return inner
}

// LeaveElement closes s, which is element i of the list at the pointer at.
func (vs *List) LeaveElement(s Scope, at string, i int) {
	if !vs.Found() {
		vs.close(s)
		return
	}
	var digits [20]byte
	vs.leave(s, vs.Text(at, "/", string(strconv.AppendInt(digits[:0], int64(i), 10))))
}

// leave closes s, which has violations. Each one that is kept replaces one that was taken before.
func (vs *List) leave(s Scope, prefix string) {
	inner := vs.take()
	vs.close(s)
	for i := range inner {
		if vs.Full() {
			continue
		}
		v := inner[i]
		switch {
		case v.Pointer == "":
			v.Pointer = prefix
		case prefix != "":
			v.Pointer = vs.Text(prefix, v.Pointer)
		}
		vs.Add(v)
	}
}

// LeaveSensitive closes s like Leave and removes the values from its violations.
func (vs *List) LeaveSensitive(s Scope, at string) {
	for i := range vs.All() {
		v := &vs.list[vs.start+i]
		vs.text -= len(v.Got)
		v.Got, v.Closest = "", ""
	}
	vs.Leave(s, at)
}

// maxToken limits the bytes of a member's name in a pointer.
const maxToken = 256

// EscapePointer escapes one reference token (RFC 6901 section 3). A name of more than 256 bytes, which no schema declares, is cut and ends in "...".
func EscapePointer(token string) string {
	if len(token) > maxToken {
		token = clip(token, maxToken)
	}
	return Escape(token)
}

// Escape is [EscapePointer] for a name of any length.
func Escape(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	b := make([]byte, 0, len(name)+8)
	for i := range len(name) {
		switch c := name[i]; c {
		case '~':
			b = append(b, "~0"...)
		case '/':
			b = append(b, "~1"...)
		default:
			b = append(b, c)
		}
	}
	return string(b)
}
