package values

import (
	"hash/fnv"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	jsontree "github.com/rpcgen-go/rpcgen/schema/json"
)

// extent says which optional members a value has.
type extent int

const (
	some extent = iota
	none
	all
)

// drawing draws one value.
type drawing struct {
	*Schema
	*Choices
	extent extent
	plain  bool              // the value before did not fit: leave out what is not required
	retry  bool              // a value before did not fit
	made   int               // what has been spent of mostMade
	within []*jsontree.Value // the schemas with names around
	shift  int               // how many alternatives were tried
}

// mostMade limits one value: the letters of its texts and names, and 16 for each value in it. A value that has to be larger is not found.
const mostMade = 1 << 18

// spends adds to what the value is made of. It reports whether that is too much.
func (d *drawing) spends(n int) bool {
	d.made += min(n, mostMade+1)
	return d.made > d.most()
}

// most is mostMade, or less for readers.
func (d *drawing) most() int {
	if d.Profile == Page {
		return mostMade >> 3
	}
	return mostMade
}

// deepest is the depth at which values become as small as they can be.
const deepest = 5

// value draws a value of a node; nil if there is none. The name is that of the member that it belongs to.
func (d *drawing) value(n *node, depth int, name string) *jsontree.Value {
	return d.drawAmong(n, n.named, depth, name, 8)
}

// drawAmong draws a value of one alternative of a node, or of the first that has one for readers. A number limits how deep alternatives are nested.
func (d *drawing) drawAmong(n *node, named []*jsontree.Value, depth int, name string, left int) (v *jsontree.Value) {
	if len(n.groups) == 0 || left == 0 {
		return d.drawNode(n, named, depth, name)
	}
	for d.shift = 0; v == nil && d.made <= d.most(); {
		shift := d.shift
		next := d.nodes.alternative(n, d.pick)
		v = d.drawAmong(next, slices.Concat(named, next.named), depth, name, left-1)
		if d.shift = shift + 1; d.Profile != Page || d.shift == len(n.groups[0]) {
			break
		}
	}
	return v
}

// drawNode draws a value of a node whose alternatives are chosen; named are the schemas with names that it is of.
func (d *drawing) drawNode(n *node, named []*jsontree.Value, depth int, name string) *jsontree.Value {
	if n.never || depth > 4*deepest || d.spends(16) || d.isNested(named) {
		return nil
	}
	defer func(around []*jsontree.Value) { d.within = around }(d.within)
	d.within = append(d.within, named...)
	if given := d.ownValue(n, name); given != nil {
		if d.spends(len(given.JSON())) {
			return nil
		}
		return given
	}
	var possible []kinds
	for k := null; k <= object; k <<= 1 {
		if n.kinds&k != 0 && !(k == null && n.kinds != null && n.kinds != every) {
			possible = append(possible, k)
		}
	}
	if n.kinds == every {
		possible = d.likely(n)
	}
	if n.kinds&number != 0 && n.kinds != every {
		possible = slices.DeleteFunc(possible, func(k kinds) bool { return k == integer })
	}
	if len(possible) == 0 {
		return nil
	}
	return d.ofKind(n, possible[d.Below(len(possible))], depth, name)
}

// isNested reports whether one of the schemas with names is around already, for readers.
func (d *drawing) isNested(named []*jsontree.Value) bool {
	return d.Profile == Page && slices.ContainsFunc(named, func(one *jsontree.Value) bool { return slices.Contains(d.within, one) })
}

// pick chooses an alternative: for readers, one that is neither deprecated nor within itself, if there is one.
func (d *drawing) pick(group []*jsontree.Value) int {
	var fit []int
	for i := 0; i < len(group) && d.Profile == Page; i++ {
		if n := d.nodes.node(group[i]); !n.deprecated && !d.isNested(n.named) {
			fit = append(fit, i)
		}
	}
	if len(fit) == 0 {
		return d.Below(len(group))
	}
	at := d.Below(len(fit)) + d.shift
	d.shift = 0
	return fit[at%len(fit)]
}

