package values

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

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
	m.keepExcluded(p, keep)
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
		if s.In("const") != nil {
			keyword = "const"
		}
	}
	for _, one := range n.choices[:min(len(n.choices), 3)] {
		switch {
		case one.Is(jsontree.Text):
			keep(keyword, "in capitals", jsontree.NewText(strings.ToUpper(one.Text)))
			keep(keyword, "in small letters", jsontree.NewText(strings.ToLower(one.Text)))
			keep(keyword, "with a space after it", jsontree.NewText(one.Text+" "))
			keep(keyword, "another text", jsontree.NewText("other"))
			keep(keyword, "an empty text", jsontree.NewText(""))
		case one.Is(jsontree.Number):
			if f, ok := one.Float(); ok {
				keep(keyword, "another number", num(f+1))
				keep(keyword, "another number", num(f+1001))
			}
		case one.Is(jsontree.Boolean):
			keep(keyword, "the other boolean", jsontree.NewBool(!one.True()))
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
		for _, end := range []struct {
			bound, past      float64
			open             bool
			where, word, not string // not is the keyword of a bound that does not fit itself
		}{{n.low, n.low - step, n.lowOpen, "below", "minimum", "exclusiveMinimum"}, {n.high, n.high + step, n.highOpen, "above", "maximum", "exclusiveMaximum"}} {
			word := end.word
			if math.IsInf(end.bound, 0) {
				continue
			}
			if end.open {
				word = end.not
				keep(word, "the bound itself", num(end.bound))
			}
			keep(word, end.where+" the bound", num(end.past))
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
		keep("minLength", "one letter less", jsontree.NewText(resize(base, n.shortest-1, n.shortest-1)))
		keep("minLength", "one letter less, of four bytes each", jsontree.NewText(strings.Repeat("🙂", n.shortest-1)))
		keep("minLength", "one letter less, of two bytes each", jsontree.NewText(strings.Repeat("é", n.shortest-1)))
		keep("minLength", "no letter", jsontree.NewText(""))
	}
	if n.longest >= 0 && n.longest < 1<<17 {
		keep("maxLength", "one letter more", jsontree.NewText(resize(base, n.longest+1, n.longest+1)))
		keep("maxLength", "one letter more", jsontree.NewText(strings.Repeat("a", n.longest+1)))
	}
	for range n.patterns {
		for _, other := range []struct{ text, how string }{
			{base + "\n", "a line break after it"}, {"!" + base, "a mark before it"}, {base + "!", "a mark after it"}, {"é" + base, "a letter before it"}, {base + "é", "a letter after it"},
			{markAt(base, 0), "another first letter"}, {markAt(base, utf8.RuneCountInString(base)-1), "another last letter"}, {strings.ToUpper(base), "in capitals"},
			{strings.ToLower(base), "in small letters"}, {" ", "a space"}, {"!?", "marks"}, {"", "no letter"},
		} {
			keep("pattern", other.how, jsontree.NewText(other.text))
		}
	}
	if m.Formats && shapes[n.format] != nil {
		keep("format", "no "+n.format, jsontree.NewText("no such text"))
	}
}

// markAt is a text with one letter replaced by a mark.
func markAt(s string, at int) string {
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
			keep("uniqueItems", "an element twice", &jsontree.Value{Kind: jsontree.Array, Items: append(l.Items, l.Items[0])})
		}
	}
	if l := m.listOf(p, len(n.prefix)); l != nil && len(n.prefix) > 0 && m.nodes.node(n.items...).never {
		keep("items", "an element more", &jsontree.Value{Kind: jsontree.Array, Items: append(l.Items, *jsontree.NewText("x"))})
	}
	if len(n.items)+len(n.prefix) == 0 || len(p.path) > deepest || p.value.Is(jsontree.Array) && len(p.value.Items) > 1 {
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
	of := m.fit(m.nodes.node(p.node.element(last)...), &l.Items[last])
	with := m.on(m.base.Put(p.path, l))
	with.outside(place{path, of, of, &l.Items[last]})
	for _, one := range with.kept {
		one.How += ", in the last element"
		m.kept = append(m.kept, one)
	}
}

// unknownMember is the name of a member that no schema has.
const unknownMember = "unknown_argument"

