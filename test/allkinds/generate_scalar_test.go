package allkinds_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"regexp"
	"strconv"
	"sync"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// formats are texts that have a format, and texts that do not, of the formats of package judge. Where the independent validator reads a format
// differently, it is given ours: see foreignFormats.
var formats = sync.OnceValue(func() (all map[string]struct{ Good, Bad []string }) {
	text, err := os.ReadFile("../../schema/judge/testdata/formats.json")
	if err = errors.Join(err, json.Unmarshal(text, &all)); err != nil {
		panic(err)
	}
	return all
})

// limits collects what rules say of lengths, counts and numbers.
type limits struct {
	low, high          int // of lengths and counts; a negative high is none
	min, max           *big.Rat
	aboveMin, belowMax bool
	of                 *big.Rat
	patterns, formats  []string
	unique             bool
}

func limitsOf(rules []ir.Rule) limits {
	l := limits{high: -1}
	least := func(low, high int) {
		l.low = max(l.low, low)
		if high >= 0 && (l.high < 0 || high < l.high) {
			l.high = high
		}
	}
	for _, r := range rules {
		switch r := r.(type) {
		case *ir.Length:
			least(r.Min, r.Max)
		case *ir.Count:
			least(r.Min, r.Max)
		case *ir.Range:
			if r.Min != "" {
				l.min, l.aboveMin = rational(r.Min), r.ExclusiveMin
			}
			if r.Max != "" {
				l.max, l.belowMax = rational(r.Max), r.ExclusiveMax
			}
		case *ir.MultipleOf:
			l.of = rational(r.Of)
		case *ir.Pattern:
			l.patterns = append(l.patterns, r.Expr)
		case *ir.Format:
			l.formats = append(l.formats, r.Name)
		case *ir.Unique:
			l.unique = true
		}
	}
	return l
}

func rational(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

// compiled are the patterns of the schema.
var compiled sync.Map

func matches(expr, s string) bool {
	re, ok := compiled.Load(expr)
	if !ok {
		re, _ = compiled.LoadOrStore(expr, regexp.MustCompile(expr))
	}
	return re.(*regexp.Regexp).MatchString(s)
}

// length draws a length within limits; a careless generator may miss them by one.
func (g *generator) length(l limits, usual int) int {
	low, high := l.low, l.high
	if high < 0 {
		high = low + usual
	}
	if g.overstep() {
		return choose(g, max(0, low-1), high+1)
	}
	return min(low+g.pick(high-low+1), max(low, min(high, low+40)))
}

func (g *generator) text(rules []ir.Rule) string {
	l := limitsOf(rules)
	if len(l.formats) > 0 {
		f := formats()[l.formats[0]]
		if g.overstep() {
			return choose(g, f.Bad...)
		}
		return choose(g, f.Good...)
	}
	if len(l.patterns) == 0 || g.overstep() {
		n := g.length(l, 6)
		return g.free(n, n)
	}
	s := rapid.StringMatching(l.patterns[0]).Draw(g.t, "match")
	for _, more := range []string{"", "a", "7", "ab", "x"} {
		for len([]rune(s)) < l.low && matches(l.patterns[0], s+more) && more != "" {
			s += more
		}
	}
	if runes := []rune(s); l.high >= 0 && len(runes) > l.high && !g.overstep() {
		s = string(runes[:l.high])
	}
	return s
}

func (g *generator) base64(rules []ir.Rule) string {
	if g.overstep() {
		return choose(g, "a", "ab", "abc", "aGk", "aGl=", "a\nGk=", "aGk= ", "====", "a-_=", "AAAAAAAAAAAAAAAA")
	}
	l := limitsOf(rules)
	high := 9
	if l.high >= 0 {
		high = l.high / 4 * 3
	}
	low := (l.low + 3) / 4 * 3
	return base64.StdEncoding.EncodeToString(rapid.SliceOfN(rapid.Byte(), max(0, low-2), max(low, high)).Draw(g.t, "bytes"))
}

// written is a decimal fraction as text.
func written(r *big.Rat) ir.Value {
	for places := range 40 {
		s := r.FloatString(places)
		if rational(s).Cmp(r) == 0 {
			return ir.NumberValue(s)
		}
	}
	return ir.NumberValue(r.FloatString(10))
}

// between draws a multiple of step within limits, which may be nil; ends are likely.
func (g *generator) between(l limits, low, high, step *big.Rat) *big.Rat {
	if l.min != nil && l.min.Cmp(low) > 0 {
		low = l.min
	}
	if l.max != nil && l.max.Cmp(high) < 0 {
		high = l.max
	}
	if l.of != nil {
		step = l.of
	}
	if g.overstep() {
		half := new(big.Rat).Quo(step, big.NewRat(2, 1))
		return choose(g, new(big.Rat).Sub(low, step), new(big.Rat).Add(high, step), new(big.Rat).Add(low, half), low, high)
	}
	first := new(big.Rat).Quo(low, step)
	n := new(big.Int).Div(first.Num(), first.Denom())
	if new(big.Rat).SetInt(n).Cmp(first) < 0 {
		n.Add(n, big.NewInt(1))
	}
	last := new(big.Rat).Quo(high, step)
	count := new(big.Int).Sub(new(big.Int).Div(last.Num(), last.Denom()), n)
	switch g.pick(4) {
	case 0:
	case 1:
		n.Add(n, count)
	default:
		most := int64(1 << 40)
		if count.IsInt64() && count.Int64() < most {
			most = max(0, count.Int64())
		}
		n.Add(n, big.NewInt(rapid.Int64Range(0, most).Draw(g.t, "n")))
	}
	if g.chance(3) && low.Sign() <= 0 && high.Sign() >= 0 {
		n.SetInt64(rapid.Int64Range(-3, 3).Draw(g.t, "small"))
	}
	return new(big.Rat).Mul(new(big.Rat).SetInt(n), step)
}

func power(base, exp int64) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(exp), nil))
}

