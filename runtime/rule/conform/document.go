package conform

import (
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/runtime/rule"
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
var kindNames = map[string]kind{"null": null, "boolean": boolean, "integer": integer, "number": number | integer, "string": text, "array": array, "object": object}

// document is a JSON text taken apart: its values in the order of the text, each before what lies in it. The name of a member stands before
// its value, as a text.
type document struct {
	source string
	tokens []token
	hashes []uint64 // of values, as far as they were asked for; nil before
}

// token is a value of a document, or the name of a member.
type token struct {
	start, end uint32 // in the source
	next       uint32 // the token after all that lies in it
	kind       kind
}

// parse takes a text apart, which is valid JSON.
func parse(source string) *document {
	d := new(document)
	d.parse(source)
	return d
}

// parse takes another text apart, in the memory of d.
func (d *document) parse(source string) {
	d.source, d.tokens, d.hashes = source, slices.Grow(d.tokens[:0], count(source)), nil
	p := parser{document: d}
	p.value()
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
		case !quoted && (c == ',' || c == ':' || c == '[' || c == '{'):
			n++
		}
	}
	return n
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
	me := len(p.tokens)
	p.tokens = append(p.tokens, token{start: uint32(p.at)})
	switch first {
	case '{', '[':
		p.tokens[me].kind = array
		if first == '{' {
			p.tokens[me].kind = object
		}
		p.at++
		for c := p.space(); c != 0 && c != '}' && c != ']'; c = p.space() {
			p.value()
		}
		p.at = min(p.at+1, len(p.source))
	case '"':
		p.tokens[me].kind = text
		for p.at++; p.at < len(p.source) && p.source[p.at] != '"'; p.at++ {
			if p.source[p.at] == '\\' {
				p.at++
			}
		}
		p.at = min(p.at+1, len(p.source))
	default:
		p.tokens[me].kind = p.scalar(first)
	}
	p.tokens[me].end, p.tokens[me].next = uint32(p.at), uint32(len(p.tokens))
}

func (p *parser) scalar(first byte) kind {
	start := p.at
	for p.at < len(p.source) && strings.IndexByte(" \t\r\n,:]}", p.source[p.at]) < 0 {
		p.at++
	}
	switch {
	case first == 'n' || first == 0:
		return null
	case first == 't' || first == 'f':
		return boolean
	case rule.IsMultiple(p.source[start:p.at], "1"):
		return integer
	}
	return number
}

// raw is the text of a value as it stands in the source.
func (d *document) raw(at int) string { return d.source[d.tokens[at].start:d.tokens[at].end] }

// text is what a text says.
func (d *document) text(at int) string {
	raw := d.raw(at)
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var s string
	if json.Unmarshal([]byte(raw), &s) != nil {
		return raw
	}
	return s
}

// children visits what lies in a list or an object: each element, or each value with the token of its name before it.
func (d *document) children(at int, visit func(index, name, value int)) {
	named := d.tokens[at].kind == object
	next, end := at+1, int(d.tokens[at].next)
	for index := 0; next < end; index++ {
		name := -1
		if named {
			name = next
			next++
		}
		visit(index, name, next)
		next = int(d.tokens[next].next)
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
	if d.hashes == nil {
		d.hashes = make([]uint64, len(d.tokens))
	}
	if d.hashes[at] == 0 {
		d.hashes[at] = max(1, d.hashOf(at))
	}
	return d.hashes[at]
}

func (d *document) hashOf(at int) uint64 {
	switch d.tokens[at].kind {
	case text:
		return maphash.String(seed, `"`+d.text(at))
	case integer, number:
		return maphash.String(seed, rule.CanonicalDecimal(d.raw(at)))
	case array:
		var h maphash.Hash
		h.SetSeed(seed)
		h.WriteByte('[')
		d.children(at, func(_, _, value int) { maphash.WriteComparable(&h, d.hash(value)) })
		return h.Sum64()
	case object:
		sum := maphash.String(seed, "{")
		d.children(at, func(_, name, value int) { sum += maphash.Comparable(seed, [2]uint64{d.hash(name), d.hash(value)}) })
		return sum
	}
	return maphash.String(seed, d.raw(at))
}
