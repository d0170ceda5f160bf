package wire

import (
	"strconv"
	"strings"
)

// Number is the text of a JSON number, exactly as it was written. It is for amounts of money and integers of any size. The empty Number is written as 0.
type Number string

// Valid reports whether n is a JSON number.
func (n Number) Valid() bool { return n != "" && SkipNumber([]byte(n), 0) == len(n) }

// Float64 returns the nearest float64, or an error if the number is out of range.
func (n Number) Float64() (float64, error) { return strconv.ParseFloat(string(n), 64) }

// Int64 returns the number as an integer. It fails if the number is not an integer or out of range;
// 1.0 and 1e2 are integers.
func (n Number) Int64() (int64, error) {
	if text, ok := integerText(string(n)); ok {
		return strconv.ParseInt(text, 10, 64)
	}
	return 0, &strconv.NumError{Func: "Int64", Num: string(n), Err: strconv.ErrSyntax}
}

var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// readInt reads the integer at index i if it has at most 18 digits, as nearly all have. Otherwise end is negative.
func readInt(b []byte, i int) (v int64, end int) {
	negative := false
	if uint(i) < uint(len(b)) && b[i] == '-' {
		negative = true
		i++
	}
	start := i
	for uint(i) < uint(len(b)) {
		c := b[i] - '0'
		if c > 9 {
			if b[i] == '.' || b[i]|0x20 == 'e' {
				return 0, bad
			}
			break
		}
		v = v*10 + int64(c)
		i++
	}
	if n := i - start; n == 0 || n > 18 || b[start] == '0' && n > 1 {
		return 0, bad
	}
	if negative {
		v = -v
	}
	return v, i
}

// readFloat reads the number at index i if it has no exponent and its digits fit a float64 exactly. Otherwise end is negative.
func readFloat(b []byte, i int) (v float64, end int) {
	negative := false
	if uint(i) < uint(len(b)) && b[i] == '-' {
		negative = true
		i++
	}
	start := i
	var u uint64
	for uint(i) < uint(len(b)) && b[i]-'0' <= 9 {
		u = u*10 + uint64(b[i]-'0')
		i++
	}
	n := i - start
	if n == 0 || b[start] == '0' && n > 1 {
		return 0, bad
	}
	places := 0
	if uint(i) < uint(len(b)) && b[i] == '.' {
		i++
		point := i
		for uint(i) < uint(len(b)) && b[i]-'0' <= 9 {
			u = u*10 + uint64(b[i]-'0')
			i++
		}
		if places = i - point; places == 0 {
			return 0, bad
		}
	}
	if n+places > 15 || uint(i) < uint(len(b)) && b[i]|0x20 == 'e' {
		return 0, bad
	}
	v = float64(int64(u)) // processors convert only signed integers directly
	if places > 0 {
		v /= pow10[places&15]
	}
	if negative {
		v = -v
	}
	return v, i
}

// integerText rewrites an integer such as 1.0 or 1e2 as plain digits. A number of more than 40 digits is cut: it stays too long for any integer type, so it
// is reported as out of range without writing out a large exponent.
func integerText(s string) (text string, ok bool) {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	mantissa, exp := s, 0
	if e := strings.IndexAny(s, "eE"); e >= 0 {
		const farthest = 1 << 30                  // from there on only the sign matters
		n, _ := strconv.ParseInt(s[e+1:], 10, 64) // the nearest one if it is out of range
		mantissa, exp = s[:e], int(min(max(n, -farthest), farthest))
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+frac, "0")
	exp -= len(frac)
	if digits == "" {
		return "0", true
	}
	for exp < 0 && strings.HasSuffix(digits, "0") {
		digits = digits[:len(digits)-1]
		exp++
	}
	if exp < 0 {
		return "", false
	}
	const most = 40
	return sign + digits + strings.Repeat("0", min(exp, most)), true
}