// ownValue is a value of the schema itself, or one that is supplied.
func (d *drawing) ownValue(n *node, name string) *jsontree.Value {
	for _, from := range [][]*jsontree.Value{n.examples, n.samples} {
		if d.Profile == Page && !d.retry && len(from) > 0 {
			return from[d.Below(len(from))]
		}
	}
	if n.choices != nil {
		fit := slices.DeleteFunc(slices.Clone(n.choices), func(one *jsontree.Value) bool { return kindOf(one)&n.kinds == 0 })
		if len(fit) == 0 {
			return nil
		}
		return fit[d.Below(len(fit))]
	}
	if d.Supply != nil && name != "" {
		if json, ok := d.Supply(d.Choices, name); ok {
			if v, err := jsontree.Parse([]byte(json)); err == nil && kindOf(v)&n.kinds != 0 {
				return v
			}
		}
	}
	if len(n.samples) > 0 && d.Chance(3) {
		return n.samples[d.Below(len(n.samples))]
	}
	return nil
}

// likely are the kinds that a schema without `type` is about.
func (d *drawing) likely(n *node) []kinds {
	var found []kinds
	if len(n.members)+len(n.required)+n.fewestOf > 0 {
		found = append(found, object)
	}
	if n.items != nil || n.prefix != nil || n.fewest > 0 || n.contains != nil {
		found = append(found, list)
	}
	if n.patterns != nil || n.format != "" || n.shortest > 0 || n.longest >= 0 {
		found = append(found, text)
	}
	if !math.IsInf(n.low, 0) || !math.IsInf(n.high, 0) || n.multiple > 0 {
		found = append(found, number)
	}
	switch {
	case found == nil && d.Profile == Page:
		found = []kinds{object}
	case found == nil:
		found = []kinds{text, integer, boolean}
	}
	return found
}

func (d *drawing) ofKind(n *node, k kinds, depth int, name string) *jsontree.Value {
	switch k {
	case null:
		return &jsontree.Value{}
	case boolean:
		return jsontree.NewBool((d.Below(2) == 1) != (d.Profile == Page))
	case integer:
		return d.number(n, true, name)
	case number:
		return d.number(n, (d.Below(2) == 0) != (d.Profile == Page), name)
	case text:
		s := d.text(n)
		if n.shortest > mostMade || d.spends(len(s)) {
			return nil
		}
		return jsontree.NewText(s)
	case list:
		return d.list(n, depth, name)
	}
	return d.object(n, depth)
}

// ends returns the bounds within which a number is drawn, and how far it usually is from the first.
func (d *drawing) ends(n *node, whole bool, name string) (low, high, usual float64) {
	low, high, usual = n.low, n.high, 1000
	if d.Profile == Page {
		low = n.calmNumber(whole)
	}
	if d.Profile == Hard {
		usual = 1e15
	} else if span := duration(name, n.description); span > 0 {
		usual = span
	}
	const far = 1e9 // a bound farther off, such as that of 64 bits, is that of a type rather than one of an author
	if d.Profile != Hard && low < -far {
		low = math.Inf(-1)
	}
	if d.Profile != Hard && high > far {
		high = math.Inf(1)
	}
	switch {
	case math.IsInf(low, 0) && math.IsInf(high, 0):
		low, high = 0, usual
		if d.Chance(4) {
			low = -usual
		}
	case math.IsInf(high, 0):
		high = max(low+1, low+usual)
	case math.IsInf(low, 0):
		low = high - usual
		if high > 0 {
			low = 0
		}
	}
	return max(low, n.low), min(high, n.high), usual
}

// number draws a number.
func (d *drawing) number(n *node, whole bool, name string) *jsontree.Value {
	low, high, usual := d.ends(n, whole, name)
	if span := duration(name, n.description); span > 0 && low+span < high {
		high = max(low, span)
	}
	if step := n.multiple; step > 0 {
		first, last := math.Ceil(low/step), math.Floor(high/step)
		return num(math.Round(d.between(first, min(last, first+usual))) * step)
	}
	f := d.between(low, high)
	if d.Below(2) == 0 {
		f = low + math.Round(d.between(0, min(high-low, 20)))
	}
	if whole {
		f = math.Round(f)
		if f < low || f == n.low && n.lowOpen {
			f = math.Floor(low) + 1
		}
		if f > high || f == high && n.highOpen {
			f = math.Ceil(high) - 1
		}
		return num(f)
	}
	if rounded := math.Round(f*100) / 100; rounded >= low && rounded <= high {
		f = rounded
	}
	if f == n.low && n.lowOpen || f == high && n.highOpen {
		f = low + (high-low)/2
	}
	return num(f)
}

