package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/test/bench/peer"
	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// contestants of the table of delays only.
const (
	overMCP   = "rpcgen, MCP"
	floorSpin = "no call, a loop as long"
	uncleaned = "rpcgen, collecting no garbage"
	alone     = "rpcgen, GOMAXPROCS=1"
)

// callSlice is for how long each contestant is called in a round: ten thousand calls or more of the fast ones, so that the slowest in a
// thousand are ten or more.
const callSlice = 50 * time.Millisecond

// delays says how long calls take that come at half the rate that one caller could have.
type delays struct {
	Rounds  int
	Slice   time.Duration // for one contestant in one round
	Figures []delay
}

// delay is how long the calls of one contestant take. Values are nanoseconds, by round; a call that is late because of the one before counts
// from when it was due.
type delay struct {
	Name              string
	Period            []float64 // from one call to the next
	Median, P99, P999 []float64
	Sent99, Sent999   []float64 // the same when a call counts from when it is sent
	Left              int       // calls left out, because the system gave the processor to other programs, in all rounds
	Collections       uint64    // how often Go stopped the program to collect garbage, in all rounds
	LongestPause      float64   // the upper bound of its bucket
}

// measureDelays calls over connections in memory. Contestants take turns as in all rows, each at half of its own rate; so the delays that the
// machine itself causes meet all of them, and show in a loop that calls nothing.
func measureDelays(rounds int, slice time.Duration) delays {
	say("delays at half load")
	all, stop := delayed()
	defer stop()
	d := delays{Rounds: rounds, Slice: slice, Figures: make([]delay, len(all))}
	for round := range rounds {
		for k := range all {
			i := (k + round) % len(all)
			d.Figures[i].Name = all[i].Name
			d.Figures[i].round(all[i], slice)
		}
	}
	return d
}

// delayed returns the contestants, and what closes them.
func delayed() (all []contestant, stop func()) {
	callers := peer.Callers()
	all = ir.Each(callers, func(c peer.Caller) contestant { return trip(c, 1) })
	session, sdk := peer.RPCGenToolsSession(), peer.GoSDK()
	msg := work.ToolMessages()[0].Bytes
	all = append(all, named(overMCP, dispatch(context.Background(), session.Dispatcher, msg, 0)),
		dispatch(context.Background(), sdk.Dispatcher, msg, 0),
		echo(), spin(all[0]), named(uncleaned, trip(callers[0], 1)), named(alone, trip(callers[0], 1)))
	return all, func() {
		for _, c := range callers {
			c.Close()
		}
		stopAll([]peer.ToolServer{session, sdk})
	}
}

// spin does nothing for as long as a call of c takes.
func spin(c contestant) contestant {
	least := unloaded(c)
	return contestant{Name: floorSpin, Run: func(n int) {
		for range n {
			for start := time.Now(); time.Since(start) < least; {
			}
		}
	}}
}

// unloaded returns how long one call of c takes when the next begins at its end.
func unloaded(c contestant) time.Duration {
	const slice = 5 * time.Millisecond
	n := calibrate(c, slice)
	start := time.Now()
	c.Run(n)
	return time.Since(start) / time.Duration(n)
}

// round calls for the time of a slice. A call during which the system gave a processor to another program is left out, and the schedule begins
// anew after it: what waits for the processor is not the call. At least one call is kept.
func (d *delay) round(c contestant, slice time.Duration) {
	switch d.Name {
	case uncleaned:
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
	case alone:
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	}
	period := 2 * unloaded(c)
	due := make([]float64, 0, max(1, slice/period))
	sent := make([]float64, 0, cap(due))
	runtime.GC()
	before := pauses()
	start, lost := time.Now(), taken()
	when := time.Duration(0)
	for tries := 0; tries < cap(due) || len(due) == 0; tries++ {
		begin := time.Since(start)
		for begin < when {
			runtime.Gosched() // a timer would be late by more than a call takes
			begin = time.Since(start)
		}
		c.Run(1)
		end := time.Since(start)
		if now := taken(); now != lost && tries < 100*cap(due) { // on a machine that is always busy, a call counts that was interrupted
			lost, when = now, time.Since(start)
			d.Left++
			continue
		}
		due, sent = append(due, float64(end-when)), append(sent, float64(end-begin))
		when += period
	}
	d.addPauses(before, pauses())
	d.Period = append(d.Period, float64(period))
	d.Median, d.P99, d.P999 = append(d.Median, quantile(due, 0.5)), append(d.P99, quantile(due, 0.99)), append(d.P999, quantile(due, 0.999))
	d.Sent99, d.Sent999 = append(d.Sent99, quantile(sent, 0.99)), append(d.Sent999, quantile(sent, 0.999))
}

// pauses returns how often Go stopped the program to collect garbage, by how long.
func pauses() metrics.Float64Histogram {
	sample := []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}
	metrics.Read(sample)
	h := sample[0].Value.Float64Histogram()
	return metrics.Float64Histogram{Counts: append([]uint64(nil), h.Counts...), Buckets: h.Buckets}
}

// addPauses notes the pauses between two readings.
func (d *delay) addPauses(before, after metrics.Float64Histogram) {
	for i, n := range after.Counts {
		if more := n - before.Counts[i]; more > 0 {
			d.Collections += more
			d.LongestPause = max(d.LongestPause, after.Buckets[i+1]*1e9)
		}
	}
}

// times returns how many times the median the values are: the median of the rounds.
func (d *delay) times(values []float64) float64 {
	each := make([]float64, len(values))
	for i := range each {
		each[i] = values[i] / d.Median[i]
	}
	return quantile(each, 0.5)
}

// find returns the figure of a contestant.
func (d *delays) find(name string) *delay {
	for i := range d.Figures {
		if d.Figures[i].Name == name {
			return &d.Figures[i]
		}
	}
	panic("not measured: " + name)
}

func (d *delays) write(b *strings.Builder) {
	b.WriteString("| | a call every | median | 99 % | 99.9 % | 99 %, sent | 99.9 %, sent | left out | pauses | longest pause " +
		"|\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for i := range d.Figures {
		f := &d.Figures[i]
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s | %d | %d | %s |\n", f.Name, duration(quantile(f.Period, 0.5)), duration(quantile(f.Median, 0.5)),
			x(f.times(f.P99)), x(f.times(f.P999)), x(f.times(f.Sent99)), x(f.times(f.Sent999)), f.Left, f.Collections, duration(f.LongestPause))
	}
	b.WriteString("\n")
}
