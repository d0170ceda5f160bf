package notation

import "fmt"

// Count says how many parts there are, such as characters; a negative high means that there may be any number.
func Count(low, high int, part string) string {
	number := func(n int) string {
		if n == 1 {
			return "1 " + part
		}
		return fmt.Sprintf("%d %ss", n, part)
	}
	switch {
	case low == high:
		return "exactly " + number(low)
	case high < 0:
		return "at least " + number(low)
	case low <= 0:
		return "at most " + number(high)
	}
	return fmt.Sprintf("%d to %s", low, number(high))
}

// Range is what a number has to keep. The limits are JSON; an empty one means none.
type Range struct {
	Min, Max                   string
	ExclusiveMin, ExclusiveMax bool
}

// String says it in words.
func (r Range) String() string {
	low, high := "at least "+r.Min, "at most "+r.Max
	if r.ExclusiveMin {
		low = "more than " + r.Min
	}
	if r.ExclusiveMax {
		high = "less than " + r.Max
	}
	switch {
	case r.Min == "" && r.Max == "":
		return ""
	case r.Min == "":
		return high
	case r.Max == "":
		return low
	case !r.ExclusiveMin && !r.ExclusiveMax:
		return "from " + r.Min + " to " + r.Max
	}
	return low + " and " + high
}

// MultipleOf says what a number is a multiple of.
func MultipleOf(of string) string {
	if of == "1" {
		return "a whole number"
	}
	return "a multiple of " + of
}

// Matches says which regular expression a text matches.
func Matches(pattern string) Line { return append(Text("matches "), Code(pattern)...) }

// Unique says that no two elements are equal.
const Unique = "no item twice"
