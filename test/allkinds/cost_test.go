package allkinds_test

import (
	"bytes"
	"flag"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/test/cputime"
)

var exhaustive = flag.Bool("exhaustive", false, "try everything, and no sample of it")

// A growth is a way to make a text of a type large: the value of one of its parts takes about n bytes.
type growth struct {
	path string
	text func(n int) string
}

// repeat returns part as often as it takes n bytes, with commas between.
func repeat(part string, n int) string {
	return strings.TrimSuffix(strings.Repeat(part+",", 1+n/(len(part)+1)), ",")
}

// numbered is repeat for parts that differ: the first %d is their number.
func numbered(format string, n int) string {
	before, after, _ := strings.Cut(format, "%d")
	var s strings.Builder
	for i := 0; s.Len() < n; i++ {
		if i > 0 {
			s.WriteByte(',')
		}
		s.WriteString(before + strconv.Itoa(i) + after)
	}
	return s.String()
}

// junk are elements and members' values of every kind, which fit some types and break others.
var junk = []string{`{}`, `[]`, `null`, `1`, `""`, `"\n"`, `0.5`, `{"type":"circle"}`, `{"kind":"x"}`, `[[]]`, `{"a":{}}`, `true`, `"a@b.example"`}

// growths are the ways to make a text of a type large, in each part that is at most depth types away.
func growths(t ir.Type, depth int) []growth {
	all := anyGrowths()
	switch t := t.(type) {
	case *ir.Ref:
		if t.Decl.Go.Type == "" {
			return growths(t.Decl.Type, depth)
		}
	case *ir.Nullable:
		return growths(t.Elem, depth)
	case *ir.List:
		all = append(all, elementGrowths(t.Elem, depth)...)
	case *ir.Tuple:
		all = append(all, tupleGrowths(t, depth)...)
	case *ir.Map:
		all = append(all, memberGrowths("", "", t.Elem, depth)...)
	case *ir.Struct:
		all = append(all, structGrowths(t, depth)...)
	case *ir.Union:
		for _, b := range t.Branches {
			if depth > 0 {
				all = append(all, growths(b.Type, depth-1)...)
			}
		}
	}
	return all
}

// anyGrowths are large values of the kinds that every reader meets.
func anyGrowths() []growth {
	return []growth{
		{"text", func(n int) string { return `"` + strings.Repeat("a", n) + `"` }},
		{"escapes", func(n int) string { return `"` + strings.Repeat(`\u0061`, n/6) + `"` }},
		{"digits", func(n int) string { return "1" + strings.Repeat("7", n) }},
		{"fraction", func(n int) string { return "0." + strings.Repeat("3", n) + "e-7" }},
		{"zeros", func(n int) string { return "1" + strings.Repeat("0", n) }},
		{"exponent", func(n int) string { return "1e" + strings.Repeat("9", n) }},
		{"array", func(n int) string { return "[" + repeat("{}", n) + "]" }},
		{"object", func(n int) string { return "{" + numbered(`"%d":1`, n) + "}" }},
		{"spaces", func(n int) string { return "[" + strings.Repeat(" ", n) + "1]" }},
	}
}

func elementGrowths(elem ir.Type, depth int) []growth {
	all := []growth{
		{"/numbers", func(n int) string { return "[" + numbered("%d", n) + "]" }},
		{"/texts", func(n int) string { return "[" + numbered(`"%d"`, n) + "]" }},
		{"/objects", func(n int) string { return "[" + numbered(`{"%d":1}`, n) + "]" }},
	}
	for _, part := range append([]string{least(elem, 3)}, junk...) {
		all = append(all, growth{"/*" + part, func(n int) string { return "[" + repeat(part, n) + "]" }})
	}
	if depth == 0 {
		return all
	}
	for _, g := range growths(elem, depth-1) {
		all = append(all, growth{"/0" + g.path, func(n int) string { return "[" + g.text(n) + "]" }})
		all = append(all, growth{"/*" + g.path, func(n int) string { return "[" + repeat(g.text(min(n, 200)), n) + "]" }})
	}
	return all
}

