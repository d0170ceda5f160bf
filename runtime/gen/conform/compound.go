package conform

import (
	"slices"
	"strconv"
)

// array evaluates the keywords on elements.
func (e *evaluation) array(n *node, at int, loud bool, own set) bool {
	ok, fits := true, 0
	e.children(at, func(index, _, value int) {
		of := n.items
		if index < len(n.prefix) {
			of = n.prefix[index]
		}
		if of != nil {
			e.mark(own, index)
			ok = e.part(of, value, step{index, unnamed}, loud) && ok
		}
		if n.contains != nil && e.value(n.contains, value, false, untracked) {
			e.mark(own, index)
			fits++
		}
	})
	if n.unique && !e.distinct(at) {
		ok = e.fail(at, loud, "uniqueItems", "elements that differ")
	}
	if n.contains != nil && (fits < n.least || n.most >= 0 && fits > n.most) {
		ok = e.failing(at, loud, "contains", func() string {
			return "elements that fit a schema, in another number than " + strconv.Itoa(fits)
		})
	}
	return e.rest(n.restItems, at, loud, own) && ok
}

// distinct reports whether the elements of a list differ.
func (e *evaluation) distinct(at int) bool {
	e.elements = slices.Grow(e.elements[:0], e.length(at))
	e.children(at, func(_, _, value int) { e.elements = append(e.elements, e.hash(value)) })
	slices.Sort(e.elements)
	for i := 1; i < len(e.elements); i++ {
		if e.elements[i] == e.elements[i-1] {
			return false
		}
	}
	return true
}

// object evaluates the keywords on members.
func (e *evaluation) object(n *node, at int, loud bool, own set) bool {
	ok, there := true, e.push(len(n.asked))
	defer e.pop(there)
	e.children(at, func(index, name, value int) {
		key := e.text(name)
		if number, asked := n.asked[key]; asked {
			e.mark(there, number)
		}
		if n.names != nil && !e.value(n.names, name, false, untracked) {
			ok = e.fail(name, loud, "propertyNames", "names that fit a schema")
		}
		ok = e.member(n, key, value, step{index, name}, loud, own) && ok
	})
	ok = e.lacks(n, n.required, there, at, loud, "required") && ok
	for _, d := range n.with {
		if !e.marked(there, n.asked[d.name]) {
			continue
		}
		ok = e.lacks(n, d.required, there, at, loud, "dependentRequired") && ok
		if d.schema != nil {
			ok = e.same(d.schema, at, loud, own) && ok
		}
	}
	return e.rest(n.restOwn, at, loud, own) && ok
}

// member evaluates the schemas of one member.
func (e *evaluation) member(n *node, key string, value int, s step, loud bool, own set) bool {
	ok, known := true, false
	look := func(of *node) {
		known = true
		e.mark(own, s.index)
		ok = e.part(of, value, s, loud) && ok
	}
	if of := n.properties[key]; of != nil {
		look(of)
	}
	for _, p := range n.patterns {
		if p.re.MatchString(key) {
			look(p.of)
		}
	}
	if !known && n.additional != nil {
		look(n.additional)
	}
	return ok
}

// lacks reports the names that are not there; it is true when all are.
func (e *evaluation) lacks(n *node, names []string, there set, at int, loud bool, keyword string) bool {
	ok := true
	for _, name := range names {
		if !e.marked(there, n.asked[name]) {
			ok = e.failing(at, loud, keyword, func() string { return "a member " + strconv.Quote(name) })
		}
	}
	return ok
}

// rest evaluates what no other keyword has looked at.
func (e *evaluation) rest(n *node, at int, loud bool, own set) bool {
	if n == nil {
		return true
	}
	ok := true
	e.children(at, func(index, name, value int) {
		if e.marked(own, index) {
			return
		}
		e.mark(own, index)
		ok = e.part(n, value, step{index, name}, loud) && ok
	})
	return ok
}
