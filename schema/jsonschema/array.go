package jsonschema

import (
	"slices"
	"strconv"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// impliedByArray reports whether every value of a list or a tuple meets a condition. An element that is missing meets all.
func impliedByArray(c condition, t ir.Type, within []ir.Type) bool {
	if len(c.in) > 0 {
		at := c.in[0]
		c.in = c.in[1:]
		of := ir.ElementAt(t, at.index)
		return at.element && (of == nil || implies(c, of, within))
	}
	low, high := ir.Lengths(t, nil)
	switch c.sees {
	case seesKind:
		return slices.Contains(c.kinds, ir.Array)
	case seesLength:
		return low >= c.low && (c.high < 0 || high >= 0 && high <= c.high)
	}
	return false
}

// element is the schema of one element of the arrays that s takes.
func (e *exporter) element(s *object, i int) *object {
	key := "prefixItems"
	if e.Draft == Draft7 {
		key = "items"
	}
	all, _ := s.get(key).(list)
	for len(all) <= i {
		all = append(all, new(object))
	}
	s.set(key, all)
	return all[i].(*object)
}

// narrowCount sets a count of elements, unless one is there that is stricter; inward is the direction that is.
func narrowCount(s *object, key string, n int, there bool, inward int) {
	if before, ok := s.get(key).(raw); ok {
		was, _ := strconv.Atoi(string(before))
		there = there && (n-was)*inward > 0
	}
	if there {
		s.set(key, integer(n))
	}
}
