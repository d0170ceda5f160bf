package importer

import "github.com/rpcgen-go/rpcgen/schema/ir"

// arrays is what a schema says of the lengths of arrays and of their elements.
type arrays struct {
	prefix    []cursor
	rest      cursor // without a position: anything
	low, high int    // a negative high means no end
}

// arraysOf reads a schema that takes nothing but arrays.
func (c *converter) arraysOf(s cursor) (a arrays, ok bool) {
	kinds := c.kindsOf(s)
	if len(kinds) != 1 || kinds[0] != "array" {
		return a, false
	}
	if a.prefix, a.rest = prefixOf(s); len(a.prefix) == 0 {
		if items, _ := s.get("items"); items.Kind != ir.Array {
			a.rest = items
		}
	}
	low, reason := countOf(s, "minItems", 0)
	high, other := countOf(s, "maxItems", -1)
	if reason+other != "" {
		low, high = 0, -1
	}
	if a.low, a.high = low, high; a.rest.Kind == ir.Boolean && a.rest.Text == "false" && (high < 0 || high > len(a.prefix)) {
		a.high = len(a.prefix)
	}
	return a, true
}

// at is the schema of the element at a place, if something is said of it.
func (a arrays) at(i int) (cursor, bool) {
	if i < len(a.prefix) {
		return a.prefix[i], true
	}
	return a.rest, a.rest.Pos.Valid()
}

// deepestElement is at how many places elements are compared.
const deepestElement = 16

// apart reports whether no array of at least so many elements fits both of two schemas, as far as their lengths and their elements show.
func (c *converter) apart(a, b cursor, least int) bool {
	x, ok := c.arraysOf(a)
	y, also := c.arraysOf(b)
	if !ok || !also {
		return false
	}
	least = max(least, x.low, y.low)
	if x.high >= 0 && least > x.high || y.high >= 0 && least > y.high {
		return true
	}
	if c.depth++; c.depth > deepestElement {
		c.depth--
		return false
	}
	defer func() { c.depth-- }()
	for i := range min(least, deepestElement) {
		p, ok := x.at(i)
		q, also := y.at(i)
		if ok && also && c.disjoint(p, q) {
			return true
		}
	}
	return false
}
