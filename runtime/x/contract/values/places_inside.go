package values

import (
	"math"
	"strings"

	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

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
