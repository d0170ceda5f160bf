package conform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/runtime/gen/exact"
	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// evaluation is the check of one document, in up to two passes: a silent one finds out whether the document fits, and one that is loud
// reports what does not. Its tables grow with the document and are used again for the next one.
type evaluation struct {
	*document
	vs   *violation.List
	at   string
	path []step // to the value that a loud evaluation is at

	marks    []uint64 // the sets that are in use, one after the other; see set
	elements []uint64 // hashes of the elements of one list
	targets  []target // by the ids of the schemas that are referred to
	kept     []uint64 // the sets that targets refer to
}

// target is what is known about a schema that is referred to, so that references cannot multiply the work: what each value comes to is
// found out once, and once more to report it.
type target struct {
	verdicts []verdict // of the values; empty until one is asked for
	saw      []uint32  // where in kept the set begins of what was looked at in a value that fits, plus 1; empty until it matters
}

// step leads to a part of a value.
type step struct{ index, name int } // the token of the name of a member; unnamed for an element

const unnamed = -1

// verdict is what a value comes to, as bits.
type verdict byte

const (
	open     verdict = 1 << iota // it is being found out
	known                        // it was found out
	fits                         // the value fits
	reported                     // what does not fit was reported
)

// set is a set of small numbers: where its bits begin in evaluation.marks, or untracked. Sets are a stack.
type set int

const untracked set = -1

// push begins a set of numbers less than n.
func (e *evaluation) push(n int) set {
	begin := len(e.marks)
	e.marks = slices.Grow(e.marks, words(n))[:begin+words(n)]
	clear(e.marks[begin:])
	return set(begin)
}

// words is how many words hold a set of numbers less than n.
func words(n int) int { return (n + 63) / 64 }

// pop ends a set, and those that were begun after it.
func (e *evaluation) pop(s set) { e.marks = e.marks[:s] }

func (e *evaluation) mark(s set, i int) {
	if s != untracked {
		e.marks[int(s)+i/64] |= 1 << (i % 64)
	}
}

func (e *evaluation) marked(s set, i int) bool {
	return s != untracked && e.marks[int(s)+i/64]>>(i%64)&1 == 1
}

// pointer is where a loud evaluation is.
func (e *evaluation) pointer() string {
	at := []byte(e.at)
	for _, s := range e.path {
		at = append(at, '/')
		if s.name == unnamed {
			at = strconv.AppendInt(at, int64(s.index), 10)
		} else {
			at = append(at, violation.EscapePointer(e.text(s.name))...)
		}
	}
	return string(at)
}

// fail reports that a value breaks a keyword.
func (e *evaluation) fail(at int, loud bool, keyword, expected string) bool {
	return e.failing(at, loud, keyword, func() string { return expected })
}

// failing is fail for a text that takes work, which is done only when it is reported.
func (e *evaluation) failing(at int, loud bool, keyword string, expected func() string) bool {
	if loud && !e.vs.Closed() {
		e.vs.Add(violation.Violation{Pointer: e.pointer(), Rule: keyword, Expected: expected(), Got: e.excerpt(at)})
	}
	return false
}

// longestShown is how many bytes of a value are reported.
const longestShown = 64

// excerpt is the text of a value, shortened.
func (e *evaluation) excerpt(at int) string {
	var raw string
	switch e.tokens[at].kind() {
	case text:
		return violation.Shorten(e.text(at))
	case array, object:
		raw = e.head(at, longestShown)
	default:
		raw = e.raw(at)
	}
	if len(raw) <= longestShown {
		return raw
	}
	return strings.ToValidUTF8(raw[:longestShown], "") + "..."
}

// part evaluates a schema at a part of the value.
func (e *evaluation) part(n *node, at int, s step, loud bool) bool {
	if !loud {
		return e.value(n, at, false, untracked)
	}
	e.path = append(e.path, s)
	ok := e.value(n, at, true, untracked)
	e.path = e.path[:len(e.path)-1]
	return ok
}

