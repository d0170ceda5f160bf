// Package rule holds the constraints that a schema puts on values, as functions that generated validators call, and the
// violations that they report. It knows no JSON: values are already decoded.
//
// Every check takes the list to report to, the pointer of the value relative to the value that is being checked, the value
// itself and its limits. A check that passes allocates nothing.
package rule

import (
	"strconv"
	"strings"
)

// MaxViolations is how many violations one check collects at most: enough for any honest mistake, too few to make a
// report the expensive part of a hostile message.
const MaxViolations = 256

// Violation is a value that breaks a rule of its schema.
type Violation struct {
	Pointer  string // RFC 6901 pointer from the checked value on; empty: the value itself
	Rule     string // the JSON Schema keyword that is broken, such as type, required, enum, minLength
	Expected string // what is allowed, for people
	Got      string // what was there, shortened; empty when it is sensitive or missing
	Closest  string // the valid key or value that is nearest to what was there; empty: none is near
}

// String formats v for people.
func (v Violation) String() string {
	var s strings.Builder
	if v.Pointer != "" {
		s.WriteString(v.Pointer)
		s.WriteString(": ")
	}
	s.WriteString(v.Rule)
	if v.Expected != "" {
		s.WriteString(": expected ")
		s.WriteString(v.Expected)
	}
	if v.Got != "" {
		s.WriteString(", got ")
		s.WriteString(v.Got)
	}
	if v.Closest != "" {
		s.WriteString(" (did you mean ")
		s.WriteString(strconv.Quote(v.Closest))
		s.WriteString("?)")
	}
	return s.String()
}

// maxText is how many bytes of text the violations that one check collects may hold in all, counting the parts that come from the
// checked value: pointers hold its member names. It bounds what a message of long names costs.
const maxText = 32 << 10

// Violations collects what is wrong with one value. The zero value is ready to use.
type Violations struct {
	list     []Violation
	dropped  int
	held     int      // violations in list and in the lists of the open scopes
	text     int      // bytes of text that they hold
	unusable []string // pointers of values that are missing or could not be read
	scopes   int      // how many are open
	closed   bool     // see Close
}

// Len returns how many violations are held.
func (vs *Violations) Len() int { return len(vs.list) }

// All returns the violations in the order they were found. The slice belongs to vs.
func (vs *Violations) All() []Violation { return vs.list }

// Dropped returns how many violations were found beyond [MaxViolations], or beyond 32 KiB of text. They were counted and not built, so a
// few of them may be of values that could not be read, which otherwise break no further rule.
func (vs *Violations) Dropped() int { return vs.dropped }

// Full reports whether no further violation is kept, and counts one more if so. Checks ask it before they build a violation, so that
// those beyond the limit cost nothing.
func (vs *Violations) Full() bool {
	if vs.held < MaxViolations && vs.text < maxText {
		return false
	}
	vs.Drop(1)
	return true
}

// Closed reports whether no further violation of a rule is kept: there is no room, or decoding ended before all values were known.
func (vs *Violations) Closed() bool { return vs.closed || vs.Full() }

// Close ends the checking of rules, because the values that follow were not decoded. What decoding itself finds is still kept.
func (vs *Violations) Close() { vs.closed = true }

// Drop counts n violations without building them.
func (vs *Violations) Drop(n int) { vs.dropped += n }

// Reset forgets everything that was found.
func (vs *Violations) Reset() { *vs = Violations{} }

// Add reports that a value breaks a rule, unless that value, or one that it lies in, is known to be unusable: what is missing or
// of the wrong type breaks no further rule.
func (vs *Violations) Add(v Violation) {
	if vs.closed {
		return
	}
	if vs.scopes == 0 {
		for _, p := range vs.unusable {
			if within(v.Pointer, p) {
				return
			}
		}
	}
	vs.AddFound(v)
}

// AddUnusable reports that a value is missing or could not be read.
func (vs *Violations) AddUnusable(v Violation) {
	if len(vs.unusable) < MaxViolations {
		vs.unusable = append(vs.unusable, v.Pointer)
	}
	vs.AddFound(v)
}

