package templates

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"

	"github.com/rpcgen-go/rpcgen/schema/ir"
)

// bounds are the ends of a range as a value of t is compared with them; those that say nothing about t are empty. The bounds of integers are inclusive.
func bounds(t ir.Type, r *ir.Range) (low, high string) {
	switch t := t.(type) {
	case *ir.Int:
		low, high = intBound(r.Min, r.ExclusiveMin, true), intBound(r.Max, r.ExclusiveMax, false)
		if low != "" && outside(t, low, true) {
			low = ""
		}
		if high != "" && outside(t, high, false) {
			high = ""
		}
		return low, high
	case *ir.Float:
		return floatBound(r.Min), floatBound(r.Max)
	}
	return r.Min, r.Max
}

// floatBound leaves out a bound that no float64 reaches.
func floatBound(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return ""
	}
	return goNumber(text)
}

// intBound turns a bound into the integer that it means for integers, inclusive: more than 1.5 is at least 2.
func intBound(text string, exclusive, isMin bool) string {
	x, ok := new(big.Rat).SetString(text)
	if text == "" || !ok {
		return ""
	}
	floor := new(big.Int).Div(x.Num(), x.Denom()) // Euclidean: rounds down, for the denominator is positive
	switch {
	case x.IsInt() && exclusive && isMin:
		floor.Add(floor, big.NewInt(1))
	case x.IsInt() && exclusive:
		floor.Sub(floor, big.NewInt(1))
	case !x.IsInt() && isMin:
		floor.Add(floor, big.NewInt(1))
	}
	return floor.String()
}

// outside reports whether a bound says nothing, because the type's own range is not wider.
func outside(t *ir.Int, bound string, isMin bool) bool {
	b, _ := new(big.Int).SetString(bound, 10)
	low, high := intRange(t)
	if isMin {
		return b.Cmp(low) <= 0
	}
	return b.Cmp(high) >= 0
}

func intRange(t *ir.Int) (low, high *big.Int) {
	bits := uint(t.Bits)
	one := big.NewInt(1)
	if t.Unsigned {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, bits), one)
	}
	half := new(big.Int).Lsh(one, bits-1)
	return new(big.Int).Neg(half), new(big.Int).Sub(half, one)
}

// intMultiple is the integer that an integer must be a multiple of: v is a multiple of a/b when it is one of a, for a/b in
// lowest terms. It reports false when every integer is.
func intMultiple(r *ir.MultipleOf) (of *big.Int, ok bool) {
	n, ok := new(big.Rat).SetString(r.Of)
	if !ok || n.Num().IsInt64() && n.Num().Int64() == 1 {
		return nil, false
	}
	return n.Num(), true
}

// decimalStep writes a decimal as an integer divided by a power of ten.
func decimalStep(text string) (step string, places int) {
	mantissa, exp, _ := strings.Cut(strings.ToLower(text), "e")
	whole, frac, _ := strings.Cut(mantissa, ".")
	n, _ := strconv.Atoi(exp)
	digits := strings.TrimLeft(whole+frac, "0")
	places = len(frac) - n
	for places > 0 && strings.HasSuffix(digits, "0") {
		digits, places = digits[:len(digits)-1], places-1
	}
	for places < 0 {
		digits, places = digits+"0", places+1
	}
	return cmp.Or(digits, "0"), places
}