// same evaluates a schema at the same value; what it looked at counts only where it fits.
func (e *evaluation) same(n *node, at int, loud bool, own set) bool {
	if own == untracked {
		return e.value(n, at, loud, untracked)
	}
	mine := e.push(e.length(at))
	defer e.pop(mine)
	ok := e.value(n, at, loud, mine)
	if ok {
		e.join(own, e.marks[mine:])
	}
	return ok
}

// join adds the numbers of another set, given by its words.
func (e *evaluation) join(s set, words []uint64) {
	for i, word := range words {
		e.marks[int(s)+i] |= word
	}
}

// value reports whether a value fits a schema. What of it was looked at goes into own, which the keywords on the rest need.
func (e *evaluation) value(n *node, at int, loud bool, own set) bool {
	if own == untracked && (n.restItems != nil || n.restOwn != nil) {
		own = e.push(e.length(at))
		defer e.pop(own)
	}
	ok := e.scalar(n, at, loud)
	ok = e.references(n, at, loud, own) && ok
	ok = e.combined(n, at, loud, own) && ok
	switch e.tokens[at].kind() {
	case array:
		ok = e.array(n, at, loud, own) && ok
	case object:
		ok = e.object(n, at, loud, own) && ok
	}
	return ok
}

// references evaluates $ref. A schema that comes back to itself at the same value asks for nothing more.
func (e *evaluation) references(n *node, at int, loud bool, own set) bool {
	if n.ref == nil {
		return true
	}
	t := &e.targets[n.ref.id]
	t.verdicts = table(t.verdicts, len(e.tokens))
	switch v := t.verdicts[at]; {
	case v&open != 0:
		return true
	case v&known == 0, v&fits == 0 && loud && v&reported == 0:
	case v&fits == 0:
		return false
	case own == untracked:
		return true
	case len(t.saw) > 0 && t.saw[at] != 0:
		e.join(own, e.kept[t.saw[at]-1:][:words(e.length(at))])
		return true
	}
	return e.follow(n.ref, at, loud, own)
}

// follow evaluates a schema that is referred to, and keeps what comes of it.
func (e *evaluation) follow(n *node, at int, loud bool, own set) bool {
	t := &e.targets[n.id]
	t.verdicts[at] |= open
	saw := untracked
	if own != untracked {
		saw = e.push(e.length(at))
		defer e.pop(saw)
	}
	if !e.value(n, at, loud, saw) {
		t.verdicts[at] = known
		if loud {
			t.verdicts[at] |= reported
		}
		return false
	}
	t.verdicts[at] = known | fits
	if own != untracked {
		t.saw = table(t.saw, len(e.tokens))
		t.saw[at] = uint32(len(e.kept) + 1)
		e.kept = append(e.kept, e.marks[saw:]...)
		e.join(own, e.marks[saw:])
	}
	return true
}

// table is t with n elements, which are zero at first.
func table[T any](t []T, n int) []T {
	if len(t) > 0 {
		return t
	}
	t = slices.Grow(t, n)[:n]
	clear(t)
	return t
}

// scalar evaluates the keywords on the value itself.
func (e *evaluation) scalar(n *node, at int, loud bool) bool {
	k := e.tokens[at].kind()
	switch {
	case n.never:
		return e.fail(at, loud, "not", "nothing")
	case n.kinds != 0 && n.kinds&k == 0:
		return e.failing(at, loud, "type", n.kinds.String)
	}
	ok := true
	if n.constant != nil && !n.constant[e.hash(at)] {
		ok = e.fail(at, loud, "const", "the constant")
	}
	if n.enum != nil && !n.enum[e.hash(at)] {
		ok = e.fail(at, loud, "enum", "one of the listed values")
	}
	switch k {
	case integer, number:
		for _, l := range n.numbers {
			if !l.holds(e.raw(at)) {
				ok = e.fail(at, loud, l.keyword, l.bound)
			}
		}
	case text:
		ok = e.characters(n, at, loud) && ok
	case array:
		ok = e.counted(n.counts, e.length, at, loud) && ok
	case object:
		ok = e.counted(n.sizes, e.length, at, loud) && ok
	}
	return ok
}

