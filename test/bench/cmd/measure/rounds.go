package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

// contestant does one thing n times.
type contestant struct {
	Name string
	Run  func(n int)
	Per  int // how many things one run counts as; zero means 1
}

// figure is what a contestant was measured to need.
type figure struct {
	Name   string
	NS     []float64 // nanoseconds a thing, by round
	CPU    []float64 // nanoseconds of processor time of the whole program a thing, by round; 0 where the system does not count it
	Allocs float64
	Bytes  float64
}

// row is one line of the tables: the same work, done by several contestants in the same rounds.
type row struct {
	ID      string
	Title   string
	Figures []figure
}

// settings say how long measuring takes.
type settings struct {
	rounds int
	slice  time.Duration // for one contestant in one round
}

// measure runs all contestants in every round, each time another one first, so that what slows the machine down meets all of them.
func (s settings) measure(id, title string, all []contestant) row {
	fmt.Fprintf(os.Stderr, "%s\n", title)
	r := row{ID: id, Title: title, Figures: make([]figure, len(all))}
	counts := make([]int, len(all))
	for i, c := range all {
		counts[i] = calibrate(c, s.slice)
		r.Figures[i].Name = c.Name
		r.Figures[i].Allocs, r.Figures[i].Bytes = allocations(c, min(counts[i], 2000))
	}
	for round := range s.rounds {
		for k := range all {
			i := (k + round) % len(all)
			runtime.GC()
			things := float64(counts[i] * all[i].per())
			used, start := processorTime(), time.Now()
			all[i].Run(counts[i])
			r.Figures[i].NS = append(r.Figures[i].NS, float64(time.Since(start))/things)
			r.Figures[i].CPU = append(r.Figures[i].CPU, float64(processorTime()-used)/things)
		}
	}
	return r
}

func (c contestant) per() int { return max(c.Per, 1) }

// calibrate returns how often c runs in a slice. It is run before, so that what is only paid once does not count.
func calibrate(c contestant, slice time.Duration) int {
	c.Run(10)
	for n := 1; ; n *= 2 {
		start := time.Now()
		c.Run(n)
		if took := time.Since(start); took > slice/4 {
			return max(1, int(float64(n)*float64(slice)/float64(took)))
		}
	}
}

// allocations returns how much one thing allocates.
func allocations(c contestant, n int) (count, bytes float64) {
	var before, after runtime.MemStats
	c.Run(n) // fills pools
	runtime.ReadMemStats(&before)
	c.Run(n)
	runtime.ReadMemStats(&after)
	things := float64(n * c.per())
	return float64(after.Mallocs-before.Mallocs) / things, float64(after.TotalAlloc-before.TotalAlloc) / things
}

// find returns the figure of a contestant; nil: it did not take part.
func (r *row) find(name string) *figure {
	for i := range r.Figures {
		if r.Figures[i].Name == name {
			return &r.Figures[i]
		}
	}
	return nil
}

// ratio is how many times as long one contestant needs as another, within rounds.
type ratio struct{ Low, Median, High float64 }

// over returns how many times as long a needs as b: the median of the rounds, and their quartiles.
func (r *row) over(a, b string) (ratio, bool) {
	return r.ratio(a, b, func(f *figure) []float64 { return f.NS })
}

func (r *row) ratio(a, b string, of func(*figure) []float64) (ratio, bool) {
	f, g := r.find(a), r.find(b)
	if f == nil || g == nil || len(of(f)) != len(of(g)) {
		return ratio{}, false
	}
	x, y := of(f), of(g)
	each := make([]float64, len(x))
	for i := range each {
		each[i] = x[i] / y[i]
	}
	return ratio{quantile(each, 0.25), quantile(each, 0.5), quantile(each, 0.75)}, true
}

func (f *figure) median() float64 { return quantile(f.NS, 0.5) }

// quantile returns the value below which a share q of the values lies.
func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}
