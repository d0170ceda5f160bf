package exact

import (
	"hash/maphash"
	"math"
	"math/big"
	"strconv"

	"github.com/rpcgen-go/rpcgen/runtime/gen/rule"
	"github.com/rpcgen-go/rpcgen/runtime/gen/wire"
)

var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// multiple reports whether v is the float64 nearest to a multiple of step / 10^places. Floating-point
// division cannot decide that (0.3 / 0.1 is not 3), so the value is scaled to an integer where that is
// exact, and otherwise divided exactly.
func multiple(v float64, step uint64, places int) bool {
	if places < len(pow10) {
		u := math.Round(math.Abs(v) * pow10[places])
		if u < 1<<53 && u/pow10[places] == math.Abs(v) && uint64(u)%step == 0 {
			return true
		}
	}
	return nearMultiple(v, decimalText(step, places))
}

// nearMultiple reports whether v is the float64 nearest to a multiple of of, the text of a positive
// number. A text that is a multiple is one, whatever was rounded when it was read.
func nearMultiple(v float64, of string) bool {
	step, ok := new(big.Rat).SetString(of)
	x := new(big.Rat).SetFloat64(v)
	if !ok || x == nil || step.Sign() <= 0 {
		return false
	}
	n, rest := new(big.Int).QuoRem(
		new(big.Int).Mul(x.Num(), step.Denom()), new(big.Int).Mul(x.Denom(), step.Num()), new(big.Int))
	for _, away := range [...]int64{0, int64(rest.Sign())} { // the multiples on both sides
		m := new(big.Rat).SetInt(new(big.Int).Add(n, big.NewInt(away)))
		if near, _ := m.Mul(m, step).Float64(); near == v {
			return true
		}
	}
	return false
}

func decimalText(step uint64, places int) string {
	s := strconv.FormatUint(step, 10)
	if places == 0 {
		return s
	}
	for len(s) <= places {
		s = "0" + s
	}
	return s[:len(s)-places] + "." + s[len(s)-places:]
}

// MultipleOfFloat checks that v is the float64 nearest to an integer multiple of step divided by ten to
// the power of places (multipleOf).
func MultipleOfFloat(vs *rule.Violations, at string, v float64, step uint64, places int) {
	if !multiple(v, step, places) && !vs.Skips(at) {
		boundFault(vs, at, "multipleOf", "a multiple of ", decimalText(step, places), strconv.FormatFloat(v, 'g', -1, 64))
	}
}

// DecimalMin checks that the number text v is at least min, or greater than min if exclusive.
func DecimalMin(vs *rule.Violations, at, v, min string, exclusive bool) {
	c := wire.CompareDecimal(v, min)
	switch {
	case exclusive && c <= 0:
		boundFault(vs, at, "exclusiveMinimum", "more than ", min, v)
	case c < 0:
		boundFault(vs, at, "minimum", "at least ", min, v)
	}
}

// DecimalMax checks that the number text v is at most max, or less than max if exclusive.
func DecimalMax(vs *rule.Violations, at, v, max string, exclusive bool) {
	c := wire.CompareDecimal(v, max)
	switch {
	case exclusive && c >= 0:
		boundFault(vs, at, "exclusiveMaximum", "less than ", max, v)
	case c > 0:
		boundFault(vs, at, "maximum", "at most ", max, v)
	}
}

// DecimalMultipleOf checks that the number text v is an integer multiple of of, the text of a
// positive number.
func DecimalMultipleOf(vs *rule.Violations, at, v, of string) {
	if !multipleDecimal(v, of) && !vs.Skips(at) {
		boundFault(vs, at, "multipleOf", "a multiple of ", of, v)
	}
}

// boundFault reports that got is not in the range that limit bounds. Both are texts of numbers.
func boundFault(vs *rule.Violations, at, keyword, how, limit, got string) {
	const most = 60 // bytes of a number in a message; a decimal may have any number of digits
	if len(got) > most {
		got = got[:most] + "..."
	}
	vs.Add(rule.Violation{Pointer: at, Rule: keyword, Expected: vs.Text(how, limit), Got: vs.Text(got)})
}

// MultipleOfText is [DecimalMultipleOf] for numbers of a Go type, if the divisor does not fit one.
func MultipleOfText[T rule.Numeric](vs *rule.Violations, at string, v T, of string) {
	var text rule.Numeral
	if half := 0.5; T(half) != 0 && nearMultiple(float64(v), of) {
		return
	}
	DecimalMultipleOf(vs, at, string(rule.Format(&text, v)), of)
}

// IsMultiple reports whether the number text v is a whole multiple of of, the text of a number that is not zero.
func IsMultiple(v, of string) bool { return multipleDecimal(v, of) }

// multipleDecimal divides exactly, without writing out the zeros of a large exponent, which a peer
// may choose. The digits of a decimal do not end in zero, so a quotient with a negative power of
// ten is never an integer.
func multipleDecimal(v, of string) bool {
	x, _ := wire.ParseDecimal(v)
	y, _ := wire.ParseDecimal(of)
	shift := x.Exp - int64(len(x.Digits)) - (y.Exp - int64(len(y.Digits)))
	switch {
	case x.Digits == "": // zero is a multiple of everything
		return true
	case y.Digits == "" || shift < 0:
		return false
	case y.Digits == "1":
		return true
	}
	divisor, _ := new(big.Int).SetString(y.Digits, 10)
	rest := remainder(x.Digits, divisor)
	rest.Mul(rest, new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), divisor))
	return rest.Mod(rest, divisor).Sign() == 0
}

// remainder returns digits, taken as an integer, modulo divisor. The time is proportional to the
// number of digits, which the peer chooses; the divisor comes from the schema.
func remainder(digits string, divisor *big.Int) *big.Int {
	const most = 18 // digits of an int64
	rest, scale, part, quotient := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	for digits != "" {
		n := min(most, len(digits))
		v, _ := strconv.ParseInt(digits[:n], 10, 64)
		digits = digits[n:]
		rest.Mul(rest, scale.SetInt64(intPow10(n)))
		rest.Add(rest, part.SetInt64(v))
		quotient.QuoRem(rest, divisor, rest)
	}
	return rest
}

func intPow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// IsWhole reports whether the JSON number text s has no fraction, as 1, 1.0 and 1e2 have none.
func IsWhole(s string) bool {
	d, _ := wire.ParseDecimal(s)
	return d.Digits == "" || d.Exp >= int64(len(d.Digits))
}

// HashDecimal returns a hash of the JSON number text s that is the same for equal numbers.
func HashDecimal(seed maphash.Seed, s string) uint64 {
	type number struct {
		neg    bool
		exp    int64
		digits uint64
	}
	d, _ := wire.ParseDecimal(s)
	if d.Digits == "" {
		return maphash.Comparable(seed, number{})
	}
	return maphash.Comparable(seed, number{d.Neg, d.Exp, maphash.String(seed, d.Digits)})
}
