package backend

import (
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// pairs is the text of a query or a form.
type pairs struct {
	b    []byte
	form bool // spaces are written as + (application/x-www-form-urlencoded), and not as %20
}

// escape appends a name or value, of which only unreserved characters (RFC 3986 section 2.3) stay as they are.
func (p *pairs) escape(s string) {
	const digits = "0123456789ABCDEF"
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_', c == '~':
			p.b = append(p.b, c)
		case c == ' ' && p.form:
			p.b = append(p.b, '+')
		default:
			p.b = append(p.b, '%', digits[c>>4], digits[c&15])
		}
	}
}

// pair adds a pair. The name is a name with suffixes in brackets, which are escaped already.
func (p *pairs) pair(name, value string) {
	p.key(name)
	p.escape(value)
}

func (p *pairs) key(name string) {
	if len(p.b) > 0 {
		p.b = append(p.b, '&')
	}
	p.b = append(append(p.b, name...), '=')
}

// escapeName is a name of its own, escaped.
func (p *pairs) escapeName(name string) string {
	inner := pairs{form: p.form}
	inner.escape(name)
	return string(inner.b)
}

// scalar is the text of a string, a number or a boolean.
func scalar(v wire.Peek) (string, bool) {
	switch v.Kind() {
	case wire.Object, wire.Array, wire.Null, wire.Invalid:
		return "", false
	}
	return plainText(v), true
}

// nestName is the name of a member at a path, escaped: a[b][c].
func (p *pairs) nestName(path []string) string {
	name := p.escapeName(path[0])
	for _, s := range path[1:] {
		name += "[" + p.escapeName(s) + "]"
	}
	return name
}

// value adds a value in a style under an escaped name. It reports false for values that have no form in it.
func (p *pairs) value(name string, v wire.Peek, style string) bool {
	if style == "json" {
		p.pair(name, string(v.JSON()))
		return true
	}
	if text, ok := scalar(v); ok {
		p.pair(name, text)
		return true
	}
	switch {
	case v.Kind() == wire.Object:
		return p.deep(name, v, style == "deep-index")
	case v.Kind() != wire.Array:
		return false
	case style == "deep" || style == "deep-index":
		return p.deep(name, v, style == "deep-index")
	case style == "comma":
		texts, ok := scalars(v)
		if !ok {
			return false
		}
		p.key(name)
		for i, text := range texts {
			if i > 0 {
				p.b = append(p.b, ',')
			}
			p.escape(text)
		}
		return true
	}
	texts, ok := scalars(v)
	for _, text := range texts {
		p.pair(name, text)
	}
	return ok
}

// deep adds an object or a list in brackets: a[b]=1, lists of scalars a[]=1, lists of others a[0][b]=1.
func (p *pairs) deep(name string, v wire.Peek, indexed bool) bool {
	if text, ok := scalar(v); ok {
		p.pair(name, text)
		return true
	}
	switch v.Kind() {
	case wire.Object:
		for member, value := range v.Members() {
			if !p.deep(name+"["+p.escapeName(member)+"]", value, indexed) {
				return false
			}
		}
		return true
	case wire.Array:
		_, plain := scalars(v)
		i := 0
		for e := range v.Elements() {
			index := ""
			if indexed || !plain {
				index = strconv.Itoa(i)
			}
			if !p.deep(name+"["+index+"]", e, indexed) {
				return false
			}
			i++
		}
		return true
	}
	return false
}

// scalars returns the texts of the elements of a list; it reports false if one is not a scalar.
func scalars(v wire.Peek) ([]string, bool) {
	var all []string
	for e := range v.Elements() {
		text, ok := scalar(e)
		if !ok {
			return nil, false
		}
		all = append(all, text)
	}
	return all, true
}

// escapeSegment appends a part of a path segment: everything but unreserved characters is escaped, / and % among them.
func escapeSegment(b []byte, s string) []byte {
	p := pairs{b: b}
	p.escape(s)
	return p.b
}

// headerText returns what is wrong with the value of a header (RFC 9110 section 5.5), or "".
func headerText(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return "text without control characters"
	}
	if s != strings.TrimSpace(s) {
		return "text without space around it"
	}
	return ""
}
