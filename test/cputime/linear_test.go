package cputime

import (
	"fmt"
	"testing"
)

// failing counts the failures of a test.
type failing struct {
	testing.TB
	said []string
}

func (f *failing) Helper() {}

func (f *failing) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

// TestLinear tells a loop within a loop from a loop.
func TestLinear(t *testing.T) {
	sum := 0
	loop := func(n int) func() {
		return func() {
			for i := range n {
				sum += i & n
			}
		}
	}
	for name, power := range map[string]int{"a loop": 8, "a loop within a loop": 64} {
		f := &failing{TB: t}
		Linear(f, name, loop(1_500_000), loop(1_500_000*power))
		if (len(f.said) == 0) != (power == 8) {
			t.Errorf("%s: %q", name, f.said)
		}
	}
}
