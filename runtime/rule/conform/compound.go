package conform

import "strconv"

// array evaluates the keywords on elements.
func (e *evaluation) array(n *node, at int, where *place, own seen) bool {
	ok, fits, unique := true, 0, true
	var others map[uint64]bool
	if n.unique {
		others = map[uint64]bool{}
	}
	e.children(at, func(index, _, value int) {
		of := n.items
		if index < len(n.prefix) {
			of = n.prefix[index]
		}
		if of != nil {
			own.mark(index)
			ok = e.apply(of, value, where.into(strconv.Itoa(index)), nil) && ok
		}
		if n.contains != nil && e.apply(n.contains, value, nil, nil) {
			own.mark(index)
			fits++
		}
		if n.unique {
			h := e.hash(value)
			unique = unique && !others[h]
			others[h] = true
		}
	})
	if !unique {
		ok = e.fail(at, where, "uniqueItems", "elements that differ")
	}
	if n.contains != nil && (fits < n.least || n.most >= 0 && fits > n.most) {
		ok = e.fail(at, where, "contains", "elements that fit a schema, in another number than "+strconv.Itoa(fits))
	}
	return e.rest(n.restItems, at, where, own) && ok
}

// object evaluates the keywords on members.
func (e *evaluation) object(n *node, at int, where *place, own seen) bool {
	ok := true
	var there map[string]bool
	if len(n.required) > 0 || len(n.with) > 0 {
		there = map[string]bool{}
	}
	e.children(at, func(index, name, value int) {
		key := e.text(name)
		if there != nil {
			there[key] = true
		}
		if n.names != nil && !e.apply(n.names, name, nil, nil) {
			ok = e.fail(name, where, "propertyNames", "names that fit a schema")
		}
		for _, of := range n.member(key) {
			own.mark(index)
			ok = e.apply(of, value, where.into(key), nil) && ok
		}
	})
	ok = e.lacks(n.required, there, at, where, "required") && ok
	for _, d := range n.with {
		if !there[d.name] {
			continue
		}
		ok = e.lacks(d.required, there, at, where, "dependentRequired") && ok
		if d.schema != nil {
			ok = e.apply(d.schema, at, where, own) && ok
		}
	}
	return e.rest(n.restOwn, at, where, own) && ok
}

// member lists the schemas of a member.
func (n *node) member(key string) []*node {
	var all []*node
	if of := n.properties[key]; of != nil {
		all = append(all, of)
	}
	for _, p := range n.patterns {
		if p.re.MatchString(key) {
			all = append(all, p.of)
		}
	}
	if all == nil && n.additional != nil {
		all = append(all, n.additional)
	}
	return all
}

// lacks reports the names that are not there; it is true when all are.
func (e *evaluation) lacks(names []string, there map[string]bool, at int, where *place, keyword string) bool {
	ok := true
	for _, name := range names {
		if !there[name] {
			ok = e.fail(at, where, keyword, "a member "+strconv.Quote(name))
		}
	}
	return ok
}

// rest evaluates what no other keyword has looked at.
func (e *evaluation) rest(n *node, at int, where *place, own seen) bool {
	if n == nil {
		return true
	}
	ok := true
	e.children(at, func(index, name, value int) {
		if own[index] {
			return
		}
		step := strconv.Itoa(index)
		if name >= 0 {
			step = e.text(name)
		}
		own.mark(index)
		ok = e.apply(n, value, where.into(step), nil) && ok
	})
	return ok
}
