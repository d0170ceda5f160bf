package wire

import "strconv"

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

// CanonicalNumber returns the JSON number text s in a form in which equal numbers have equal texts,
// and s itself if its exponent is beyond half of [Farthest]. The time is proportional to the length of s.
func CanonicalNumber(s string) string {
	d, _ := ParseDecimal(s)
	switch {
	case d.Digits == "":
		return "0"
	case d.Exp > Farthest/2 || d.Exp < -Farthest/2: // ParseDecimal may have cut it
		return s
	case d.Neg:
		return "-." + d.Digits + "e" + strconv.FormatInt(d.Exp, 10)
	}
	return "." + d.Digits + "e" + strconv.FormatInt(d.Exp, 10)
}