func (g *generator) integer(t *ir.Int, rules []ir.Rule) ir.Value {
	low, high := new(big.Rat), new(big.Rat)
	one := big.NewRat(1, 1)
	if t.Unsigned {
		high.Sub(power(2, int64(t.Bits)), one)
	} else {
		low.Neg(power(2, int64(t.Bits-1)))
		high.Sub(power(2, int64(t.Bits-1)), one)
	}
	l := limitsOf(rules)
	if l.of != nil { // an integer is a multiple of a/b when it is one of a
		l.of = new(big.Rat).SetInt(l.of.Num())
	}
	return written(g.between(l, low, high, one))
}

// float draws a number of at most 15 digits: a float64 holds it, so that limits mean the same before and after rounding. (A
// decoder rounds first: 0.1 and 0.1000000000000000055 are one number for it, and two for those who read decimals.)
func (g *generator) float(rules []ir.Rule) ir.Value {
	if len(rules) == 0 {
		if g.overstep() {
			return ir.NumberValue(choose(g, "1e309", "-1e400"))
		}
		if g.chance(3) {
			return ir.NumberValue(choose(g, "0", "-0", "0.1", "2330591.93", "1e21", "1e-7", "5e-324", "1.7976931348623157e308", "0.3", "100", "-1.5e-9"))
		}
		return ir.NumberValue(strconv.FormatFloat(float64(rapid.Int64Range(-1<<49, 1<<49).Draw(g.t, "digits"))/choose(g, 1.0, 10, 1000, 1e6), 'g', 15, 64))
	}
	return written(g.between(limitsOf(rules), rational("-100000"), rational("100000"), choose(g, rational("1"), rational("0.25"), rational("0.001"))))
}

func (g *generator) decimal(rules []ir.Rule) ir.Value {
	if len(rules) == 0 {
		return ir.NumberValue(choose(g, "0", "19.990", "-1.50", "123456789012345678901234567890.5", "1e30", "0.1", "1E+2", "-0.0"))
	}
	return written(g.between(limitsOf(rules), rational("-1e40"), rational("1e40"), choose(g, rational("1"), rational("0.001"))))
}