// memberGrowths are large objects of many members, after those of head, which is followed by a comma.
func memberGrowths(path, head string, elem ir.Type, depth int) []growth {
	all := []growth{
		{path + "/same", func(n int) string { return "{" + head + repeat(`"a":1`, n) + "}" }},
		{path + "/escaped", func(n int) string { return "{" + head + numbered(`"\u0061%d":1`, n) + "}" }},
		{path + "/long", func(n int) string { return "{" + head + `"` + strings.Repeat("a", n) + `":1}` }},
		{path + "/nested", func(n int) string {
			return "{" + head + `"` + strings.Repeat("a", n/2) + `":[` + repeat("{}", n/2) + "]}"
		}},
	}
	for _, part := range append([]string{least(elem, 3)}, junk...) {
		all = append(all, growth{path + "/" + part, func(n int) string {
			return "{" + head + numbered(`"k%d":`+part, n) + "}"
		}})
	}
	if depth == 0 {
		return all
	}
	for _, g := range growths(elem, depth-1) {
		all = append(all, growth{path + "/k" + g.path, func(n int) string { return "{" + head + `"k":` + g.text(n) + "}" }})
		all = append(all, growth{path + "/k*" + g.path, func(n int) string {
			return "{" + head + numbered(`"k%d":`+g.text(min(n, 200)), n) + "}"
		}})
	}
	return all
}

// tupleGrowths are large arrays: of many elements, and with one that is large.
func tupleGrowths(t *ir.Tuple, depth int) []growth {
	rest := t.Rest
	if rest == nil {
		rest = &ir.Any{}
	}
	all := elementGrowths(rest, 0)
	before := ""
	for i, f := range t.Items {
		head := "[" + before
		before += least(f.Type, 2) + ","
		if depth == 0 {
			continue
		}
		for _, g := range growths(f.Type, depth-1) {
			all = append(all, growth{"/" + strconv.Itoa(i) + g.path, func(n int) string { return head + g.text(n) + "]" }})
		}
	}
	for _, part := range append([]string{least(rest, 3)}, junk...) {
		all = append(all, growth{"/..." + part, func(n int) string { return "[" + before + repeat(part, n) + "]" }})
	}
	return all
}

func structGrowths(s *ir.Struct, depth int) []growth {
	extra := s.Extra
	if extra == nil {
		extra = &ir.Any{}
	}
	all := memberGrowths("/?", leastMembers(s, "", 2), extra, 0)
	if depth == 0 {
		return all
	}
	for _, f := range s.Fields {
		head := leastMembers(s, f.Name, 2) + strconv.Quote(f.Name) + ":"
		for _, g := range growths(f.Type, depth-1) {
			all = append(all, growth{"/" + f.Name + g.path, func(n int) string { return "{" + head + g.text(n) + "}" }})
		}
	}
	return all
}

// least writes a small value of a type; it need not be valid.
func least(t ir.Type, depth int) string {
	if depth < 0 {
		return "null"
	}
	switch t := t.(type) {
	case *ir.Ref:
		return least(t.Decl.Type, depth)
	case *ir.Bool:
		return "true"
	case *ir.Int, *ir.Float, *ir.Decimal:
		return "1"
	case *ir.String, *ir.Bytes, *ir.ID:
		return `""`
	case *ir.Time:
		return `"2026-01-31T12:00:00Z"`
	case *ir.Literal:
		return literal(t.Value)
	case *ir.Enum:
		return literal(t.Values[0].Value)
	case *ir.List:
		return "[]"
	case *ir.Tuple:
		var parts []string
		for _, f := range t.Items {
			if !f.Optional {
				parts = append(parts, least(f.Type, depth-1))
			}
		}
		return "[" + strings.Join(parts, ",") + "]"
	case *ir.Struct:
		return "{" + strings.TrimSuffix(leastMembers(t, "", depth-1), ",") + "}"
	case *ir.Union:
		return least(t.Branches[0].Type, depth-1)
	case *ir.Map:
		return "{}"
	}
	return "null"
}

