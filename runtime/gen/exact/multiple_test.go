package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestMultipleOfFloat: a number is a multiple if it is the float64 nearest to one, however large it is.
func TestMultipleOfFloat(t *testing.T) {
	for _, c := range []struct {
		v      float64
		step   uint64
		places int
		ok     bool
	}{
		{-999944294967295.625, 125, 3, true}, {-999944294967295.5, 125, 3, true}, {0.3, 1, 1, true}, {0.30000000000000004, 1, 1, false}, {0, 7, 0, true},
		{1e300, 1, 0, true}, {1e300, 3, 0, true}, {3e22, 3, 0, true}, {1e15, 3, 0, false}, {1e-7, 1, 7, true}, {1e-7, 1, 6, false}, {math.MaxFloat64, 1, 0, true}, {5e-324, 1, 300, false},
		{123456789012345.67, 1, 2, true}, {12345678901234.567, 1, 2, false}, {math.Inf(1), 1, 0, false}, {math.NaN(), 1, 0, false},
	} {
		if got := multiple(c.v, c.step, c.places); got != c.ok {
			t.Errorf("%v, %s: %v", c.v, decimalText(c.step, c.places), got)
		}
	}
	// What is read from the text of a multiple is one.
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		step, places := 1+r.Uint64N(1000), r.IntN(20)
		m := new(big.Rat).SetFrac(new(big.Int).SetUint64(step), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
		m.Mul(m, new(big.Rat).SetInt64(r.Int64()>>r.IntN(63)))
		v, err := strconv.ParseFloat(m.FloatString(places), 64)
		if err != nil || !multiple(v, step, places) || !nearMultiple(v, decimalText(step, places)) {
			t.Fatalf("%s is a multiple of %s", m.FloatString(places), decimalText(step, places))
		}
	}
}