func (e *evaluation) characters(n *node, at int, loud bool) bool {
	if len(n.lengths) == 0 && n.pattern == nil {
		return true
	}
	s := e.text(at)
	ok := e.counted(n.lengths, func(int) int { return utf8.RuneCountInString(s) }, at, loud)
	if n.pattern != nil && !n.pattern.MatchString(s) {
		ok = e.failing(at, loud, "pattern", func() string { return "a match of " + n.pattern.String() })
	}
	return ok
}

// counted evaluates limits on a number that belongs to a value.
func (e *evaluation) counted(limits []limit, of func(int) int, at int, loud bool) bool {
	if len(limits) == 0 {
		return true
	}
	ok, n := true, strconv.Itoa(of(at))
	for _, l := range limits {
		if !l.holds(n) {
			ok = e.fail(at, loud, l.keyword, l.bound)
		}
	}
	return ok
}

// holds reports whether a number, given as its text, keeps a limit.
func (l limit) holds(n string) bool {
	switch {
	case l.keyword == "multipleOf":
		return exact.IsMultiple(n, l.bound)
	case l.keyword == "exclusiveMinimum":
		return wire.CompareDecimal(n, l.bound) > 0
	case l.keyword == "exclusiveMaximum":
		return wire.CompareDecimal(n, l.bound) < 0
	case strings.HasPrefix(l.keyword, "min"):
		return wire.CompareDecimal(n, l.bound) >= 0
	}
	return wire.CompareDecimal(n, l.bound) <= 0
}

// combined evaluates the keywords that apply schemas to the same value.
func (e *evaluation) combined(n *node, at int, loud bool, own set) bool {
	ok := true
	for _, s := range n.all {
		ok = e.same(s, at, loud, own) && ok
	}
	if n.any != nil && e.countFits(n.any, at, own) == 0 {
		ok = e.failing(at, loud, "anyOf", func() string {
			return fmt.Sprintf("a value that fits one of %d schemas%s", len(n.any), decisionMembers(n.any...))
		})
	}
	if n.one != nil {
		if fits := e.countFits(n.one, at, own); fits != 1 {
			ok = e.failing(at, loud, "oneOf", func() string {
				return fmt.Sprintf("a value that fits exactly one of %d schemas, not %d%s", len(n.one), fits, decisionMembers(n.one...))
			})
		}
	}
	if n.not != nil && e.same(n.not, at, false, untracked) {
		ok = e.failing(at, loud, "not", func() string { return "a value that does not fit a schema" + decisionMembers(n.not) })
	}
	if n.condition != nil {
		next := n.otherwise
		if e.same(n.condition, at, false, own) {
			next = n.then
		}
		if next != nil {
			ok = e.same(next, at, loud, own) && ok
		}
	}
	return ok
}

// decisionMembers names the members that schemas ask for or exclude, such as those of which a value may have one.
func decisionMembers(all ...*node) string {
	const most = 12
	var names []string
	for left := 4 * most; len(all) > 0 && left > 0; left-- {
		n := all[0]
		for _, name := range n.required {
			if shown := violation.Shorten(name); len(names) <= most && !slices.Contains(names, shown) {
				names = append(names, shown)
			}
		}
		all = slices.DeleteFunc(slices.Concat(all[1:], n.all, n.any, n.one, []*node{n.not, n.ref}), func(n *node) bool { return n == nil })
	}
	if len(names) == 0 || len(names) > most {
		return ""
	}
	return "; it depends on which of the members " + strings.Join(names, ", ") + " are there"
}

// countFits counts the schemas that a value fits.
func (e *evaluation) countFits(all []*node, at int, own set) int {
	n := 0
	for _, s := range all {
		if e.same(s, at, false, own) {
			n++
		}
	}
	return n
}

// String names kinds for people.
func (k kind) String() string {
	var names []string
	for _, name := range []string{"null", "boolean", "integer", "number", "string", "array", "object"} {
		if is := kindNames[name]; k&is == is && (name != "integer" || k&number == 0) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}
