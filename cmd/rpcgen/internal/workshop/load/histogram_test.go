package load

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestHistogram: quantiles are within 0.1 % of those of the sorted values, whatever they are.
func TestHistogram(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() time.Duration{
		"wide":  func() time.Duration { return time.Duration(math.Exp(r.Float64() * math.Log(float64(time.Hour)))) },
		"exact": func() time.Duration { return time.Duration(r.IntN(2000)) },
		"calls": func() time.Duration {
			return 80*time.Microsecond + time.Duration(r.ExpFloat64()*float64(time.Millisecond))
		},
	} {
		var parts [3]Histogram
		var all []time.Duration
		for i := range 50_000 {
			d := draw()
			all = append(all, d)
			parts[i%3].Add(d)
		}
		var h Histogram
		for i := range parts {
			h.Merge(&parts[i])
		}
		slices.Sort(all)
		for _, q := range []float64{0, 0.01, 0.5, 0.9, 0.99, 0.999, 0.9999, 1} {
			want := all[max(0, int(math.Ceil(q*float64(len(all))))-1)]
			got := h.Quantile(q)
			if math.Abs(float64(got-want)) > float64(want)*0.001 {
				t.Errorf("%s: quantile %v is %v and not %v", name, q, got, want)
			}
		}
		if h.Quantile(1) != all[len(all)-1] {
			t.Errorf("%s: %v is not the largest", name, h.Quantile(1))
		}
	}
}

func TestHistogramBounds(t *testing.T) {
	var h Histogram
	if h.Quantile(0.5) != 0 {
		t.Error("an empty histogram has a quantile")
	}
	h.Add(-time.Second)
	h.Add(100 * time.Hour)
	if h.Quantile(0) != 0 || h.Quantile(1) != time.Hour {
		t.Error(h.Quantile(0), h.Quantile(1))
	}
	if size := 4 * len(h.counts); size > 72<<10 {
		t.Errorf("%d bytes", size)
	}
}