func (m *maker) objectsOutside(p place, keep func(string, string, *jsontree.Value)) {
	n, v := p.node, p.value
	for _, name := range n.required {
		if v.In(name) != nil {
			m.keep(append(p.path[:len(p.path):len(p.path)], jsontree.Step{Name: name, Index: -1}), "required", strconv.Quote(name)+" is missing", nil, false)
		}
	}
	if n.closed {
		keep("additionalProperties", "an unknown member", v.With(unknownMember, jsontree.NewText("x")))
	}
	if n.fewestOf > 0 {
		less := v
		for _, name := range v.Names() {
			if !slices.Contains(n.required, name) && len(less.Fields) >= n.fewestOf {
				less = less.With(name, nil)
			}
		}
		keep("minProperties", "one member less", less)
	}
	if n.mostOf >= 0 && n.mostOf < 1000 {
		more := v
		for i := 0; len(more.Fields) <= n.mostOf && i < 2*n.mostOf+8; i++ {
			name := "m" + strconv.Itoa(i)
			if len(n.names) > 0 {
				name = resize(m.draws(m.nodes.node(n.names...)).Str(), i+1, i+1)
			}
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
		with := v
		if v.In(name) == nil {
			schemas, _ := n.member(name)
			if with = v.With(name, m.draws(m.nodes.node(schemas...))); with.In(name) == nil {
				continue
			}
		}
		for _, other := range others {
			keep("dependentRequired", strconv.Quote(other)+" is missing", with.With(other, nil))
		}
	}
}

// keepExcluded keeps values that `not` excludes, or that fit several alternatives of which one is allowed.
func (m *maker) keepExcluded(p place, keep func(string, string, *jsontree.Value)) {
	for _, s := range p.node.schemas {
		if not := s.In("not"); not != nil {
			keep("not", "an excluded value", m.draws(m.nodes.node(append(slices.Clone(p.node.schemas), not)...)))
			keep("not", "an excluded value", m.draws(m.nodes.node(not)))
		}
	}
}

// bounds keeps values at the bounds of a place.
func (m *maker) bounds(p place) {
	n := p.node
	keep := func(keyword string, v *jsontree.Value) { m.keep(p.path, keyword, "", v, true) }
	if len(p.path) > 0 && p.path[len(p.path)-1].Index < 0 && p.value != nil {
		keep("absent", nil)
	}
	if n.kinds != every || n.choices != nil {
		keep("type", &jsontree.Value{}) // first, since readers of texts and numbers often refuse it
	}
	for _, one := range n.choices {
		keep("enum", one)
	}
	for _, one := range n.samples {
		keep("default", one)
	}
	for _, group := range p.whole.groups { // each alternative, of which the value is one
		for i := range min(len(group), mostAlternatives) {
			one := m.nodes.alternative(p.whole, func(group []*jsontree.Value) int { return min(i, len(group)-1) })
			for _, choice := range one.choices {
				keep("enum", choice)
			}
			if v := m.draws(one); v != nil {
				keep("type", v)
			}
		}
	}
	if n.choices != nil {
		return
	}
	if n.kinds&boolean != 0 && n.kinds != every {
		keep("type", jsontree.NewBool(true))
		keep("type", jsontree.NewBool(false))
	}
	if n.kinds&(integer|number) != 0 && (n.kinds != every || p.value.Is(jsontree.Number)) {
		m.numbersInside(n, p.soon(keep))
	}
	if n.kinds&text != 0 && (n.kinds != every || p.value.Is(jsontree.Text)) {
		m.textsInside(n, keep)
	}
	if n.kinds&list != 0 && (n.kinds != every || p.value.Is(jsontree.Array)) {
		m.listsInside(p, keep)
	}
	if n.kinds&object != 0 && n.kinds != every {
		for _, e := range []extent{none, all} {
			d := &drawing{Schema: m.Schema, Choices: m.choices, extent: e}
			keep("properties", d.value(n, 1, ""))
		}
	}
}

// soon leaves out numbers that ask the server to wait longer than [duration] allows.
func (p place) soon(keep func(string, *jsontree.Value)) func(string, *jsontree.Value) {
	name := ""
	for _, step := range p.path {
		if step.Index < 0 {
			name = step.Name
		}
	}
	span := duration(name, p.node.description)
	if span == 0 {
		return keep
	}
	longest := span
	if p.node.low > 0 {
		longest += p.node.low
	}
	return func(keyword string, v *jsontree.Value) {
		if f, ok := v.Float(); ok && f <= longest {
			keep(keyword, v)
		}
	}
}

func (m *maker) numbersInside(n *node, keep func(string, *jsontree.Value)) {
	step := cmp.Or(n.multiple, 1)
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
		keep("type", jsontree.NewNumber("0.5"))
		if !math.IsInf(n.low, 0) {
			keep("minimum", num(n.low+0.01))
		}
		if !math.IsInf(n.high, 0) {
			keep("maximum", num(n.high-0.01))
		}
	}
	for _, spelled := range []string{"5.0", "1e1", "2E0", "-0"} {
		keep("spelling", jsontree.NewNumber(spelled))
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
		keep("pattern", jsontree.NewText(d.text(n)))
	}
	for _, one := range formats[n.format] {
		keep("format", jsontree.NewText(one))
	}
	if len(n.patterns)+len(formats[n.format]) > 0 || n.shortest > mostMade {
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
				keep(keyword, jsontree.NewText(strings.Repeat(letter, length)))
			}
		}
		keep(keyword, jsontree.NewText(strings.Repeat("a", length)))
	}
	for _, one := range marks {
		keep("text", jsontree.NewText(resize(one, n.shortest, n.longest)))
	}
	if m.Profile == Hard {
		for _, one := range hardWords {
			keep("text", jsontree.NewText(resize(one, n.shortest, n.longest)))
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
	out := &jsontree.Value{Kind: jsontree.Array}
	if p.value.Is(jsontree.Array) {
		out.Items = append(out.Items, p.value.Items[:min(length, len(p.value.Items))]...)
	}
	d := &drawing{Schema: m.Schema, Choices: NewChoices(1, uint64(length)), extent: none}
	for i := len(out.Items); i < length; i++ {
		node := d.nodes.node(p.node.element(i)...)
		item := d.distinct(p.node, out, func() *jsontree.Value { return d.value(node, 1, "") })
		if item == nil {
			return nil
		}
		out.Items = append(out.Items, *item)
	}
	return out
}
