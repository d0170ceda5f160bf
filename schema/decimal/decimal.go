// Package decimal compares the number texts of JSON exactly: no number is rounded, and none is expanded, so that 1e999999999 costs as much as 1.
//
//test:sequential
package decimal

import (
	"math/big"
	"strconv"
	"strings"
)

// farthest bounds exponents. What lies beyond it is taken to lie at it, which no comparison in a schema can tell.
const farthest = 1 << 40

// Decimal is the exact value digits * 10^exp. Digits have no zeros at either end; those of zero are empty.
type Decimal struct {
	negative bool
	digits   string
	exp      int64
}

// Parse reads a JSON number text; ok is false for any other text.
func Parse(text string) (d Decimal, ok bool) {
	rest := text
	if strings.HasPrefix(rest, "-") {
		d.negative, rest = true, rest[1:]
	}
	whole, rest := digits(rest)
	if whole == "" || len(whole) > 1 && whole[0] == '0' {
		return Decimal{}, false
	}
	fraction := ""
	if strings.HasPrefix(rest, ".") {
		if fraction, rest = digits(rest[1:]); fraction == "" {
			return Decimal{}, false
		}
	}
	exp, ok := exponent(rest)
	if !ok {
		return Decimal{}, false
	}
	d.digits = strings.TrimLeft(whole+fraction, "0")
	d.exp = exp - int64(len(fraction))
	return d.normal(), true
}

// IsNumber reports whether text is a JSON number.
func IsNumber(text string) bool {
	_, ok := Parse(text)
	return ok
}

func (d Decimal) normal() Decimal {
	short := strings.TrimRight(d.digits, "0")
	if short == "" {
		return Decimal{}
	}
	d.exp += int64(len(d.digits) - len(short))
	d.digits = short
	return d
}

func digits(text string) (run, rest string) {
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	return text[:end], text[end:]
}

func exponent(text string) (int64, bool) {
	if text == "" {
		return 0, true
	}
	if text[0] != 'e' && text[0] != 'E' {
		return 0, false
	}
	text = text[1:]
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	run, rest := digits(text)
	if run == "" || rest != "" {
		return 0, false
	}
	exp, err := strconv.ParseInt(run, 10, 64)
	if err != nil || exp > farthest {
		exp = farthest
	}
	if negative {
		exp = -exp
	}
	return exp, true
}

// Sign is -1, 0 or 1.
func (d Decimal) Sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// IsInteger reports whether d has no fraction.
func (d Decimal) IsInteger() bool { return d.exp >= 0 }

// Cmp is -1, 0 or 1 as d is less than, equal to or greater than o.
func (d Decimal) Cmp(o Decimal) int {
	if d.Sign() != o.Sign() {
		return compare(int64(d.Sign()), int64(o.Sign()))
	}
	return d.Sign() * d.compareSize(o)
}

func (d Decimal) compareSize(o Decimal) int {
	if c := compare(d.exp+int64(len(d.digits)), o.exp+int64(len(o.digits))); c != 0 {
		return c
	}
	return strings.Compare(d.digits, o.digits)
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// MultipleOf reports whether d is a whole multiple of o, which is not zero. Digits have no zero at their end, so a quotient
// whose power of ten is negative is never whole.
func (d Decimal) MultipleOf(o Decimal) bool {
	if d.Sign() == 0 || o.Sign() == 0 || d.exp < o.exp {
		return d.Sign() == 0
	}
	dividend, _ := new(big.Int).SetString(d.digits, 10)
	divisor, _ := new(big.Int).SetString(o.digits, 10)
	shift := new(big.Int).Exp(big.NewInt(10), big.NewInt(d.exp-o.exp), divisor)
	dividend.Mul(dividend, shift)
	return dividend.Mod(dividend, divisor).Sign() == 0
}

// Key is equal for equal numbers: 1, 1.0 and 10e-1 have one key.
func (d Decimal) Key() string {
	sign := ""
	if d.negative {
		sign = "-"
	}
	return sign + d.digits + "e" + strconv.FormatInt(d.exp, 10)
}

// Int returns d as an int, if it is one.
func (d Decimal) Int() (int, bool) {
	if d.exp < 0 || d.exp+int64(len(d.digits)) > 18 {
		return 0, false
	}
	n, err := strconv.Atoi(d.digits + strings.Repeat("0", int(d.exp)))
	if d.digits == "" {
		n, err = 0, nil
	}
	if d.negative {
		n = -n
	}
	return n, err == nil
}
