// Package rule holds the constraints of a schema on values, as functions that generated validators call. It does not read JSON: values are already decoded.
//
// Every check takes the list to report to, the pointer of the value relative to the value that is being checked, the value
// itself and its limits. A check that passes allocates nothing.
//
//test:sequential
package rule

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rpcgen-go/rpcgen/runtime/gen/violation"
)

type (
	// Violation is one violation of a rule of the schema.
	Violation = violation.Violation

	// Violations collects the violations of one value.
	Violations = violation.List

	// Error holds the violations of one value.
	Error = violation.Error
)

// Validate checks v. The error is nil or an [*Error].
func Validate(v violation.Checker) error { return violation.Validate(v) }

// Length checks that s has at least min and at most max code points (the keywords minLength and maxLength). A negative max means no maximum.
func Length(vs *Violations, at, s string, min, max int) {
	// n bytes hold between n/4 and n code points, so most strings need no counting.
	if len(s) < 4*min || uint(len(s)) > uint(max) {
		length(vs, at, s, min, max)
	}
}

func length(vs *Violations, at, s string, min, max int) {
	n := utf8.RuneCountInString(s)
	if n >= min && (max < 0 || n <= max) || vs.Skips(at) {
		return
	}
	switch {
	case n < min:
		vs.Add(Violation{Pointer: at, Rule: "minLength", Expected: vs.Counted("at least ", min, "character"), Got: vs.Counted("", n, "character")})
	default:
		vs.Add(Violation{Pointer: at, Rule: "maxLength", Expected: vs.Counted("at most ", max, "character"), Got: vs.Counted("", n, "character")})
	}
}

// Encoded checks that the base64 text of n bytes has at least min and at most max characters. A negative max means no maximum.
func Encoded(vs *Violations, at string, n, min, max int) {
	if n = (n + 2) / 3 * 4; n < min || uint(n) > uint(max) {
		number(vs, at, n, min, max, "Length", "character")
	}
}

// Items checks that a list of n elements has at least min and at most max elements (minItems, maxItems). A negative max means no maximum.
func Items(vs *Violations, at string, n, min, max int) {
	if n < min || uint(n) > uint(max) {
		number(vs, at, n, min, max, "Items", "element")
	}
}

// Properties checks that an object of n members has at least min and at most max members (minProperties, maxProperties). A negative max means no maximum.
func Properties(vs *Violations, at string, n, min, max int) {
	if n < min || uint(n) > uint(max) {
		number(vs, at, n, min, max, "Properties", "member")
	}
}

func number(vs *Violations, at string, n, min, max int, suffix, unit string) {
	switch {
	case n >= min && (max < 0 || n <= max) || vs.Skips(at):
	case n < min:
		vs.Add(violation.TooFew(vs, at, n, min, suffix, unit))
	default:
		vs.Add(violation.TooMany(vs, at, n, max, suffix, unit))
	}
}

// Numeric is the constraint of the range checks.
type Numeric interface {
	~int32 | ~int64 | ~uint32 | ~uint64 | ~float64
}

// Min checks that v is at least min (minimum).
func Min[T Numeric](vs *Violations, at string, v, min T) {
	if v < min && !vs.Skips(at) {
		outside(vs, at, "minimum", "at least ", min, v)
	}
}

// Max checks that v is at most max (maximum).
func Max[T Numeric](vs *Violations, at string, v, max T) {
	if v > max && !vs.Skips(at) {
		outside(vs, at, "maximum", "at most ", max, v)
	}
}

// Above checks that v is greater than min (exclusiveMinimum).
func Above[T Numeric](vs *Violations, at string, v, min T) {
	if v <= min && !vs.Skips(at) {
		outside(vs, at, "exclusiveMinimum", "more than ", min, v)
	}
}

// Below checks that v is less than max (exclusiveMaximum).
func Below[T Numeric](vs *Violations, at string, v, max T) {
	if v >= max && !vs.Skips(at) {
		outside(vs, at, "exclusiveMaximum", "less than ", max, v)
	}
}

// Numeral is room for the text of a number.
type Numeral [32]byte

// Format returns the text of v, which is in the memory of n.
func Format[T Numeric](n *Numeral, v T) []byte {
	half := 0.5
	if f := float64(v); T(half) != 0 || T(f) == v && math.Abs(f) < 1<<53 {
		return strconv.AppendFloat(n[:0], f, 'g', -1, 64)
	}
	if v < 0 {
		return strconv.AppendInt(n[:0], int64(v), 10)
	}
	return strconv.AppendUint(n[:0], uint64(v), 10)
}

// outside reports that v is not in the range that limit bounds.
func outside[T Numeric](vs *Violations, at, rule, how string, limit, v T) {
	var x, y Numeral
	vs.Add(Violation{Pointer: at, Rule: rule, Expected: vs.Text(how, string(Format(&x, limit))), Got: vs.Text(string(Format(&y, v)))})
}

// Integer is the constraint of MultipleOf.
type Integer interface {
	~int32 | ~int64 | ~uint32 | ~uint64
}

