package compact

import (
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// The methods in this file take one member of a [Walked]. The key is the name as a JSON string, which
// has no escapes, after a comma and before a colon. They are not inlined, because that takes the
// compiler longer. Those that return w are followed by the rules of the member.

// Presence says whether a member must be there.
type Presence bool

// The values of Presence.
const (
	Optional Presence = false
	Required Presence = true
)

// Step is what is to be done with a member.
type Step uint8

// The steps.
const (
	StepNone  Step = iota
	StepRead       // read the value from [Walker.Reader]
	StepWrite      // append the value to [Walker.Buffer]
	StepCheck      // report to [Walker.Violations] the rules that the value breaks
	StepReset      // set the zero value or the default: the member was not read
)

// Member returns what is to be done with a member of any type. It is there is whether it is written
// and checked.
//
//go:noinline
func (w *Walker) Member(key string, required Presence, isThere bool) Step {
	n := w.n
	w.n++
	switch w.mode {
	case reading:
		if w.r.Key(&w.o, n, key[1:]) {
			return StepRead
		}
	case finishing:
		if w.unread(n, required) {
			return StepReset
		}
	case listing:
		w.note(n, key, required)
	case writing:
		if isThere {
			w.b = append(w.b, key...)
			return StepWrite
		}
	default:
		if w.key, w.there = key, isThere; isThere {
			return StepCheck
		}
	}
	return StepNone
}

// unread reports whether member n was not read, and notes that a required one was not.
func (w *Walker) unread(n int, required Presence) bool {
	if w.o.Has(n) {
		return false
	}
	w.lacks = w.lacks || required == Required
	return true
}

// Reader returns the reader of the value to [StepRead].
func (w *Walker) Reader() *wire.Reader { return w.r }

// Buffer returns the buffer to [StepWrite] the value to. Pass the extended buffer to [Walker.Wrote].
func (w *Walker) Buffer() []byte { return w.b }

// Wrote takes the buffer with the value that was appended.
func (w *Walker) Wrote(b []byte) { w.b = b }

// Violations returns the list to report to while members are checked, otherwise nil.
func (w *Walker) Violations() *rule.Violations { return w.vs }

// Reject ends a round over an object that allows no other members, see [wire.Reader.Reject].
func (w *Walker) Reject(names string) {
	if w.mode == reading {
		w.r.Reject(&w.o, names)
	}
}

// Unknown ends a round over an object that ignores unknown members, see [wire.Reader.Unknown].
func (w *Walker) Unknown(names string) {
	if w.mode == reading {
		w.r.Unknown(&w.o, names)
	}
}

// String takes a required string.
//
//go:noinline
func (w *Walker) String(v *string, key string) *Walker {
	n := w.n
	w.n++
	switch w.mode {
	case reading:
		w.r.KeyString(&w.o, n, key[1:], v)
	case finishing:
		if w.unread(n, Required) {
			*v = ""
		}
	case listing:
		w.note(n, key, Required)
	case writing:
		w.b = wire.AppendMemberString(w.b, key, *v)
	default:
		w.key, w.there, w.text = key, true, *v
	}
	return w
}

// Bool takes a required boolean.
//
//go:noinline
func (w *Walker) Bool(v *bool, key string) *Walker {
	n := w.n
	w.n++
	switch w.mode {
	case reading:
		w.r.KeyBool(&w.o, n, key[1:], v)
	case finishing:
		if w.unread(n, Required) {
			*v = false
		}
	case listing:
		w.note(n, key, Required)
	case writing:
		w.b = wire.AppendMemberBool(w.b, key, *v)
	}
	return w
}

// Int64 takes a required integer.
//
//go:noinline
func (w *Walker) Int64(v *int64, key string) *Walker {
	n := w.n
	w.n++
	switch w.mode {
	case reading:
		w.r.KeyInt64(&w.o, n, key[1:], v)
	case finishing:
		if w.unread(n, Required) {
			*v = 0
		}
	case listing:
		w.note(n, key, Required)
	case writing:
		w.b = wire.AppendMemberInt(w.b, key, *v)
	default:
		w.key, w.there, w.number = key, true, *v
	}
	return w
}

// Int32 takes a required integer of 32 bits.
//
//go:noinline
func (w *Walker) Int32(v *int32, key string) *Walker {
	n := w.n
	w.n++
	switch w.mode {
	case reading:
		w.r.KeyInt32(&w.o, n, key[1:], v)
	case finishing:
		if w.unread(n, Required) {
			*v = 0
		}
	case listing:
		w.note(n, key, Required)
	case writing:
		w.b = wire.AppendMemberInt(w.b, key, int64(*v))
	default:
		w.key, w.there, w.number = key, true, int64(*v)
	}
	return w
}

// Float64 takes a required number.
//
//go:noinline
func (w *Walker) Float64(v *float64, key string) *Walker {
	n := w.n
	w.n++
	switch w.mode {
	case reading:
		w.r.KeyFloat64(&w.o, n, key[1:], v)
	case finishing:
		if w.unread(n, Required) {
			*v = 0
		}
	case listing:
		w.note(n, key, Required)
	case writing:
		w.b = wire.AppendMemberFloat(w.b, key, *v)
	}
	return w
}

// Choice takes a required string of an enumeration. The argument names holds its values,
// newline-separated.
//
//go:noinline
func (w *Walker) Choice(v *string, key, names string) {
	if w.mode != checking {
		w.String(v, key)
		return
	}
	w.checkListed(*v, key, names)
}

// ChoiceOr takes a string of an enumeration that has no empty string. If it is absent it is standard,
// and if it is empty it is not written.
//
//go:noinline
func (w *Walker) ChoiceOr(v *string, key, names, standard string) {
	switch w.Member(key, Optional, *v != "") {
	case StepRead:
		if *v = w.r.String(); *v == "" {
			w.r.Unset("enum", "one of "+strings.ReplaceAll(names, "\n", ", "))
		}
	case StepWrite:
		w.b = wire.AppendString(w.b, *v)
	case StepCheck:
		w.checkListed(*v, key, names)
	case StepReset:
		*v = standard
	}
}

// checkListed checks a value of an enumeration, see [rule.Listed].
func (w *Walker) checkListed(v, key, names string) {
	if rule.Lists(names, v) {
		return
	}
	p := pass{phase: ends, in: w.vs.Enter(), key: key}
	rule.Enum(w.vs, "", v, names)
	w.end(&p)
}

// Const takes a member whose only value has the given canonical JSON.
//
//go:noinline
func (w *Walker) Const(key, text string, required Presence) {
	switch w.Member(key, required, true) {
	case StepRead:
		w.r.Const(text)
	case StepWrite:
		w.b = append(w.b, text...)
	}
}

// SetText sets the string that the next rules are about.
func (w *Walker) SetText(s string) { w.text = s }

// SetNumber sets the integer that the next rules are about.
func (w *Walker) SetNumber(n int64) { w.number = n }

// checks reports whether rules of the last member are checked.
func (w *Walker) checks() bool { return w.mode == checking && w.there }

// Length checks the string that was taken last, see [rule.Length].
//
//go:noinline
func (w *Walker) Length(min, max int) *Walker {
	if w.checks() && (len(w.text) < 4*min || uint(len(w.text)) > uint(max)) {
		if n := utf8.RuneCountInString(w.text); n < min || max >= 0 && n > max {
			rule.Length(w.vs, pointerTo(w.key), w.text, min, max)
		}
	}
	return w
}

// Min checks that the integer that was taken last is at least min, see [rule.Min].
//
//go:noinline
func (w *Walker) Min(min int64) *Walker {
	if w.checks() && w.number < min {
		rule.Min(w.vs, pointerTo(w.key), w.number, min)
	}
	return w
}

// Max checks that the integer that was taken last is at most max, see [rule.Max].
//
//go:noinline
func (w *Walker) Max(max int64) *Walker {
	if w.checks() && w.number > max {
		rule.Max(w.vs, pointerTo(w.key), w.number, max)
	}
	return w
}