// calmNumber returns a number for readers that fits, or the lower bound.
func (n *node) calmNumber(whole bool) float64 {
	for _, f := range []float64{1.5, 0.5, 1, n.multiple, 2 * n.multiple, 3 * n.multiple, 4 * n.multiple, 0} {
		steps := math.Round(f / n.multiple) // of no meaning without one
		isStep := f == 0 || n.multiple == 0 || steps > 0 && math.Abs(f/steps-n.multiple) < n.multiple*1e-9
		if isStep && (!whole || f == math.Trunc(f)) && n.low <= f && f <= n.high && !(f == n.low && n.lowOpen) && !(f == n.high && n.highOpen) {
			return f
		}
	}
	return n.low
}

// num writes a number without an exponent where that is short.
func num(f float64) *jsontree.Value {
	f = max(-math.MaxFloat64, min(f, math.MaxFloat64)) // JSON has no infinity
	if math.Abs(f) < 1e16 {
		return jsontree.NewNumber(strconv.FormatFloat(f, 'f', -1, 64))
	}
	return jsontree.NewNumber(strings.Replace(strconv.FormatFloat(f, 'g', -1, 64), "e+", "e", 1))
}

// duration is the longest time that an argument may ask to wait, in its own unit, if it says so: 50 ms. It is 0 for other arguments.
func duration(name, description string) float64 {
	lower := strings.ToLower(name)
	about := lower + " " + strings.ToLower(description)
	has := func(in string, words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(in, w) })
	}
	switch {
	case has(about, "millisecond") || has(lower, "_ms", "millis") || strings.HasSuffix(name, "Ms") || lower == "ms":
		return 50
	case has(lower, "second", "delay", "wait", "timeout", "duration", "sleep"), has(about, " seconds"):
		return 0.05
	}
	return 0
}

// list draws a list.
func (d *drawing) list(n *node, depth int, name string) *jsontree.Value {
	low, high := n.fewest, n.most
	if low > mostMade/16 {
		return nil
	}
	contained := -1 // the element that fits `contains`
	if n.contains != nil {
		contained = len(n.prefix)
		low = max(low, contained+1)
	}
	if high < 0 || high > low+8 {
		high = low + 4
	}
	if d.Profile == Page && d.extent == all && !d.plain {
		low = max(low, len(n.prefix), min(1, high))
	}
	if depth >= deepest || d.extent == none || d.plain {
		high = low
	}
	if d.Profile != Page && d.extent == all {
		low = max(low, min(2, high))
	}
	out := &jsontree.Value{Kind: jsontree.Array}
	for i := range low + d.Below(high-low+1) {
		schemas := d.nodes.node(n.element(i)...)
		if i == contained {
			schemas = d.nodes.node(append(slices.Clone(n.element(i)), n.contains)...)
		}
		item := d.distinct(n, out, func() *jsontree.Value { return d.value(schemas, depth+1, strings.TrimSuffix(name, "s")) })
		if item == nil && i < n.fewest {
			return nil
		}
		if item == nil {
			break
		}
		out.Items = append(out.Items, *item)
	}
	return out
}

// distinct draws an element that differs from the others, if it has to.
func (d *drawing) distinct(n *node, in *jsontree.Value, draw func() *jsontree.Value) *jsontree.Value {
	item := draw()
	for range 20 {
		if item == nil || !n.unique || !d.spends(2*len(in.Items)) && !slices.ContainsFunc(in.Parts(), item.Equal) {
			return item
		}
		item = draw()
	}
	return nil
}

// object draws an object.
func (d *drawing) object(n *node, depth int) *jsontree.Value {
	if n.fewestOf > mostMade/16 {
		return nil
	}
	out := &jsontree.Value{Kind: jsontree.Object}
	put := func(name string) {
		if d.spends(len(name)+len(out.Fields)/16) || out.In(name) != nil {
			return
		}
		schemas, _ := n.member(name)
		if v := d.value(d.nodes.node(schemas...), depth+1, name); v != nil {
			out.Fields = append(out.Fields, jsontree.Member{Name: name, Value: *v})
		}
	}
	for _, name := range n.members {
		if slices.Contains(n.required, name) || d.wants(depth) && !d.leavesOut(n, name) {
			put(name)
		}
	}
	for _, name := range n.required {
		if put(name); out.In(name) == nil { // there is no value of it
			return nil
		}
	}
	for range 4 {
		for _, name := range out.Names() {
			for _, other := range n.with[name] {
				put(other)
			}
		}
	}
	d.more(n, out, put)
	for i := len(out.Fields) - 1; i >= 0 && n.mostOf >= 0 && len(out.Fields) > n.mostOf; i-- {
		if !slices.Contains(n.required, out.Fields[i].Name) {
			out.Fields = slices.Delete(out.Fields, i, i+1)
		}
	}
	return out
}

