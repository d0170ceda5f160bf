package wire

import (
	"strconv"
	"strings"
)

// Decimal stands for 0.Digits * 10^Exp. The digits have no leading and no trailing zeros, and are
// empty for zero.
type Decimal struct {
	Neg    bool
	Digits string
	Exp    int64
}

// CompareDecimal compares two JSON number texts exactly. The result is negative if a < b, zero if a
// == b, and positive if a > b.
func CompareDecimal(a, b string) int {
	x, _ := ParseDecimal(a)
	y, _ := ParseDecimal(b)
	switch {
	case x.Digits == "" && y.Digits == "":
		return 0
	case x.Digits == "":
		return sign(!y.Neg)
	case y.Digits == "" || x.Neg != y.Neg:
		return sign(x.Neg)
	case x.Neg:
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

func magnitude(x, y Decimal) int {
	if x.Exp != y.Exp {
		return sign(x.Exp < y.Exp)
	}
	switch {
	case x.Digits < y.Digits: // without trailing zeros the order of texts is the order of values
		return -1
	case x.Digits > y.Digits:
		return 1
	}
	return 0
}

// Farthest is the limit of exponents. From there on only the sign matters.
const Farthest = 1 << 61

// ParseDecimal parses a JSON number. An exponent beyond [Farthest] is cut. It allocates only for a number with digits on both sides of
// the point.
func ParseDecimal(s string) (d Decimal, ok bool) {
	if s != "" && s[0] == '-' {
		d.Neg, s = true, s[1:]
	}
	mantissa, exp := s, int64(0)
	for i := range len(s) {
		if s[i]|0x20 == 'e' {
			n, _ := strconv.ParseInt(s[i+1:], 10, 64) // the nearest one if it is out of range
			mantissa, exp = s[:i], min(max(n, -Farthest), Farthest)
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
	d.Digits, d.Exp = digits, int64(point)+exp
	return d, true
}

// CanonicalNumber returns the JSON number text s in a form in which equal numbers have equal texts.
// The time is proportional to the length of s, however large its exponent is.
func CanonicalNumber(s string) string {
	d, _ := ParseDecimal(s)
	if d.Digits == "" {
		return "0"
	}
	sign := ""
	if d.Neg {
		sign = "-"
	}
	exp := strconv.FormatInt(d.Exp, 10)
	if d.Exp > Farthest/2 || d.Exp < -Farthest/2 { // ParseDecimal may have cut it
		exp = farExponent(s[strings.IndexAny(s, "eE")+1:], d.Exp)
	}
	return sign + "." + d.Digits + "e" + exp
}

// farExponent returns the exponent of a [Decimal] beyond half of [Farthest]. The text e is the exponent of the number, and
// exp the one that ParseDecimal has found.
func farExponent(e string, exp int64) string {
	n, _ := strconv.ParseInt(e, 10, 64)
	more := exp - min(max(n, -Farthest), Farthest) // what the digits before the exponent add to it
	sign := ""
	if e[0] == '-' {
		sign, more = "-", -more
	}
	d := []byte("0" + strings.TrimLeft(e, "+-0"))
	for i := len(d) - 1; more != 0; i-- {
		more += int64(d[i] - '0')
		digit := (more%10 + 10) % 10
		d[i], more = '0'+byte(digit), (more-digit)/10
	}
	return sign + strings.TrimLeft(string(d), "0")
}
