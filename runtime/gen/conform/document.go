package conform

import (
	"hash/maphash"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/gen/exact"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

// kind is the kind of a JSON value, a bit each. An integer is a number without a fraction, such as 1.0.
type kind uint8

const (
	null kind = 1 << iota
	boolean
	integer
	number
	text
	array
	object
)

// kindNames are the kinds as JSON Schema calls them.
var kindNames = map[string]kind{"null": null, "boolean": boolean, "integer": integer, "number": number | integer, "string": text, "array": array,
	"object": object}

// document is a JSON text taken apart: its values in the order of the text, each before what lies in it. The name of a member stands before
// its value, as a text. It takes 8 bytes of memory for each value, and 8 more if hashes are asked for: a value may be 2 bytes of text.
type document struct {
	source string
	tokens []token
	hashes []uint64 // of values, as far as they were asked for, else zero
}

// token is a value of a document, or the name of a member.
type token struct {
	start uint32 // in the source
	rest  uint32 // the index of the token after all that lies in it, and its kind in the low bits
}

// The kind is stored by the number of its bit.
const kindBits = 3

func (t token) kind() kind { return 1 << (t.rest & (1<<kindBits - 1)) }
func (t token) next() int  { return int(t.rest >> kindBits) }

// mostTokens is how many values a document may have: half a billion, more than a gigabyte of text.
const mostTokens = 1<<(32-kindBits) - 1

// parse takes a text apart, which is valid JSON. It reports whether that was possible; see mostTokens.
func (d *document) parse(source string) bool {
	n := count(source)
	if n > mostTokens || uint64(len(source)) > math.MaxUint32 {
		return false
	}
	d.source, d.tokens, d.hashes = source, slices.Grow(d.tokens[:0], n), d.hashes[:0]
	p := parser{document: d}
	p.value()
	return true
}

// count is at least the number of tokens in a text.
func count(source string) int {
	n, quoted := 1, false
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case !quoted && (c == ',' || c == ':' || (c == '[' || c == '{') && !empty(source, i)):
			n++
		}
	}
	return n
}

// empty reports whether the list or object at i ends at once.
func empty(source string, i int) bool {
	return i+1 < len(source) && (source[i+1] == ']' || source[i+1] == '}')
}

type parser struct {
	*document
	at int
}

// space skips white space and what separates values.
func (p *parser) space() byte {
	for p.at < len(p.source) && strings.IndexByte(" \t\r\n,:", p.source[p.at]) >= 0 {
		p.at++
	}
	if p.at == len(p.source) {
		return 0
	}
	return p.source[p.at]
}

func (p *parser) value() {
	first := p.space()
	me, of := len(p.tokens), text
	p.tokens = append(p.tokens, token{start: uint32(p.at)})
	switch first {
	case '{', '[':
		of = array
		if first == '{' {
			of = object
		}
		p.at++
		for c := p.space(); c != 0 && c != '}' && c != ']'; c = p.space() {
			p.value()
		}
		p.at = min(p.at+1, len(p.source))
	case '"':
		p.at = afterText(p.source, p.at)
	default:
		start := p.at
		p.at = afterScalar(p.source, p.at)
		of = scalarKind(p.source[start:p.at])
	}
	p.tokens[me].rest = uint32(len(p.tokens))<<kindBits | uint32(bits.TrailingZeros8(uint8(of)))
}

// afterText is the index after the text at i.
func afterText(source string, i int) int {
	for i++; i < len(source) && source[i] != '"'; i++ {
		if source[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(source))
}

// afterScalar is the index after the number or the word at i.
func afterScalar(source string, i int) int {
	for i < len(source) && strings.IndexByte(" \t\r\n,:]}", source[i]) < 0 {
		i++
	}
	return i
}

func scalarKind(s string) kind {
	switch {
	case s == "" || s[0] == 'n':
		return null
	case s[0] == 't' || s[0] == 'f':
		return boolean
	case exact.IsWhole(s):
		return integer
	}
	return number
}

// raw is the text of a scalar as it stands in the source.
func (d *document) raw(at int) string {
	i := int(d.tokens[at].start)
	if d.tokens[at].kind() == text {
		return d.source[i:afterText(d.source, i)]
	}
	return d.source[i:afterScalar(d.source, i)]
}

// head is the text of a list or an object as it stands in the source, or what of it is not longer than most bytes and a little.
func (d *document) head(at, most int) string {
	start, depth := int(d.tokens[at].start), 0
	i := start
	for i < len(d.source) && i-start <= most {
		switch d.source[i] {
		case '"':
			i = afterText(d.source, i)
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if i++; depth == 0 {
			break
		}
	}
	return d.source[start:i]
}

// text is what a text says.
func (d *document) text(at int) string {
	raw := d.raw(at)
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	s, _ := wire.PeekAt([]byte(raw)).Text()
	return s
}

// children visits what lies in a list or an object: each element, or each value with the token of its name before it.
func (d *document) children(at int, visit func(index, name, value int)) {
	named := d.tokens[at].kind() == object
	next, end := at+1, d.tokens[at].next()
	for index := 0; next < end; index++ {
		name := -1
		if named {
			name = next
			next++
		}
		visit(index, name, next)
		next = d.tokens[next].next()
	}
}

// length counts the elements or members of a value.
func (d *document) length(at int) int {
	n := 0
	d.children(at, func(int, int, int) { n++ })
	return n
}

// seed makes hashes that no peer can foresee: values with equal hashes are taken as equal.
var seed = maphash.MakeSeed()

// hash is the same for values that are equal as JSON Schema has it: numbers by their value, objects whatever the order of their members.
func (d *document) hash(at int) uint64 {
	if len(d.hashes) == 0 {
		d.hashes = slices.Grow(d.hashes, len(d.tokens))[:len(d.tokens)]
		clear(d.hashes)
	}
	if d.hashes[at] == 0 {
		d.hashes[at] = max(1, d.hashOf(at))
	}
	return d.hashes[at]
}

func (d *document) hashOf(at int) uint64 {
	sum := uint64(d.tokens[at].kind())
	switch d.tokens[at].kind() {
	case text:
		return join(sum, maphash.String(seed, d.text(at)))
	case integer, number:
		return exact.HashDecimal(seed, d.raw(at))
	case array:
		d.children(at, func(_, _, value int) { sum = join(sum, d.hash(value)) })
	case object:
		d.children(at, func(_, name, value int) { sum += join(d.hash(name), d.hash(value)) })
	default:
		return maphash.String(seed, d.raw(at))
	}
	return join(sum, uint64(d.tokens[at].kind()))
}

// join hashes two hashes, whose order counts.
func join(a, b uint64) uint64 { return maphash.Comparable(seed, [2]uint64{a, b}) }
