package load

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// report is what a run has shown. As JSON, durations are nanoseconds.
type report struct {
	Version  int      `json:"version"` // of this form: 1
	Server   string   `json:"server"`
	Workers  int      `json:"workers"`
	Rate     float64  `json:"rate,omitempty"` // calls a second that were asked for; 0 for as many as possible
	Seconds  float64  `json:"seconds"`
	Calls    uint64   `json:"calls"`
	PerSec   float64  `json:"callsPerSecond"`
	Bytes    uint64   `json:"bytes"`
	Invalid  string   `json:"invalid,omitempty"` // why the figures say nothing; empty if they do
	Response latency  `json:"response"`          // since calls were due
	Service  latency  `json:"service"`           // since calls were sent
	Tools    []tool   `json:"tools"`
	Errors   []class  `json:"errors"`
	Wrong    []class  `json:"wrong"`
	Apart    []class  `json:"notCompared"` // how many different calls have answers that are not compared with each other, by the reason
	Over     []string `json:"over"`        // limits of the command line that were exceeded
	Parts    []part   `json:"parts"`

	histogram Histogram
}

// latency is a distribution of durations.
type latency struct {
	P50     int64    `json:"p50"`
	P90     int64    `json:"p90"`
	P99     int64    `json:"p99"`
	P999    int64    `json:"p999"`
	Max     int64    `json:"max"`
	Buckets []Bucket `json:"buckets,omitempty"`
}

func latencyOf(h *Histogram) latency {
	at := func(q float64) int64 { return int64(h.Quantile(q)) }
	return latency{P50: at(0.5), P90: at(0.9), P99: at(0.99), P999: at(0.999), Max: at(1)}
}

// tool is what was measured of a tool.
type tool struct {
	Name    string  `json:"name"`
	Calls   uint64  `json:"calls"`
	Failed  uint64  `json:"failed"`
	Service latency `json:"service"`
}

// class is a class of errors or wrong answers, with the first case.
type class struct {
	Name  string `json:"name"`
	Count uint64 `json:"count"`
	First string `json:"first"`
}

// part is a part of the time.
type part struct {
	At       float64 `json:"at"` // seconds since the start
	PerSec   float64 `json:"callsPerSecond"`
	Failed   uint64  `json:"failed"`
	Response latency `json:"response"`
}

// newReport returns the report of a run.
func newReport(server string, p *plan, t *tally, took time.Duration) *report {
	r := &report{
		Version: 1, Server: server, Workers: p.workers, Rate: p.rate, Seconds: took.Seconds(), Calls: t.response.total, Bytes: t.bytes,
		Response: latencyOf(&t.response), Service: latencyOf(&t.service), histogram: t.response,
		Tools: []tool{}, Errors: classesOf(t.errors, t.first), Wrong: classesOf(t.wrong, t.first), Apart: p.apart(), Over: []string{},
	}
	r.Response.Buckets, r.Service.Buckets = t.response.Buckets(), t.service.Buckets()
	r.PerSec = float64(r.Calls) / max(took.Seconds(), 1e-9)
	for _, name := range slices.Sorted(maps.Keys(t.byName)) {
		one := t.byName[name]
		r.Tools = append(r.Tools, tool{name, one.service.total, one.failed, latencyOf(&one.service)})
	}
	width := p.duration.Seconds() / slots
	for i := range t.slots {
		s := &t.slots[i]
		r.Parts = append(r.Parts, part{float64(i) * width, float64(s.calls) / width, s.failed, latencyOf(&s.response)})
	}
	const most = 0.01 // of the calls may be sent late
	if p.rate > 0 && float64(t.tardy) > most*float64(r.Calls) {
		r.Invalid = fmt.Sprintf("could not send %g/s: %d of %d calls were sent more than %s after they were due, although a worker was free", p.rate, t.tardy, r.Calls, late)
	}
	if r.Calls == 0 {
		r.Invalid = "no call was answered in the time that counts"
	}
	return r
}

