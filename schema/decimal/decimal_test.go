package decimal_test

import (
	"flag"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/rpcgen-go/rpcgen/schema/decimal"
)

// Random inputs are the same in each run, so that what fails has failed by a change; -rapid.seed=0 draws others.
func init() {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}

var number = rapid.StringMatching(`-?(0|[1-9][0-9]{0,12})(\.[0-9]{1,8})?([eE][+-]?[0-9]{1,2})?`)

func exact(t *rapid.T, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q", text)
	}
	return r
}

// Everything agrees with arithmetic that expands the numbers.
func TestAgainstRat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, okX := decimal.Parse(a)
		y, okY := decimal.Parse(b)
		if !okX || !okY {
			t.Fatal("not parsed")
		}
		p, q := exact(t, a), exact(t, b)
		if x.Cmp(y) != p.Cmp(q) || x.IsInteger() != p.IsInt() || x.Sign() != p.Sign() || (x.Key() == y.Key()) != (p.Cmp(q) == 0) {
			t.Fatalf("%s %s", a, b)
		}
		if q.Sign() != 0 && x.MultipleOf(y) != new(big.Rat).Quo(p, q).IsInt() {
			t.Fatalf("%s is a multiple of %s: %v", a, b, x.MultipleOf(y))
		}
	})
}

func TestRefused(t *testing.T) {
	for _, text := range []string{"", "-", "01", "1.", ".5", "1e", "1e+", "+1", "0x1", "1_0", "1 ", "NaN", "--1", "1e1.5"} {
		if decimal.IsNumber(text) {
			t.Errorf("%q is taken", text)
		}
	}
}

// Numbers that nobody can expand are compared all the same.
func TestHuge(t *testing.T) {
	huge, _ := decimal.Parse("1e999999999")
	more, _ := decimal.Parse("2e999999999")
	three, _ := decimal.Parse("3")
	if huge.Cmp(more) != -1 || !huge.IsInteger() || huge.MultipleOf(three) {
		t.Error("huge numbers are compared wrongly")
	}
}

func TestInt(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "-0": 0, "1e2": 100, "-7.0": -7} {
		d, _ := decimal.Parse(text)
		if n, ok := d.Int(); !ok || n != want {
			t.Errorf("%s: %d %v", text, n, ok)
		}
	}
	for _, text := range []string{"1.5", "1e30"} {
		d, _ := decimal.Parse(text)
		if _, ok := d.Int(); ok {
			t.Errorf("%s fits", text)
		}
	}
}
