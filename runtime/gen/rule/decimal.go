package rule

import (
	"hash/maphash"
	"math"
	"math/big"
	"strconv"
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

// DecimalMin checks that the number text v is at least min, or greater than min if exclusive.
func DecimalMin(vs *Violations, at, v, min string, exclusive bool) {
	c := CompareDecimal(v, min)
	switch {
	case exclusive && c <= 0:
		bound(vs, at, "exclusiveMinimum", "more than ", min, v)
	case c < 0:
		bound(vs, at, "minimum", "at least ", min, v)
	}
}

// DecimalMax checks that the number text v is at most max, or less than max if exclusive.
func DecimalMax(vs *Violations, at, v, max string, exclusive bool) {
	c := CompareDecimal(v, max)
	switch {
	case exclusive && c >= 0:
		bound(vs, at, "exclusiveMaximum", "less than ", max, v)
	case c > 0:
		bound(vs, at, "maximum", "at most ", max, v)
	}
}

// DecimalMultipleOf checks that the number text v is an integer multiple of of, the text of a
// positive number.
func DecimalMultipleOf(vs *Violations, at, v, of string) {
	if !multipleDecimal(v, of) && !vs.skips(at) {
		bound(vs, at, "multipleOf", "a multiple of ", of, v)
	}
}

// MultipleOfText is [DecimalMultipleOf] for numbers of a Go type, if the divisor does not fit one.
func MultipleOfText[T Numeric](vs *Violations, at string, v T, of string) {
	var text numeral
	if half := 0.5; T(half) != 0 && nearMultiple(float64(v), of) {
		return
	}
	DecimalMultipleOf(vs, at, string(format(&text, v)), of)
}

// IsMultiple reports whether the number text v is a whole multiple of of, the text of a number that is not zero.
func IsMultiple(v, of string) bool { return multipleDecimal(v, of) }

// multipleDecimal divides exactly, without writing out the zeros of a large exponent, which a peer
// may choose. The digits of a decimal do not end in zero, so a quotient with a negative power of
// ten is never an integer.
func multipleDecimal(v, of string) bool {
	x, _ := parseDecimal(v)
	y, _ := parseDecimal(of)
	shift := x.exp - int64(len(x.digits)) - (y.exp - int64(len(y.digits)))
	switch {
	case x.digits == "": // zero is a multiple of everything
		return true
	case y.digits == "" || shift < 0:
		return false
	case y.digits == "1":
		return true
	}
	divisor, _ := new(big.Int).SetString(y.digits, 10)
	rest := remainder(x.digits, divisor)
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

// decimal stands for 0.digits * 10^exp. The digits have no leading and no trailing zeros, and are
// empty for zero.
type decimal struct {
	neg    bool
	digits string
	exp    int64
}

// CompareDecimal compares two JSON number texts exactly. The result is negative if a < b, zero if a
// == b, and positive if a > b.
func CompareDecimal(a, b string) int {
	x, _ := parseDecimal(a)
	y, _ := parseDecimal(b)
	switch {
	case x.digits == "" && y.digits == "":
		return 0
	case x.digits == "":
		return sign(!y.neg)
	case y.digits == "" || x.neg != y.neg:
		return sign(x.neg)
	case x.neg:
		return magnitude(y, x)
	default:
		return magnitude(x, y)
	}
}

// sign returns -1 if negative, and 1 otherwise.
func sign(negative bool) int {
	if negative {
		return -1
	}
	return 1
}

func magnitude(x, y decimal) int {
	if x.exp != y.exp {
		return sign(x.exp < y.exp)
	}
	switch {
	case x.digits < y.digits: // without trailing zeros the order of texts is the order of values
		return -1
	case x.digits > y.digits:
		return 1
	}
	return 0
}

// farthest is the limit of exponents. From there on only the sign matters.
const farthest = 1 << 61

// parseDecimal parses a JSON number. It allocates only for a number with digits on both sides of
// the point.
func parseDecimal(s string) (d decimal, ok bool) {
	if s != "" && s[0] == '-' {
		d.neg, s = true, s[1:]
	}
	mantissa, exp := s, int64(0)
	for i := range len(s) {
		if s[i]|0x20 == 'e' {
			n, _ := strconv.ParseInt(s[i+1:], 10, 64) // the nearest one if it is out of range
			mantissa, exp = s[:i], min(max(n, -farthest), farthest)
			break
		}
	}
	whole, frac := mantissa, ""
	for i := range len(mantissa) {
		if mantissa[i] == '.' {
			whole, frac = mantissa[:i], mantissa[i+1:]
			break
		}
	}
	if whole == "" {
		return d, false
	}
	digits := whole + frac
	point := len(whole)
	for digits != "" && digits[0] == '0' {
		digits = digits[1:]
		point--
	}
	for digits != "" && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	d.digits, d.exp = digits, int64(point)+exp
	return d, true
}

// IsWhole reports whether the JSON number text s has no fraction, as 1, 1.0 and 1e2 have none.
func IsWhole(s string) bool {
	d, _ := parseDecimal(s)
	return d.digits == "" || d.exp >= int64(len(d.digits))
}

// HashDecimal returns a hash of the JSON number text s that is the same for equal numbers.
func HashDecimal(seed maphash.Seed, s string) uint64 {
	type number struct {
		neg    bool
		exp    int64
		digits uint64
	}
	d, _ := parseDecimal(s)
	if d.digits == "" {
		return maphash.Comparable(seed, number{})
	}
	return maphash.Comparable(seed, number{d.neg, d.exp, maphash.String(seed, d.digits)})
}

// CanonicalDecimal returns the JSON number text s in a form in which equal numbers have equal
// texts.
func CanonicalDecimal(s string) string {
	d, _ := parseDecimal(s)
	switch {
	case d.digits == "":
		return "0"
	case d.exp > farthest/2 || d.exp < -farthest/2:
		return s // parseDecimal has cut the exponent, and must not make different numbers equal
	}
	sign := ""
	if d.neg {
		sign = "-"
	}
	return sign + "." + d.digits + "e" + strconv.FormatInt(d.exp, 10)
}
