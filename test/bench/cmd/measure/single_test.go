package main

import (
	"strings"
	"testing"
	"time"
)

// TestSingleCalls: each call is timed, of rpcgen and of the servers written by hand, and the page says what the clock takes.
func TestSingleCalls(t *testing.T) {
	s := measureSingles(2, time.Millisecond)
	names := map[string]bool{}
	for i := range s.Figures {
		f := &s.Figures[i]
		names[f.Name] = true
		for round := range 2 {
			if f.Median[round] <= 0 || f.Median[round] > f.P99[round] || f.P99[round] > f.P999[round] {
				t.Errorf("%s: %v, %v, %v", f.Name, f.Median, f.P99, f.P999)
			}
			if f.Within1us[round] > f.Within5[round] || f.Within5[round] > 1 {
				t.Errorf("%s: %v within 1 us, %v within 5 us", f.Name, f.Within1us, f.Within5)
			}
		}
	}
	if len(names) != 7 || s.Figures[0].Name != clockAlone || !names["rpcgen, small call"] || !names["rpcgen, typical call"] {
		t.Error(names)
	}
	var b strings.Builder
	s.write(&b)
	if text := b.String(); strings.Count(text, "\n| ") != 7 || !strings.HasPrefix(text, "| | median") {
		t.Error(text)
	}
}