// leavesOut reports whether an optional member is not for readers: it is deprecated, stands in place of another one, or its schema only says what it is not.
func (d *drawing) leavesOut(n *node, name string) bool {
	schemas, _ := n.member(name)
	is := d.nodes.node(schemas...)
	return d.Profile == Page && (is.deprecated || slices.Contains(n.others, name) || len(is.schemas) == 1 && slices.Equal(is.schemas[0].Names(), []string{"not"}))
}

// wants decides about an optional member.
func (d *drawing) wants(depth int) bool {
	switch {
	case d.extent == all && d.Profile == Page && !d.plain:
		return depth < 3*deepest
	case d.extent == all:
		return depth < deepest
	case d.extent == none || d.plain || depth >= deepest:
		return false
	}
	return d.Below(2) == 1
}

// more adds members without a name of their own: those that a map has, and those that make the object large enough.
func (d *drawing) more(n *node, out *jsontree.Value, put func(string)) {
	isMap := len(n.members) == 0 && (len(n.additional) > 0 || len(n.byPattern) > 0)
	wanted := n.fewestOf
	if isMap && !n.closed && d.extent != none && !d.plain {
		wanted = max(wanted, d.Below(3))
		if d.Profile == Page {
			wanted = max(wanted, 1)
		}
	}
	for _, name := range n.members {
		if len(out.Fields) < wanted {
			put(name)
		}
	}
	names := d.nodes.node(n.names...)
	for i := 0; len(out.Fields) < wanted && i < 4*wanted && d.made <= mostMade; i++ {
		switch {
		case len(n.names) > 0:
			put(d.text(names))
		case len(n.byPattern) > 0:
			put(d.match(n.byPattern[d.Below(len(n.byPattern))].re))
		default:
			put([]string{"key", "name", "color", "size", "level"}[d.Below(5)] + strings.Repeat("_x", i/5))
		}
	}
}

// Choices are numbers that values are drawn from: the same numbers draw the same value. They are made by [NewChoices], at random, or by
// [FromBytes]. A number that is less draws a simpler value, as a rule. Choices are not safe for concurrent use.
type Choices struct {
	tape   []uint64   // what is left of it
	random *rand.Rand // nil for a tape
}

// NewChoices returns choices at random, for two seeds.
func NewChoices(seed1, seed2 uint64) *Choices {
	return &Choices{random: rand.New(rand.NewPCG(seed1, seed2))}
}

// FromBytes returns the choices of a tape that is given as bytes, as a fuzzer has them: two bytes a choice. After its end, every choice is 0.
func FromBytes(b []byte) *Choices {
	tape := make([]uint64, 0, len(b)/2+1)
	for len(b) > 1 {
		tape = append(tape, (uint64(b[0])<<8|uint64(b[1]))*0x9e3779b97f4a7c15)
		b = b[2:]
	}
	return &Choices{tape: tape}
}

func (c *Choices) next() (one uint64) {
	switch {
	case c.random != nil:
		return c.random.Uint64()
	case len(c.tape) > 0:
		one, c.tape = c.tape[0], c.tape[1:]
	}
	return one
}

// Below returns a number from 0 to n-1, and 0 for n below 2, without a choice.
func (c *Choices) Below(n int) int {
	if n < 2 {
		return 0
	}
	high, _ := bits.Mul64(c.next(), uint64(n))
	return int(high)
}

// Chance reports true one time in n. A choice of zero is false.
func (c *Choices) Chance(n int) bool { return c.Below(n) == n-1 }

// between returns a number from low to high, near low when the choice is small.
func (c *Choices) between(low, high float64) float64 {
	part := float64(c.next()>>11) / (1 << 53)
	return low*(1-part) + high*part // high-low may be more than a float64 can hold
}

// seedOf hashes words into a seed, so that a case has its own.
func seedOf(words ...string) uint64 {
	h := fnv.New64a()
	for _, word := range words {
		io.WriteString(h, word+"\xff")
	}
	return h.Sum64()
}

// For returns the choices of one case: of a seed, and of words that name the case.
func For(seed uint64, words ...string) *Choices { return NewChoices(seed, seedOf(words...)) }