// AddFound reports what decoding has found of a value that it could read, such as too many elements.
func (vs *Violations) AddFound(v Violation) {
	if vs.Full() {
		return
	}
	vs.held++
	vs.text += v.size()
	vs.list = append(vs.list, v)
}

// size is how many bytes of v may come from the value that is checked.
func (v *Violation) size() int { return len(v.Pointer) + len(v.Got) }

// within reports whether pointer p is, or lies in, the value at q.
func within(p, q string) bool {
	return strings.HasPrefix(p, q) && (len(p) == len(q) || p[len(q)] == '/')
}

// Err returns nil when nothing was found, else an [*Error] that holds it all.
func (vs *Violations) Err() error {
	if len(vs.list) == 0 {
		return nil
	}
	return &Error{Violations: vs.list, Dropped: vs.dropped}
}

// Checker is a value that knows its rules; all generated types that have some are.
type Checker interface {
	CheckRules(vs *Violations)
}

// Validate returns the rules that v breaks as an [*Error], or nil.
func Validate(v Checker) error {
	var vs Violations
	v.CheckRules(&vs)
	return vs.Err()
}

// Error is the violations of one value, as an error.
type Error struct {
	Violations []Violation
	Dropped    int // how many more there were
}

// Error names the violations, one after the other.
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

// A Scope is a part of a value whose violations are being collected: it is opened before the part is checked, and closed
// with the pointer to the part, which then leads every pointer found in between. Nothing is built while all is well.
type Scope struct{ outer []Violation }

// Enter opens a scope.
func (vs *Violations) Enter() Scope {
	s := Scope{vs.list}
	vs.list = nil
	vs.scopes++
	return s
}

// Leave closes s, the part at the pointer at.
func (vs *Violations) Leave(s Scope, at string) {
	vs.scopes--
	if vs.list == nil {
		vs.list = s.outer
		return
	}
	vs.leave(s, at)
}

// abandon closes s and forgets what was found in it.
func (vs *Violations) abandon(s Scope) {
	for i := range vs.list {
		vs.held--
		vs.text -= vs.list[i].size()
	}
	vs.scopes--
	vs.list = s.outer
}

// leaveElement closes s, element i of the list at the pointer at.
func (vs *Violations) leaveElement(s Scope, at string, i int) {
	vs.scopes--
	if vs.list == nil {
		vs.list = s.outer
		return
	}
	vs.leave(s, at+"/"+strconv.Itoa(i))
}

func (vs *Violations) leave(s Scope, prefix string) {
	inner := vs.list
	vs.list = s.outer
	for i := range inner {
		vs.held--
		vs.text -= inner[i].size()
	}
	for _, v := range inner {
		if vs.Full() {
			continue
		}
		v.Pointer = prefix + v.Pointer
		vs.Add(v)
	}
}

// LeaveSensitive closes s like Leave and takes out of what was found what the values were.
func (vs *Violations) LeaveSensitive(s Scope, at string) {
	for i := range vs.list {
		vs.text -= len(vs.list[i].Got)
		vs.list[i].Got, vs.list[i].Closest = "", ""
	}
	vs.Leave(s, at)
}

// maxToken is how many bytes of a member's name a pointer holds.
const maxToken = 256

// EscapePointer escapes one reference token (RFC 6901 section 3). Of a name of more than 256 bytes, which no schema declares, it
// returns the beginning and "...".
func EscapePointer(token string) string {
	if len(token) > maxToken {
		token = clip(token, maxToken)
	}
	if !strings.ContainsAny(token, "~/") {
		return token
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// Shorten quotes s for a message; of more than 60 bytes it keeps the beginning and "...".
func Shorten(s string) string {
	const most = 60
	if len(s) > most {
		s = clip(s, most)
	}
	return strconv.Quote(s)
}

// clip returns the first n bytes of s, less the rest of a character that they end in, and "...".
func clip(s string, n int) string { return strings.ToValidUTF8(s[:n], "") + "..." }
