package values

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/runtime/internal/jsontree"
)

// place is a value within another one, and what is asked of it.
type place struct {
	path  []jsontree.Step
	node  *node
	value *jsontree.Value // nil for an optional member that is not there
}

// places visits a value and all that lies in it, and the members that it could have. Of a list it visits the first and the last element.
func (s *Schema) places(n *node, v *jsontree.Value, path []jsontree.Step, visit func(place)) {
	n = s.fit(n, v)
	visit(place{path, n, v})
	if len(path) > deepest || v == nil {
		return
	}
	under := func(step jsontree.Step, schemas []*jsontree.Value, v *jsontree.Value) {
		s.places(s.nodes.node(schemas...), v, append(path[:len(path):len(path)], step), visit)
	}
	switch v.Kind {
	case jsontree.Object:
		for _, name := range n.members {
			under(jsontree.Step{Name: name, Index: -1}, n.of[name], v.Get(name))
		}
		for i, name := range v.Names {
			if n.of[name] == nil {
				schemas, _ := n.member(name)
				under(jsontree.Step{Name: name, Index: -1}, schemas, v.Items[i])
			}
		}
	case jsontree.List:
		for i, item := range v.Items {
			if i == 0 || i == len(v.Items)-1 {
				under(jsontree.Step{Index: i}, n.element(i), item)
			}
		}
	}
}

// fit chooses the alternatives of a node that a value fits, as far as a look at it shows.
func (s *Schema) fit(n *node, v *jsontree.Value) *node {
	for range 8 {
		if len(n.groups) == 0 {
			break
		}
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
		if v.Get(name) == nil {
			return 0
		}
	}
	for i, name := range v.Names {
		schemas, known := n.member(name)
		switch {
		case known && s.resemblance(s.nodes.node(schemas...), v.Items[i], depth+1) == 0, !known && n.closed:
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
	cases   []Case
	seen    map[string]bool
}

// mostCases limits the cases of one schema.
const mostCases = 2000

func (s *Schema) bounds(base *jsontree.Value) []Case {
	m := &maker{Schema: s, base: base, seen: map[string]bool{base.JSON(): true}, choices: FromTape(nil)}
	m.each(func(m *maker, p place) {
		keep := func(keyword string, v *jsontree.Value) { m.keep(p.path, keyword, "", v, true) }
		if len(p.path) > 0 && p.path[len(p.path)-1].Index < 0 && p.value != nil {
			keep("absent", nil)
		}
		m.inside(p, keep)
	})
	return m.cases
}

func (s *Schema) breaks(base *jsontree.Value, c *Choices) []Case {
	m := &maker{Schema: s, base: base, seen: map[string]bool{base.JSON(): true}, choices: c}
	m.each((*maker).outside)
	return m.cases
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
		if m.base.Get(name) != nil || n.kinds&(object|list) == 0 || n.kinds == every {
			continue
		}
		d := &drawing{Schema: m.Schema, Choices: m.choices, extent: all}
		v := d.value(n, 1, name)
		if v == nil {
			continue
		}
		path := []jsontree.Step{{Name: name, Index: -1}}
		with := &maker{Schema: m.Schema, base: m.base.Put(path, v), choices: m.choices, seen: m.seen}
		if len(m.verdict(with.base)) > 0 {
			continue
		}
		m.places(n, v, path, func(p place) {
			if len(p.path) > 1 {
				visit(with, p)
			}
		})
		m.cases = append(m.cases, with.cases...)
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
	if len(m.cases) >= mostCases || v == nil && len(path) == 0 {
		return
	}
	whole := m.base.Put(path, v)
	json := whole.JSON()
	if m.seen[json] {
		return
	}
	vs := m.verdict(whole)
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
			combined := length || one.Keyword == "anyOf" || one.Keyword == "oneOf" || one.Keyword == "allOf" || one.Keyword == "not" || one.Keyword == "contains" || one.Keyword == "propertyNames"
			if one.Keyword != keyword && !(combined && (strings.HasPrefix(at, one.Pointer) || strings.HasPrefix(one.Pointer, at))) {
				return
			}
			if one.Keyword == keyword && one.Pointer != at && one.Pointer != m.inner(v, at, keyword) {
				return
			}
		}
	}
	m.seen[json] = true
	m.cases = append(m.cases, Case{json, Break{at, keyword, how}})
}

