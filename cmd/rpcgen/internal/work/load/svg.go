package load

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

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
	title := fmt.Sprintf("%s: %d calls, %.0f/s, p99 %s", r.Server, r.Calls, r.PerSec, shown(r.Response.P99))
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
			left, left+plotWidth, y, y, left-6, y+4, shown(int64(math.Pow(10, power))))
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