// MultipleOf checks that v is an integer multiple of of, which must be positive (multipleOf).
func MultipleOf[T Integer](vs *Violations, at string, v, of T) {
	if v%of != 0 && !vs.Skips(at) {
		outside(vs, at, "multipleOf", "a multiple of ", of, v)
	}
}

// Enum reports that v is not a value of an enumeration (enum). The argument names holds the values, newline-separated; the closest one is suggested.
// Generated code calls it if its switch over the values found none.
func Enum(vs *Violations, at, v, names string) {
	if vs.Skips(at) {
		return
	}
	vs.Add(Violation{
		Pointer: at, Rule: "enum", Expected: vs.OneOf(names), Got: vs.Quoted("", v), Closest: violation.ClosestOf(v, names),
	})
}

// Listed checks that v is a value of an enumeration. The argument names holds the values, newline-separated. It is for generated code that has to be small; a
// switch that calls [Enum] is faster.
func Listed(vs *Violations, at, v, names string) {
	if !Lists(names, v) {
		Enum(vs, at, v, names)
	}
}

// Lists reports whether v is one of names, which are newline-separated.
func Lists(names, v string) bool {
	for {
		n := strings.IndexByte(names, '\n')
		if n < 0 {
			return names == v
		}
		if names[:n] == v {
			return true
		}
		names = names[n+1:]
	}
}

// EnumInt is [Enum] for integers.
func EnumInt(vs *Violations, at string, v int64, names string) {
	if vs.Skips(at) {
		return
	}
	var digits [20]byte
	vs.Add(Violation{Pointer: at, Rule: "enum", Expected: vs.OneOf(names), Got: vs.Text(string(strconv.AppendInt(digits[:0], v, 10)))})
}

// RequireAny checks that at least one of several fields is present: have reports whether one is, and what lists them as the schema does.
func RequireAny(vs *Violations, have bool, what string) {
	if !have && !vs.Skips("") {
		vs.Add(Violation{Rule: "require", Expected: vs.Text("at least one of ", what), Got: "none"})
	}
}

// RequireOne checks that exactly one of several fields is present: n is the number of those present.
func RequireOne(vs *Violations, n int, what string) {
	if n != 1 && !vs.Skips("") {
		vs.Add(Violation{Rule: "require", Expected: vs.Text("exactly one of ", what), Got: strconv.Itoa(n)})
	}
}

// RequireWith checks that other fields are present if one field is.
func RequireWith(vs *Violations, have, others bool, what string) {
	if have && !others {
		vs.Add(Violation{Rule: "require", Expected: what, Got: "the first without the rest"})
	}
}

// Missing reports that a required value is absent, such as a nil union.
func Missing(vs *Violations, at string) {
	vs.Add(Violation{Pointer: at, Rule: "required", Expected: "a value"})
}

// Count returns how many of the conditions hold.
func Count(have ...bool) int {
	n := 0
	for _, h := range have {
		if h {
			n++
		}
	}
	return n
}

// Each checks the elements of a list whose type has a Check method.
func Each[T any](vs *Violations, at string, s []T, check func(*T, *Violations)) {
	in := vs.Enter() // all elements share one scope until there is a violation
	for i := range s {
		check(&s[i], vs)
		if vs.Found() {
			vs.LeaveElement(in, at, i)
			in = vs.Enter()
		}
	}
	vs.Leave(in, at)
}

// EachValue checks the elements of a list with the function check.
func EachValue[T any](vs *Violations, at string, s []T, check func(*Violations, T)) {
	in := vs.Enter()
	for i, v := range s {
		check(vs, v)
		if vs.Found() {
			vs.LeaveElement(in, at, i)
			in = vs.Enter()
		}
	}
	vs.Leave(in, at)
}

// EachRest checks the elements of a tuple from index first on with the function check.
func EachRest[T any](vs *Violations, first int, s []T, check func(*Violations, T)) {
	in := vs.Enter()
	for i, v := range s {
		check(vs, v)
		if vs.Found() {
			vs.LeaveElement(in, "", first+i)
			in = vs.Enter()
		}
	}
	vs.Leave(in, "")
}

// EachMember checks the values of a map with the function check. It checks them in the order of the map first, and again in the order of their names only if
// one has a violation, so that equal values have equal reports.
func EachMember[M ~map[string]T, T any](vs *Violations, at string, m M, check func(*Violations, T)) {
	in := vs.Enter() // all members share one scope until there is a violation
	for _, v := range m {
		check(vs, v)
		if vs.Found() {
			vs.Abandon(in)
			eachSorted(vs, at, m, check)
			return
		}
	}
	vs.Leave(in, at)
}

// names returns the names of a map in sorted order.
func names[M ~map[string]T, T any](m M) []string {
	all := make([]string, 0, len(m))
	for name := range m {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// eachSorted checks the values of a map in the order of their names, so that equal values have equal reports.
func eachSorted[M ~map[string]T, T any](vs *Violations, at string, m M, check func(*Violations, T)) {
	for _, name := range names(m) {
		in := vs.Enter()
		check(vs, m[name])
		inside := at
		if vs.Found() {
			inside = vs.Text(at, "/", violation.EscapePointer(name))
		}
		vs.Leave(in, inside)
	}
}