// inner is where the judge reports a member or an element too many: at the last one.
func (m *maker) inner(v *jsontree.Value, at, keyword string) string {
	if keyword == "additionalProperties" && v.Is(jsontree.Object) && len(v.Names) > 0 {
		return at + jsontree.Pointer([]jsontree.Step{{Name: v.Names[len(v.Names)-1], Index: -1}})
	}
	if keyword == "items" && v.Is(jsontree.List) {
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

// inside keeps values at the bounds of a place.
func (m *maker) inside(p place, keep func(string, *jsontree.Value)) {
	n := p.node
	for _, one := range n.choices {
		keep("enum", one)
	}
	for _, one := range n.samples {
		keep("default", one)
	}
	if n.kinds&null != 0 && n.kinds != every {
		keep("type", &jsontree.Value{Text: "null"})
	}
	if n.choices != nil {
		return
	}
	if n.kinds&boolean != 0 && n.kinds != every {
		keep("type", jsontree.Boolean(true))
		keep("type", jsontree.Boolean(false))
	}
	if n.kinds&(integer|number) != 0 && (n.kinds != every || p.value.Is(jsontree.Number)) {
		m.numbersInside(n, keep)
	}
	if n.kinds&text != 0 && (n.kinds != every || p.value.Is(jsontree.Text)) {
		m.textsInside(n, keep)
	}
	if n.kinds&list != 0 && (n.kinds != every || p.value.Is(jsontree.List)) {
		m.listsInside(p, keep)
	}
	if n.kinds&object != 0 && n.kinds != every {
		for _, e := range []extent{none, all} {
			d := &drawing{Schema: m.Schema, Choices: m.choices, extent: e}
			keep("properties", d.value(n, 1, ""))
		}
	}
}

func (m *maker) numbersInside(n *node, keep func(string, *jsontree.Value)) {
	step := n.multiple
	if step == 0 {
		step = 1
	}
	for _, delta := range []float64{0, 1, 2} {
		if !math.IsInf(n.low, 0) {
			keep("minimum", num(n.low+delta*step))
		}
		if !math.IsInf(n.high, 0) {
			keep("maximum", num(n.high-delta*step))
		}
	}
	if !math.IsInf(n.low, 0) && !math.IsInf(n.high, 0) {
		keep("maximum", num(math.Floor((n.low+n.high)/2/step)*step))
	}
	for _, f := range []float64{0, 1, 5, -1, 100} {
		keep("type", num(f*step))
	}
	if n.kinds&number != 0 {
		keep("type", jsontree.Num("0.5"))
		if !math.IsInf(n.low, 0) {
			keep("minimum", num(n.low+0.01))
		}
		if !math.IsInf(n.high, 0) {
			keep("maximum", num(n.high-0.01))
		}
	}
	for _, spelled := range []string{"5.0", "1e1", "2E0", "-0"} {
		keep("spelling", jsontree.Num(spelled))
	}
	if m.Profile != Calm && m.Profile != ASCII {
		keep("type", num(1e300))
	}
	keep("type", num(largest))
	keep("type", num(-largest))
}

func (m *maker) textsInside(n *node, keep func(string, *jsontree.Value)) {
	d := &drawing{Schema: m.Schema, Choices: NewChoices(1, seedOf(n.format, n.title, n.description)), extent: none}
	for range 12 * len(n.patterns) {
		keep("pattern", jsontree.String(d.text(n)))
	}
	for _, one := range formats[n.format] {
		keep("format", jsontree.String(one))
	}
	if len(n.patterns)+len(formats[n.format]) > 0 {
		return
	}
	const long = 2000
	bounds := []int{n.shortest, n.shortest + 1, n.longest, n.longest - 1}
	for _, length := range bounds {
		if length < 0 || length > 50*long || n.longest >= 0 && length > n.longest {
			continue
		}
		keyword := "text"
		switch {
		case length == n.longest || length == n.longest-1:
			keyword = "maxLength"
		case n.shortest > 0:
			keyword = "minLength"
		}
		if m.Profile != ASCII {
			for _, letter := range wideLetters {
				keep(keyword, jsontree.String(strings.Repeat(letter, length)))
			}
		}
		keep(keyword, jsontree.String(strings.Repeat("a", length)))
	}
	for _, one := range marks {
		keep("text", jsontree.String(resize(one, n.shortest, n.longest)))
	}
	if m.Profile == Hard {
		for _, one := range hardWords {
			keep("text", jsontree.String(resize(one, n.shortest, n.longest)))
		}
	}
}

func (m *maker) listsInside(p place, keep func(string, *jsontree.Value)) {
	n := p.node
	lengths := []int{n.fewest, n.fewest + 1, 3}
	if n.most >= 0 && n.most <= 1000 {
		lengths = append(lengths, n.most, n.most-1)
	}
	for _, length := range lengths {
		if length >= 0 && (n.most < 0 || length <= n.most) {
			keyword := "minItems"
			if length == n.most {
				keyword = "maxItems"
			}
			keep(keyword, m.listOf(p, length))
		}
	}
}

// listOf is a list of a length: the elements that are there, and more.
func (m *maker) listOf(p place, length int) *jsontree.Value {
	out := &jsontree.Value{Kind: jsontree.List}
	if p.value.Is(jsontree.List) {
		out.Items = append(out.Items, p.value.Items[:min(length, len(p.value.Items))]...)
	}
	d := &drawing{Schema: m.Schema, Choices: NewChoices(1, uint64(length)), extent: none}
	for i := len(out.Items); i < length; i++ {
		node := d.nodes.node(p.node.element(i)...)
		item := d.distinct(p.node, out, func() *jsontree.Value { return d.value(node, 1, "") })
		if item == nil {
			return nil
		}
		out.Items = append(out.Items, item)
	}
	return out
}

// outside keeps values that break one rule of a place.
func (m *maker) outside(p place) {
	n := p.node
	keep := func(keyword, how string, v *jsontree.Value) { m.keep(p.path, keyword, how, v, false) }
	m.kindsOutside(p, keep)
	if n.choices != nil {
		m.choicesOutside(n, keep)
		return
	}
	if n.kinds&(integer|number) != 0 {
		m.numbersOutside(n, keep)
	}
	if n.kinds&text != 0 {
		m.textsOutside(p, keep)
	}
	if n.kinds&list != 0 {
		m.listsOutside(p, keep)
	}
	if n.kinds&object != 0 && p.value.Is(jsontree.Object) {
		m.objectsOutside(p, keep)
	}
	m.excluded(p, keep)
}

// kindsOutside keeps values of the other kinds.
func (m *maker) kindsOutside(p place, keep func(string, string, *jsontree.Value)) {
	for _, other := range []struct{ json, how string }{
		{`"text"`, "a text"}, {`"5"`, "a number in a text"}, {`"true"`, "a boolean in a text"}, {`5`, "a whole number"}, {`1.5`, "a number with a fraction"}, {`true`, "a boolean"},
		{`null`, "null"}, {`[]`, "a list"}, {`["a"]`, "a list"}, {`{}`, "an object"},
	} {
		v, err := jsontree.Parse([]byte(other.json))
		if err == nil && kindOf(v)&p.node.kinds == 0 {
			keep("type", other.how+" in place of "+nameOf(p.node.kinds), v)
		}
	}
}

func nameOf(k kinds) string {
	var names []string
	for _, one := range []struct {
		kinds
		name string
	}{{null, "null"}, {boolean, "a boolean"}, {number, "a number"}, {integer, "a whole number"}, {text, "a text"}, {list, "a list"}, {object, "an object"}} {
		if k&one.kinds != 0 && !(one.kinds == integer && k&number != 0) {
			names = append(names, one.name)
		}
	}
	return strings.Join(names, " or ")
}

func (m *maker) choicesOutside(n *node, keep func(string, string, *jsontree.Value)) {
	keyword := "enum"
	for _, s := range n.schemas {
		if s.Get("const") != nil {
			keyword = "const"
		}
	}
	for i, one := range n.choices {
		if i > 2 {
			break
		}
		switch {
		case one.Is(jsontree.Text):
			keep(keyword, "in capitals", jsontree.String(strings.ToUpper(one.Text)))
			keep(keyword, "in small letters", jsontree.String(strings.ToLower(one.Text)))
			keep(keyword, "with a space after it", jsontree.String(one.Text+" "))
			keep(keyword, "another text", jsontree.String("other"))
			keep(keyword, "an empty text", jsontree.String(""))
		case one.Is(jsontree.Number):
			if f, ok := one.Float(); ok {
				keep(keyword, "another number", num(f+1))
				keep(keyword, "another number", num(f+1001))
			}
		case one.Is(jsontree.Bool):
			keep(keyword, "the other boolean", jsontree.Boolean(!one.True()))
		}
	}
}

func (m *maker) numbersOutside(n *node, keep func(string, string, *jsontree.Value)) {
	steps := []float64{1}
	if n.kinds&number != 0 {
		steps = []float64{1, 0.01}
	}
	if n.multiple > 0 {
		steps = []float64{n.multiple}
	}
	for _, step := range steps {
		if !math.IsInf(n.low, 0) {
			below := num(n.low - step)
			if n.lowOpen {
				keep("exclusiveMinimum", "the bound itself", num(n.low))
				keep("exclusiveMinimum", "below the bound", below)
			} else {
				keep("minimum", "below the bound", below)
			}
		}
		if !math.IsInf(n.high, 0) {
			above := num(n.high + step)
			if n.highOpen {
				keep("exclusiveMaximum", "the bound itself", num(n.high))
				keep("exclusiveMaximum", "above the bound", above)
			} else {
				keep("maximum", "above the bound", above)
			}
		}
	}
	if n.multiple > 0 {
		start := 0.0
		if !math.IsInf(n.low, 0) {
			start = math.Ceil(n.low/n.multiple) * n.multiple
		}
		for _, part := range []float64{0.5, 1} {
			add := n.multiple * part
			if part == 1 {
				add = n.multiple + 1
			}
			keep("multipleOf", "no multiple", num(start+add))
			keep("multipleOf", "no multiple", num(start+math.Floor(add)))
		}
	}
}

func (m *maker) textsOutside(p place, keep func(string, string, *jsontree.Value)) {
	n := p.node
	base := p.value.Str()
	if base == "" {
		base = m.draws(n).Str()
	}
	if n.shortest > 0 && n.shortest < 1<<16 {
		keep("minLength", "one letter less", jsontree.String(resize(base, n.shortest-1, n.shortest-1)))
		keep("minLength", "one letter less, of four bytes each", jsontree.String(strings.Repeat("🙂", n.shortest-1)))
		keep("minLength", "one letter less, of two bytes each", jsontree.String(strings.Repeat("é", n.shortest-1)))
		keep("minLength", "no letter", jsontree.String(""))
	}
	if n.longest >= 0 && n.longest < 1<<17 {
		keep("maxLength", "one letter more", jsontree.String(resize(base, n.longest+1, n.longest+1)))
		keep("maxLength", "one letter more", jsontree.String(strings.Repeat("a", n.longest+1)))
	}
	for range n.patterns {
		for _, other := range []struct{ text, how string }{
			{base + "\n", "a line break after it"}, {"!" + base, "a mark before it"}, {base + "!", "a mark after it"}, {"é" + base, "a letter before it"}, {base + "é", "a letter after it"},
			{replaced(base, 0), "another first letter"}, {replaced(base, utf8.RuneCountInString(base)-1), "another last letter"}, {strings.ToUpper(base), "in capitals"},
			{strings.ToLower(base), "in small letters"}, {" ", "a space"}, {"!?", "marks"}, {"", "no letter"},
		} {
			keep("pattern", other.how, jsontree.String(other.text))
		}
	}
	if m.Formats && shapes[n.format] != nil {
		keep("format", "no "+n.format, jsontree.String("no such text"))
	}
}

// replaced is a text with one letter replaced by a mark.
func replaced(s string, at int) string {
	letters := []rune(s)
	if at < 0 || at >= len(letters) {
		return s
	}
	letters[at] = '!'
	return string(letters)
}

func (m *maker) listsOutside(p place, keep func(string, string, *jsontree.Value)) {
	n := p.node
	if n.fewest > 0 && n.fewest <= 1000 {
		keep("minItems", "one element less", m.listOf(p, n.fewest-1))
	}
	if n.most >= 0 && n.most <= 1000 {
		keep("maxItems", "one element more", m.listOf(p, n.most+1))
	}
	if n.unique {
		length := max(n.fewest, 2)
		if l := m.listOf(p, max(1, length-1)); l != nil && len(l.Items) > 0 {
			keep("uniqueItems", "an element twice", &jsontree.Value{Kind: jsontree.List, Items: append(slices.Clone(l.Items), l.Items[0])})
		}
	}
	if l := m.listOf(p, len(n.prefix)); l != nil && len(n.prefix) > 0 && m.nodes.node(n.items...).never {
		keep("items", "an element more", &jsontree.Value{Kind: jsontree.List, Items: append(slices.Clone(l.Items), jsontree.String("x"))})
	}
	if len(n.items)+len(n.prefix) == 0 || len(p.path) > deepest || p.value.Is(jsontree.List) && len(p.value.Items) > 1 {
		return
	}
	if l := m.listOf(p, max(n.fewest, 2)); l != nil { // a list that is too short to have a last element that is not the first
		m.lastOutside(p, l)
	}
}

// lastOutside keeps lists whose last element breaks a rule.
func (m *maker) lastOutside(p place, l *jsontree.Value) {
	last := len(l.Items) - 1
	path := append(p.path[:len(p.path):len(p.path)], jsontree.Step{Index: last})
	of := m.fit(m.nodes.node(p.node.element(last)...), l.Items[last])
	with := &maker{Schema: m.Schema, base: m.base.Put(p.path, l), choices: m.choices, seen: m.seen}
	with.outside(place{path, of, l.Items[last]})
	for _, one := range with.cases {
		one.How += ", in the last element"
		m.cases = append(m.cases, one)
	}
}

// unknown is the name of a member that no schema has.
const unknown = "unknown_argument"

func (m *maker) objectsOutside(p place, keep func(string, string, *jsontree.Value)) {
	n, v := p.node, p.value
	for _, name := range n.required {
		if v.Get(name) != nil {
			m.keep(append(p.path[:len(p.path):len(p.path)], jsontree.Step{Name: name, Index: -1}), "required", strconv.Quote(name)+" is missing", nil, false)
		}
	}
	if n.closed {
		keep("additionalProperties", "an unknown member", v.With(unknown, jsontree.String("x")))
	}
	if n.fewestOf > 0 {
		less := v
		for _, name := range v.Names {
			if !slices.Contains(n.required, name) && len(less.Names) >= n.fewestOf {
				less = less.With(name, nil)
			}
		}
		keep("minProperties", "one member less", less)
	}
	if n.mostOf >= 0 && n.mostOf < 1000 {
		more := v
		for i := 0; len(more.Names) <= n.mostOf; i++ {
			name := "m" + strconv.Itoa(i)
			schemas, _ := n.member(name)
			one := m.draws(m.nodes.node(schemas...))
			if one == nil {
				break
			}
			more = more.With(name, one)
		}
		keep("maxProperties", "one member more", more)
	}
	if len(n.names) > 0 {
		for _, name := range []string{"!?", "UPPER CASE", "", "a"} {
			schemas, _ := n.member(name)
			keep("propertyNames", "a name that does not fit", v.With(name, m.draws(m.nodes.node(schemas...))))
		}
	}
	for name, others := range n.with {
		if v.Get(name) == nil {
			continue
		}
		for _, other := range others {
			keep("dependentRequired", strconv.Quote(other)+" is missing", v.With(other, nil))
		}
	}
}

// excluded keeps values that `not` excludes, or that fit several alternatives of which one is allowed.
func (m *maker) excluded(p place, keep func(string, string, *jsontree.Value)) {
	for _, s := range p.node.schemas {
		if not := s.Get("not"); not != nil {
			keep("not", "an excluded value", m.draws(m.nodes.node(append(slices.Clone(p.node.schemas), not)...)))
			keep("not", "an excluded value", m.draws(m.nodes.node(not)))
		}
	}
}