// apart counts the calls whose answers are not compared with each other, by the reason.
func (p *plan) apart() []class {
	counts, first := make(map[string]uint64), make(map[string]string)
	seen := make(map[*Call]bool, len(p.calls))
	for _, c := range p.calls {
		why := c.apart()
		if why == "" || seen[c] {
			continue
		}
		seen[c] = true
		if counts[why]++; first[why] == "" {
			first[why] = c.Name + " " + short(c.Args)
		}
	}
	return classesOf(counts, first)
}

func classesOf(counts map[string]uint64, first map[string]string) []class {
	all := []class{}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, class{name, counts[name], first[name]})
	}
	return all
}

// failed returns how many calls were answered with an error.
func (r *report) failed() (n uint64) {
	for _, c := range r.Errors {
		n += c.Count
	}
	return n
}

// good reports whether nothing was wrong and no limit was exceeded.
func (r *report) good() bool { return len(r.Wrong) == 0 && len(r.Over) == 0 && r.Invalid == "" }

// limit checks the limits of the command line, which are zero and negative for none.
func (r *report) limit(p99 time.Duration, errors float64) {
	if p99 > 0 && r.Response.P99 > int64(p99) {
		r.Over = append(r.Over, fmt.Sprintf("p99 is %s, more than --max-p99 %s", shown(r.Response.P99), p99))
	}
	switch share := float64(r.failed()) / float64(max(1, r.Calls)); {
	case errors < 0 && share == 1:
		r.Over = append(r.Over, "every call failed, which only --max-errors 100% allows")
	case errors >= 0 && share > errors:
		r.Over = append(r.Over, fmt.Sprintf("%.3g %% of the calls failed, more than --max-errors %g%%", share*100, errors*100))
	}
}

// writeJSON writes the report as JSON.
func (r *report) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// writeText writes the report for people.
func (r *report) writeText(w io.Writer) error {
	var b strings.Builder
	if r.Invalid != "" {
		fmt.Fprintf(&b, "invalid: %s\n", r.Invalid)
	}
	fmt.Fprintf(&b, "%d calls in %.1f s, %.0f/s, %.2f MB/s of answers; %d workers", r.Calls, r.Seconds, r.PerSec, float64(r.Bytes)/1e6/max(r.Seconds, 1e-9), r.Workers)
	if r.Rate > 0 {
		fmt.Fprintf(&b, ", %g/s asked for", r.Rate)
	}
	fmt.Fprintf(&b, "\n\n%-14s %10s %10s %10s %10s %10s\n", "", "p50", "p90", "p99", "p99.9", "max")
	row := func(name string, l latency) {
		fmt.Fprintf(&b, "%-14s %10s %10s %10s %10s %10s\n", name, shown(l.P50), shown(l.P90), shown(l.P99), shown(l.P999), shown(l.Max))
	}
	row("response time", r.Response)
	row("service time", r.Service)
	if len(r.Tools) > 1 {
		fmt.Fprintf(&b, "\n%-32s %10s %8s %10s %10s %10s\n", "tool", "calls", "failed", "p50", "p99", "max")
		for _, t := range r.Tools {
			fmt.Fprintf(&b, "%-32s %10d %8d %10s %10s %10s\n", t.Name, t.Calls, t.Failed, shown(t.Service.P50), shown(t.Service.P99), shown(t.Service.Max))
		}
	}
	for _, list := range []struct {
		what string
		all  []class
	}{{"error", r.Errors}, {"wrong answer", r.Wrong}} {
		for i, c := range list.all {
			if i == 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "%s: %d times: %s: %s\n", list.what, c.Count, c.Name, strings.TrimPrefix(c.First, c.Name+": "))
		}
	}
	for _, c := range r.Apart {
		fmt.Fprintf(&b, "different calls whose answers are not compared: %d, such as %s: %s\n", c.Count, c.First, c.Name)
	}
	for _, text := range r.Over {
		fmt.Fprintf(&b, "over: %s\n", text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shown returns a duration in nanoseconds with three digits.
func shown(ns int64) string {
	switch d := float64(ns); {
	case d < 999.5:
		return fmt.Sprintf("%.0f ns", d)
	case d < 999.5e3:
		return fmt.Sprintf("%.3g us", d/1e3)
	case d < 999.5e6:
		return fmt.Sprintf("%.3g ms", d/1e6)
	default:
		return fmt.Sprintf("%.4g s", d/1e9)
	}
}
