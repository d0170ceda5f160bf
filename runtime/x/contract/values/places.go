package values

import (
	"cmp"
	"slices"
	"strings"

	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// place is a value within another one, and what is asked of it.
type place struct {
	path  []jsontree.Step
	whole *node           // with all alternatives
	node  *node           // with those that the value fits
	value *jsontree.Value // nil for an optional member that is not there
}

// places visits a value and all that lies in it, and the members that it could have. Of a list it visits the first and the last element.
func (s *Schema) places(n *node, v *jsontree.Value, path []jsontree.Step, visit func(place)) {
	defer func(outer map[look]*node) { s.chosen = outer }(s.chosen)
	s.chosen = map[look]*node{}
	s.walk(n, v, path, visit)
}

func (s *Schema) walk(n *node, v *jsontree.Value, path []jsontree.Step, visit func(place)) {
	whole := n
	n = s.fit(n, v)
	visit(place{path, whole, n, v})
	if len(path) > deepest || v == nil {
		return
	}
	under := func(step jsontree.Step, schemas []*jsontree.Value, v *jsontree.Value) {
		s.walk(s.nodes.node(schemas...), v, append(path[:len(path):len(path)], step), visit)
	}
	switch v.Kind {
	case jsontree.Object:
		for _, name := range n.members {
			under(jsontree.Step{Name: name, Index: -1}, n.of[name], v.In(name))
		}
		for i, part := range v.Parts() {
			if name := v.Fields[i].Name; n.of[name] == nil {
				schemas, _ := n.member(name)
				under(jsontree.Step{Name: name, Index: -1}, schemas, part)
			}
		}
	case jsontree.Array:
		for i, item := range v.Parts() {
			if i == 0 || i == len(v.Items)-1 {
				under(jsontree.Step{Index: i}, n.element(i), item)
			}
		}
	}
}

// look is a look at a value, which is never changed, for what it fits of a node.
type look struct {
	node  *node
	value *jsontree.Value
}

// fit chooses the alternatives of a node that a value fits, as far as a look at it shows. A look at a value looks at all that lies in it, which is
// visited in its turn: it is remembered for one visit, so that no answer of a server is kept longer.
func (s *Schema) fit(n *node, v *jsontree.Value) *node {
	at := look{n, v}
	if chosen := s.chosen[at]; chosen != nil || len(n.groups) == 0 {
		return cmp.Or(chosen, n)
	}
	for i := 0; i < 8 && len(n.groups) > 0; i++ {
		n = s.nodes.alternative(n, func(group []*jsontree.Value) int {
			best, most := 0, -1
			for i, one := range group {
				if score := s.resemblance(s.nodes.node(one), v, 0); score > most {
					best, most = i, score
				}
			}
			return best
		})
	}
	if s.chosen != nil {
		s.chosen[at] = n
	}
	return n
}

// resemblance is how much a value looks like one of a node; 0 is not at all.
func (s *Schema) resemblance(n *node, v *jsontree.Value, depth int) int {
	if len(n.groups) > 0 && depth < deepest {
		n = s.fit(n, v)
	}
	if v == nil {
		if n.kinds == null {
			return 0
		}
		return 1
	}
	if n.never || kindOf(v)&n.kinds == 0 || n.choices != nil && !slices.ContainsFunc(n.choices, v.Equal) {
		return 0
	}
	score := 1
	if v.Kind != jsontree.Object || depth > 2 {
		return score
	}
	for _, name := range n.required {
		if v.In(name) == nil {
			return 0
		}
	}
	for i, part := range v.Parts() {
		schemas, known := n.member(v.Fields[i].Name)
		switch {
		case known && s.resemblance(s.nodes.node(schemas...), part, depth+1) == 0, !known && n.closed:
			return 0
		case known:
			score++
		}
	}
	return score
}

// maker makes cases out of a base value.
type maker struct {
	*Schema
	base    *jsontree.Value
	choices *Choices
	kept    []Case
	seen    map[string]bool
	judged  *int // bytes of the cases that were judged
}

// Limits of the cases of one schema, and of the bytes that are judged for them.
const (
	mostCases  = 2000
	mostJudged = 32 << 20
)

// cases returns those that a visit of each place keeps.
func (s *Schema) cases(base *jsontree.Value, c *Choices, visit func(*maker, place)) []Case {
	m := &maker{Schema: s, base: base, seen: map[string]bool{base.JSON(): true}, judged: new(int), choices: c}
	m.each(visit)
	return m.kept
}

// on returns a maker of further cases out of another base.
func (m *maker) on(base *jsontree.Value) *maker {
	return &maker{Schema: m.Schema, base: base, choices: m.choices, seen: m.seen, judged: m.judged}
}

// each visits the places of the base, and those within the objects and lists that it could have.
func (m *maker) each(visit func(*maker, place)) {
	m.places(m.root, m.base, nil, func(p place) { visit(m, p) })
	root := m.fit(m.root, m.base)
	if !m.base.Is(jsontree.Object) {
		return
	}
	for _, name := range root.members {
		n := m.nodes.node(root.of[name]...)
		if m.base.In(name) != nil || n.kinds&(object|list) == 0 || n.kinds == every {
			continue
		}
		d := &drawing{Schema: m.Schema, Choices: m.choices, extent: all}
		v := d.value(n, 1, name)
		if v == nil {
			continue
		}
		path := []jsontree.Step{{Name: name, Index: -1}}
		with := m.on(m.base.Put(path, v))
		if len(m.verdict(with.base, with.base.JSON())) > 0 {
			continue
		}
		m.places(n, v, path, func(p place) { visit(with, p) })
		m.kept = append(m.kept, with.kept...)
	}
}

// draws draws a value of a node that a place has or may have.
func (m *maker) draws(n *node) *jsontree.Value {
	d := &drawing{Schema: m.Schema, Choices: m.choices, extent: none}
	return d.value(n, 1, "")
}

// keep judges what came of putting a value at a place, and keeps it: what fits, or what breaks the rule at the place or a combination of
// schemas around it, and nothing else.
func (m *maker) keep(path []jsontree.Step, keyword, how string, v *jsontree.Value, fits bool) {
	if len(m.kept) >= mostCases || *m.judged > mostJudged || v == nil && (len(path) == 0 || keyword != "absent" && keyword != "required") {
		return
	}
	whole := m.base.Put(path, v)
	json := whole.JSON()
	if *m.judged += len(json); m.seen[json] {
		return
	}
	vs := m.verdict(whole, json)
	if fits != (len(vs) == 0) {
		return
	}
	at := jsontree.Pointer(path)
	if !fits {
		if v == nil { // the object lacks the member
			at = jsontree.Pointer(path[:len(path)-1])
		}
		for _, one := range vs {
			length := keyword == "pattern" && one.Pointer == at && (one.Keyword == "maxLength" || one.Keyword == "minLength") // a pattern may leave one length only
			combined := length || one.Keyword == "anyOf" || one.Keyword == "oneOf" || one.Keyword == "allOf" || one.Keyword == "not" ||
				one.Keyword == "contains" || one.Keyword == "propertyNames"
			if one.Keyword != keyword && !(combined && (strings.HasPrefix(at, one.Pointer) || strings.HasPrefix(one.Pointer, at))) {
				return
			}
			if one.Keyword == keyword && one.Pointer != at && one.Pointer != m.inner(v, at, keyword) {
				return
			}
		}
	}
	m.seen[json] = true
	m.kept = append(m.kept, Case{json, Break{at, keyword, how}})
}

// inner is where the judge reports a member or an element too many: at the last one.
func (m *maker) inner(v *jsontree.Value, at, keyword string) string {
	if keyword == "additionalProperties" && v.Is(jsontree.Object) && len(v.Fields) > 0 {
		return at + jsontree.Pointer([]jsontree.Step{{Name: v.Fields[len(v.Fields)-1].Name, Index: -1}})
	}
	if keyword == "items" && v.Is(jsontree.Array) {
		return at + jsontree.Pointer([]jsontree.Step{{Index: len(v.Items) - 1}})
	}
	return at
}

// Letters of four, two and three bytes in UTF-8, and texts that are often escaped the wrong way.
var (
	wideLetters = []string{"🙂", "é", "日"}
	marks       = []string{`it's "quoted" \ /`, "two\nlines\tand a tab", " spaces around ", "<a href='x'>&amp;</a>", "null", "0", "-"}
)

// largest is the largest whole number that every reader of JSON keeps.
const largest = 1<<53 - 1

// mostAlternatives limits the alternatives of which a value is tried.
const mostAlternatives = 8
