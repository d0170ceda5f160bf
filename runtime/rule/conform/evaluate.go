package conform

import (
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
)

// evaluation is the check of one document. Without vs it only finds out whether the document fits.
type evaluation struct {
	*document
	vs     *rule.Violations
	at     string
	tracks bool // it matters what was looked at
	known  map[visit]verdict
}

// visit is a schema that is referred to, at a value. What it comes to is found out once, so that references cannot multiply the work.
type visit struct {
	of *node
	at int
}

type verdict struct {
	ok   bool
	seen seen
}

// seen are the elements or members of a value that some schema has looked at, by their indices; nil where that does not matter.
type seen map[int]bool

func (s seen) mark(index int) {
	if s != nil {
		s[index] = true
	}
}

func (s seen) add(other seen) {
	if s != nil {
		maps.Copy(s, other)
	}
}

// place is where a value lies; nil where nothing is reported, because another schema may take the value.
type place struct {
	up   *place
	step string
}

func (p *place) pointer() string {
	if p.up == nil {
		return ""
	}
	return p.up.pointer() + "/" + strings.ReplaceAll(strings.ReplaceAll(p.step, "~", "~0"), "/", "~1")
}

// into is the place of a part.
func (p *place) into(step string) *place {
	if p == nil {
		return nil
	}
	return &place{p, step}
}

// fail reports that a value breaks a keyword.
func (e *evaluation) fail(at int, where *place, keyword, expected string) bool {
	if where != nil && !e.vs.Closed() {
		e.vs.Add(rule.Violation{Pointer: e.at + where.pointer(), Rule: keyword, Expected: expected, Got: e.shown(at)})
	}
	return false
}

// longestShown is how many bytes of a value are reported.
const longestShown = 64

// shown is the text of a value, shortened.
func (e *evaluation) shown(at int) string {
	if e.tokens[at].kind == text {
		return rule.Shorten(e.text(at))
	}
	raw := e.raw(at)
	if len(raw) <= longestShown {
		return raw
	}
	return strings.ToValidUTF8(raw[:longestShown], "") + "..."
}

// value reports whether a value fits a schema, and what of it was looked at.
func (e *evaluation) value(n *node, at int, where *place) (bool, seen) {
	var own seen
	if e.tracks && e.tokens[at].kind&(array|object) != 0 {
		own = seen{}
	}
	ok := e.scalar(n, at, where)
	ok = e.references(n, at, where, own) && ok
	ok = e.combined(n, at, where, own) && ok
	switch e.tokens[at].kind {
	case array:
		ok = e.array(n, at, where, own) && ok
	case object:
		ok = e.object(n, at, where, own) && ok
	}
	return ok, own
}

// apply evaluates a schema at the same value; what it looked at counts only where it fits.
func (e *evaluation) apply(n *node, at int, where *place, own seen) bool {
	ok, saw := e.value(n, at, where)
	if ok {
		own.add(saw)
	}
	return ok
}

// references evaluates $ref. A schema that comes back to itself at the same value asks for nothing more.
func (e *evaluation) references(n *node, at int, where *place, own seen) bool {
	if n.ref == nil {
		return true
	}
	key := visit{n.ref, at}
	v, ok := e.known[key]
	if !ok {
		e.known[key] = verdict{ok: true}
		v.ok, v.seen = e.value(n.ref, at, where)
		if t := e.tokens[at]; t.kind&(array|object) != 0 && int(t.next) > at+1 {
			e.known[key] = v
		} else {
			delete(e.known, key) // what is small is evaluated again: it costs less than to remember it
		}
	}
	if v.ok {
		own.add(v.seen)
	}
	return v.ok
}

// scalar evaluates the keywords on the value itself.
func (e *evaluation) scalar(n *node, at int, where *place) bool {
	k := e.tokens[at].kind
	switch {
	case n.never:
		return e.fail(at, where, "not", "nothing")
	case n.kinds != 0 && n.kinds&k == 0:
		return e.fail(at, where, "type", n.kinds.String())
	}
	ok := true
	if n.constant != nil && !n.constant[e.hash(at)] {
		ok = e.fail(at, where, "const", "the constant")
	}
	if n.enum != nil && !n.enum[e.hash(at)] {
		ok = e.fail(at, where, "enum", "one of the listed values")
	}
	switch k {
	case integer, number:
		for _, l := range n.numbers {
			if !l.holds(e.raw(at)) {
				ok = e.fail(at, where, l.keyword, l.bound)
			}
		}
	case text:
		ok = e.characters(n, at, where) && ok
	case array:
		ok = e.counted(n.counts, e.length, at, where) && ok
	case object:
		ok = e.counted(n.sizes, e.length, at, where) && ok
	}
	return ok
}

func (e *evaluation) characters(n *node, at int, where *place) bool {
	if len(n.lengths) == 0 && n.pattern == nil {
		return true
	}
	s := e.text(at)
	ok := e.counted(n.lengths, func(int) int { return utf8.RuneCountInString(s) }, at, where)
	if n.pattern != nil && !n.pattern.MatchString(s) {
		ok = e.fail(at, where, "pattern", "a match of "+n.pattern.String())
	}
	return ok
}

// counted evaluates limits on a number that belongs to a value.
func (e *evaluation) counted(limits []limit, of func(int) int, at int, where *place) bool {
	if len(limits) == 0 {
		return true
	}
	ok, n := true, strconv.Itoa(of(at))
	for _, l := range limits {
		if !l.holds(n) {
			ok = e.fail(at, where, l.keyword, l.bound)
		}
	}
	return ok
}

// holds reports whether a number, given as its text, keeps a limit.
func (l limit) holds(n string) bool {
	switch {
	case l.keyword == "multipleOf":
		return rule.IsMultiple(n, l.bound)
	case l.keyword == "exclusiveMinimum":
		return rule.CompareDecimal(n, l.bound) > 0
	case l.keyword == "exclusiveMaximum":
		return rule.CompareDecimal(n, l.bound) < 0
	case strings.HasPrefix(l.keyword, "min"):
		return rule.CompareDecimal(n, l.bound) >= 0
	}
	return rule.CompareDecimal(n, l.bound) <= 0
}

// combined evaluates the keywords that apply schemas to the same value.
func (e *evaluation) combined(n *node, at int, where *place, own seen) bool {
	ok := true
	for _, s := range n.all {
		ok = e.apply(s, at, where, own) && ok
	}
	if n.any != nil && e.fitting(n.any, at, own) == 0 {
		ok = e.fail(at, where, "anyOf", "a value that fits one of "+strconv.Itoa(len(n.any))+" schemas")
	}
	if n.one != nil {
		if fits := e.fitting(n.one, at, own); fits != 1 {
			ok = e.fail(at, where, "oneOf", "a value that fits exactly one of "+strconv.Itoa(len(n.one))+" schemas, not "+strconv.Itoa(fits))
		}
	}
	if n.not != nil && e.apply(n.not, at, nil, nil) {
		ok = e.fail(at, where, "not", "a value that does not fit a schema")
	}
	if n.condition != nil {
		next := n.otherwise
		if e.apply(n.condition, at, nil, own) {
			next = n.then
		}
		if next != nil {
			ok = e.apply(next, at, where, own) && ok
		}
	}
	return ok
}

// fitting counts the schemas that a value fits.
func (e *evaluation) fitting(all []*node, at int, own seen) int {
	fits := 0
	for _, s := range all {
		if e.apply(s, at, nil, own) {
			fits++
		}
	}
	return fits
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
