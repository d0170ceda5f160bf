package cputime

import (
	"testing"
	"time"
)

// Linear fails t if large, which is eight times as much work as small, takes more than 24 times as long in each of five attempts; a loop within a loop
// takes 64 times as long. Only time shows a loop that allocates nothing. What is compared ran on the same machine at the same time, so that its speed
// does not matter, and the shortest of three runs counts, which others have disturbed least.
func Linear(t testing.TB, name string, small, large func()) {
	t.Helper()
	var ratios []float64
	for range 5 {
		ratio := float64(shortest(large)) / float64(shortest(small))
		if ratio < 24 {
			return
		}
		ratios = append(ratios, ratio)
	}
	t.Errorf("%s: %.0f times as long for eight times as much", name, ratios)
}

// shortest is the least processor time of three runs.
func shortest(work func()) time.Duration {
	best := time.Duration(1<<63 - 1)
	for range 3 {
		start := Used()
		work()
		best = min(best, Used()-start)
	}
	return max(best, time.Millisecond) // what is shorter is not measured well
}
