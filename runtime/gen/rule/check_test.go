package rule

import (
	"math"
	"testing"
)

// TestShownNumbers: violations show large numbers as they are.
func TestShownNumbers(t *testing.T) {
	var vs Violations
	Max(&vs, "/a", 1e300, 5.0)
	Max(&vs, "/b", int64(math.MaxInt64), 5)
	Min(&vs, "/c", -1.5e20, 5.0)
	Max(&vs, "/d", uint64(math.MaxUint64), 5)
	want := []string{"1e+300", "9223372036854775807", "-1.5e+20", "18446744073709551615"}
	for i, v := range vs.All() {
		if v.Got != want[i] {
			t.Errorf("%s: got %s, not %s", v.Pointer, v.Got, want[i])
		}
	}
}
