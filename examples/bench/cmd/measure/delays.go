package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/examples/bench/peer"
	"github.com/rpcgen-go/rpcgen/examples/bench/work"
)

// delays says how long calls take that come at half the rate that one caller could have, and how long Go stops the program to collect
// garbage meanwhile.
type delays struct {
	Calls              int
	Median, P99, P999  float64 // nanoseconds
	Collections        uint64
	LongestPause       float64 // nanoseconds, the upper bound of its bucket
	BeforeLoad, Period float64 // nanoseconds: a call by itself, and the time from one call to the next
}

// measureDelays calls over a connection in memory for the given time. A call that comes late because the one before took long counts from
// when it was due.
func measureDelays(span time.Duration) delays {
	say("delays at half load")
	c := peer.RPCGenCaller()
	defer c.Close()
	exact := true
	p := work.CurrentParams{City: "San Francisco", Unit: "fahrenheit", Hours: 36, Exact: &exact}
	const warm = 20_000
	calls(c, &p, warm)
	start := time.Now()
	calls(c, &p, warm)
	d := delays{BeforeLoad: float64(time.Since(start)) / warm}
	d.Period = 2 * d.BeforeLoad
	took := make([]float64, 0, int(float64(span)/d.Period))
	runtime.GC()
	before := pauses()
	start = time.Now()
	for i := range cap(took) {
		due := time.Duration(float64(i) * d.Period)
		for time.Since(start) < due {
			runtime.Gosched() // a timer would be late by more than a call takes
		}
		_, err := c.Call(context.Background(), &p)
		must(err)
		took = append(took, float64(time.Since(start)-due))
	}
	d.Calls, d.Median, d.P99, d.P999 = len(took), quantile(took, 0.5), quantile(took, 0.99), quantile(took, 0.999)
	d.addPauses(before, pauses())
	return d
}

// pauses returns how often Go stopped the program to collect garbage, by how long.
func pauses() metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(sample)
	h := sample[0].Value.Float64Histogram()
	return metrics.Float64Histogram{Counts: append([]uint64(nil), h.Counts...), Buckets: h.Buckets}
}

// addPauses notes the pauses between two readings.
func (d *delays) addPauses(before, after metrics.Float64Histogram) {
	for i, n := range after.Counts {
		if more := n - before.Counts[i]; more > 0 {
			d.Collections += more
			d.LongestPause = after.Buckets[i+1] * 1e9
		}
	}
}

func (d *delays) write(b *strings.Builder) {
	fmt.Fprintf(b, "## Delays\n\nA typed client calls its server over a connection in memory at half the rate that it could have: a call every %s, %d calls. "+
		"A call that is late because of the one before counts from when it was due.\n\n", duration(d.Period), d.Calls)
	b.WriteString("| median | 99 % | 99.9 % | pauses to collect garbage | the longest of them |\n|--:|--:|--:|--:|--:|\n")
	fmt.Fprintf(b, "| %s | %s | %s | %d | %s |\n\n", duration(d.Median), duration(d.P99), duration(d.P999), d.Collections, duration(d.LongestPause))
}