func literal(v ir.Value) string {
	if v.Kind == ir.Text {
		return strconv.Quote(v.Text)
	}
	return v.Text
}

// leastMembers writes the required members of a struct but one, each followed by a comma.
func leastMembers(s *ir.Struct, but string, depth int) string {
	var b strings.Builder
	for _, f := range s.Fields {
		if !f.Optional && f.Name != but {
			b.WriteString(strconv.Quote(f.Name) + ":" + least(f.Type, depth) + ",")
		}
	}
	return b.String()
}

// decodeCost returns how many bytes of memory reading and checking a text allocates: the least of up to 18 runs, while that is more than most. What is
// prepared for a type when it is first met is not part of it, and a map of Go has a seed of its own, which decides when its tables are split, so the
// same 13,000 members take between 1.8 and 2.3 MB.
func decodeCost(c codec, text []byte, most uint64) uint64 {
	var before, after runtime.MemStats
	least := uint64(math.MaxUint64)
	for run := 0; run < 18 && least > most; run++ {
		h := c.make()
		runtime.ReadMemStats(&before)
		_ = wire.Unmarshal(text, h.Decode, h.Check)
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// TestCostIsBounded reads texts that grow in each part of each type, in ways that fit and that break every rule, and counts the memory that
// this takes: at most the decode budget, and a little for what a report of violations and the reader itself need.
func TestCostIsBounded(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates as well")
	}
	const size = 128 << 10 // bytes of JSON: the least budget is that of half of it
	depth, every := 2, 13
	switch {
	case *exhaustive:
		every = 1
	case testing.Short():
		depth, every = 3, 97
	}
	i, worst := 0, 0.0
	for _, c := range codecs {
		for _, g := range growths(definitions()[c.name], depth) {
			if i++; i%every != 0 {
				continue
			}
			text := []byte(g.text(size))
			most := uint64(wire.DefaultBudget(len(text))) + 128<<10
			cost := decodeCost(c, text, most)
			worst = max(worst, float64(cost)/float64(len(text)))
			if cost > most {
				t.Errorf("%s%s: %d bytes of JSON took %d bytes of memory, at most %d are allowed\n%.120s", c.name, g.path, len(text), cost, most, text)
			}
		}
	}
	t.Logf("%d texts of %d; at worst %.1f bytes of memory for each byte", i/every, size, worst)
}

// TestTimeIsLinear compares the times for texts of a size and of eight times that size: the time for the larger one is nearer to eight times
// than to 64 times that of the smaller.
func TestTimeIsLinear(t *testing.T) {
	if !*exhaustive {
		t.Skip("measures times, which mean little while something else runs; make exhaustive does")
	}
	const every = 23
	i := 0
	for _, c := range codecs {
		for _, g := range growths(definitions()[c.name], 2) {
			if i++; i%every != 0 {
				continue
			}
			small, large := []byte(g.text(32<<10)), []byte(g.text(256<<10))
			cputime.Linear(t, c.name+g.path, func() { decode(c, small) }, func() { decode(c, large) })
		}
	}
}

// decode reads a text as a type.
func decode(c codec, text []byte) {
	h := c.make()
	_ = wire.Unmarshal(text, h.Decode, h.Check)
}

// FuzzCost reads any text as any type: it costs no more than the decode budget allows.
func FuzzCost(f *testing.F) {
	for _, part := range junk {
		f.Add(0, []byte("["+repeat(part, 200)+"]"))
	}
	f.Fuzz(func(t *testing.T, i int, text []byte) {
		c := codecs[int(uint(i)%uint(len(codecs)))]
		text = bytes.Repeat(text, 1+(64<<10)/(len(text)+1)) // one message is seldom long enough to matter
		most := uint64(wire.DefaultBudget(len(text))) + 256<<10
		if cost := decodeCost(c, text, most); cost > most {
			t.Errorf("%s: %d bytes of JSON took %d bytes of memory", c.name, len(text), cost)
		}
	})
}
