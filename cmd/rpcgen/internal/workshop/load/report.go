package load

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"math"
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

// failures returns how many calls were answered with an error.
func (r *report) failures() (n uint64) {
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
		r.Over = append(r.Over, fmt.Sprintf("p99 is %s, more than --max-p99 %s", span(r.Response.P99), p99))
	}
	switch share := float64(r.failures()) / float64(max(1, r.Calls)); {
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
		fmt.Fprintf(&b, "%-14s %10s %10s %10s %10s %10s\n", name, span(l.P50), span(l.P90), span(l.P99), span(l.P999), span(l.Max))
	}
	row("response time", r.Response)
	row("service time", r.Service)
	if len(r.Tools) > 1 {
		fmt.Fprintf(&b, "\n%-32s %10s %8s %10s %10s %10s\n", "tool", "calls", "failed", "p50", "p99", "max")
		for _, t := range r.Tools {
			fmt.Fprintf(&b, "%-32s %10d %8d %10s %10s %10s\n", t.Name, t.Calls, t.Failed, span(t.Service.P50), span(t.Service.P99), span(t.Service.Max))
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

// span returns a duration in nanoseconds with three digits.
func span(ns int64) string {
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

// The chart has three panels, one below the other, in one file without scripts.
const (
	chartWidth = 860
	left       = 70
	plotWidth  = chartWidth - left - 20
	plotHeight = 180
	panel      = plotHeight + 70
)

const chartStyle = `<style>
svg{font:12px system-ui,sans-serif;background:#fff;color:#222}
text{fill:currentColor} .title{font-weight:600} .grid{stroke:currentColor;opacity:.15} .line{fill:none;stroke:#1f6feb;stroke-width:1.5}
.p50{fill:#1f6feb;opacity:.55} .p90{fill:#1f6feb;opacity:.35} .p99{fill:#1f6feb;opacity:.2} .max{fill:none;stroke:#d1242f;stroke-width:1} .failed{fill:#d1242f}
@media (prefers-color-scheme:dark){svg{background:#0d1117;color:#e6edf3} .line{stroke:#58a6ff} .p50,.p90,.p99{fill:#58a6ff} .max{stroke:#ff7b72} .failed{fill:#ff7b72}}
</style>
`

// writeSVG writes the chart: response times over time, their distribution, and throughput.
func (r *report) writeSVG(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">`+"\n", chartWidth, 3*panel+40)
	b.WriteString(chartStyle)
	title := fmt.Sprintf("%s: %d calls, %.0f/s, p99 %s", r.Server, r.Calls, r.PerSec, span(r.Response.P99))
	fmt.Fprintf(&b, `<title>%s</title><text class="title" x="%d" y="24">%[1]s</text>`+"\n", html.EscapeString(title), left)
	r.overTime(&b, 40)
	r.distribution(&b, 40+panel)
	r.throughput(&b, 40+2*panel)
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// scale maps durations to heights: logarithmic, from the power of ten below the lowest to the one above the highest.
type scale struct{ low, high float64 }

func (r *report) scale() scale {
	low, high := math.Inf(1), 0.0
	for _, p := range r.Parts {
		if p.Response.P50 > 0 {
			low, high = min(low, float64(p.Response.P50)), max(high, float64(p.Response.Max))
		}
	}
	if high == 0 {
		low, high = 1e3, 1e6
	}
	s := scale{math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))}
	if s.high <= s.low {
		s.high = s.low + 1
	}
	return s
}

// y returns the height of a duration below the top of a panel.
func (s scale) y(ns int64) float64 {
	at := (math.Log10(max(float64(ns), 1)) - s.low) / (s.high - s.low)
	return plotHeight * (1 - min(max(at, 0), 1))
}

// grid draws the lines of a logarithmic scale.
func (s scale) grid(b *strings.Builder, top int) {
	for power := s.low; power <= s.high; power++ {
		y := float64(top) + s.y(int64(math.Pow(10, power)))
		fmt.Fprintf(b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			left, left+plotWidth, y, y, left-6, y+4, span(int64(math.Pow(10, power))))
	}
}

// heading draws the title of a panel, and the texts below it.
func heading(b *strings.Builder, top int, title string, below []string) {
	fmt.Fprintf(b, `<text class="title" x="%d" y="%d">%s</text>`+"\n", left, top+8, html.EscapeString(title))
	for i, text := range below {
		x := float64(left) + float64(plotWidth)*float64(i)/float64(len(below)-1)
		fmt.Fprintf(b, `<text x="%.0f" y="%d" text-anchor="middle">%s</text>`+"\n", x, top+plotHeight+36, text)
	}
}

// seconds are the texts below a panel over time.
func (r *report) seconds() (all []string) {
	last := r.Parts[len(r.Parts)-1].At + r.Parts[1].At
	for i := range 5 {
		all = append(all, fmt.Sprintf("%.3g s", last*float64(i)/4))
	}
	return all
}

func x(i, n int) float64 { return left + plotWidth*float64(i)/float64(n) }

// overTime draws quantiles of response times as bands, and the longest as a line.
func (r *report) overTime(b *strings.Builder, top int) {
	heading(b, top, "response time: p50, p90, p99 and the longest", r.seconds())
	s := r.scale()
	s.grid(b, top+18)
	for _, band := range []struct {
		class string
		of    func(latency) int64
	}{{"p99", func(l latency) int64 { return l.P99 }}, {"p90", func(l latency) int64 { return l.P90 }}, {"p50", func(l latency) int64 { return l.P50 }}} {
		fmt.Fprintf(b, `<path class="%s" d="M%d %d`, band.class, left, top+18+plotHeight)
		for i, p := range r.Parts {
			y := float64(top+18) + s.y(band.of(p.Response))
			fmt.Fprintf(b, " L%.1f %.1f L%.1f %.1f", x(i, len(r.Parts)), y, x(i+1, len(r.Parts)), y)
		}
		fmt.Fprintf(b, ` L%d %d Z"/>`+"\n", left+plotWidth, top+18+plotHeight)
	}
	b.WriteString(`<path class="max" d="`)
	for i, p := range r.Parts {
		fmt.Fprintf(b, "%s%.1f %.1f ", map[bool]string{true: "M", false: "L"}[i == 0], x(i, len(r.Parts)), float64(top+18)+s.y(p.Response.Max))
	}
	b.WriteString("\"/>\n")
}

// distribution draws response times by percentile: each step to the right is a tenth of what is left.
func (r *report) distribution(b *strings.Builder, top int) {
	heading(b, top, "response time by percentile", []string{"0 %", "90 %", "99 %", "99.9 %", "99.99 %", "99.999 %"})
	s := r.scale()
	s.grid(b, top+18)
	b.WriteString(`<path class="line" d="`)
	const points = 200
	for i := range points + 1 {
		q := 1 - math.Pow(10, -5*float64(i)/points)
		fmt.Fprintf(b, "%s%.1f %.1f ", map[bool]string{true: "M", false: "L"}[i == 0], x(i, points), float64(top+18)+s.y(int64(r.histogram.Quantile(q))))
	}
	b.WriteString("\"/>\n")
}

// throughput draws calls a second, and those of them that failed.
func (r *report) throughput(b *strings.Builder, top int) {
	most := 1.0
	for _, p := range r.Parts {
		most = max(most, p.PerSec)
	}
	heading(b, top, "calls a second", r.seconds())
	width := r.Parts[1].At
	for i := range 5 {
		y := float64(top+18) + plotHeight*float64(i)/4
		fmt.Fprintf(b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%.3g</text>`+"\n",
			left, left+plotWidth, y, y, left-6, y+4, most*float64(4-i)/4)
	}
	for i, p := range r.Parts {
		bar := func(class string, perSecond float64) {
			h := plotHeight * perSecond / most
			fmt.Fprintf(b, `<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`+"\n", class, x(i, len(r.Parts)), float64(top+18)+plotHeight-h, plotWidth/float64(len(r.Parts)), h)
		}
		bar("p50", p.PerSec)
		if p.Failed > 0 {
			bar("failed", float64(p.Failed)/width)
		}
	}
}
