package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/test/bench/peer"
	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// clockAlone is the contestant that does nothing between two readings of the clock.
const clockAlone = "the clock alone"

// singleCalls says how long each of many calls takes that are made one after the other. The clock is read once between two calls.
type singleCalls struct {
	Rounds  int
	Slice   time.Duration // for one contestant in one round
	Figures []singleCall
}

// singleCall is how long each call of one contestant takes, as read from the clock. Values are nanoseconds, by round.
type singleCall struct {
	Name               string
	Median, P99, P999  []float64
	Within1us, Within5 []float64 // the fraction of the calls, without what the clock takes, that take at most 1 us, 5 us
}

// measureSingles calls the dispatchers that take a message in memory and answer before they return. Contestants take turns.
func measureSingles(rounds int, slice time.Duration) singleCalls {
	say("single calls")
	all, stop := singlesOf()
	defer stop()
	s := singleCalls{Rounds: rounds, Slice: slice, Figures: make([]singleCall, len(all))}
	for round := range rounds {
		clock := 0.0 // the median of the round
		for k := range all {
			i := k
			if k > 0 { // the clock is first, because the others are compared with it
				i = 1 + (k-1+round)%(len(all)-1)
			}
			s.Figures[i].Name = all[i].Name
			clock = s.Figures[i].round(all[i], slice, clock)
		}
	}
	return s
}

// singlesOf returns the contestants, with the clock before all others, and what closes them.
func singlesOf() (all []contestant, stop func()) {
	all = append(all, contestant{Name: clockAlone, Run: func(n int) {
		for range n { // so that it can be calibrated
		}
	}})
	dispatchers := peer.Dispatchers()
	for _, message := range []string{work.Small, work.Typical} {
		for _, d := range dispatchers {
			switch d.Name {
			case rpcgenName, "encoding/json", "sonic":
				all = append(all, named(d.Name+", "+message, dispatch(context.Background(), d, work.Find(message).Bytes, 0)))
			}
		}
	}
	return all, func() { stopAll(dispatchers) }
}

// round calls for the time of a slice. It returns what the clock takes: the median of the contestant that does nothing else, or clock.
func (s *singleCall) round(c contestant, slice time.Duration, clock float64) float64 {
	took := make([]float64, max(1, slice/max(1, unloaded(c)+time.Nanosecond*20)))
	runtime.GC()
	start := time.Now()
	last := time.Duration(0)
	for i := range took {
		c.Run(1)
		now := time.Since(start)
		took[i] = float64(now - last)
		last = now
	}
	median := quantile(took, 0.5)
	if c.Name == clockAlone {
		clock = median
	}
	s.Median, s.P99, s.P999 = append(s.Median, median), append(s.P99, quantile(took, 0.99)), append(s.P999, quantile(took, 0.999))
	s.Within1us, s.Within5 = append(s.Within1us, within(took, clock+1e3)), append(s.Within5, within(took, clock+5e3))
	return clock
}

// within returns the fraction of the values that are at most most.
func within(values []float64, most float64) float64 {
	n := 0
	for _, v := range values {
		if v <= most {
			n++
		}
	}
	return float64(n) / float64(len(values))
}

// Clock is how long it takes to read the clock.
func (s *singleCalls) Clock() float64 { return quantile(s.Figures[0].Median, 0.5) }

func (s *singleCalls) write(b *strings.Builder) {
	clock := s.Clock()
	b.WriteString("| | median | 99 % | 99.9 % | take at most 1 us | at most 5 us |\n|---|--:|--:|--:|--:|--:|\n")
	for i := range s.Figures {
		f, less := &s.Figures[i], clock
		if i == 0 {
			less = 0
		}
		at := func(values []float64) string { return duration(quantile(values, 0.5) - less) }
		fmt.Fprintf(b, "| %s | %s | %s | %s | %.2f %% | %.2f %% |\n", f.Name, at(f.Median), at(f.P99), at(f.P999),
			100*quantile(f.Within1us, 0.5), 100*quantile(f.Within5, 0.5))
	}
	b.WriteString("\n")
}
