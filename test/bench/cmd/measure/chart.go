package main

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/rpcgen-go/rpcgen/schema/ir"
	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// bars are the contestants in the chart, and their colours.
var bars = []struct {
	name  string
	color color.RGBA
}{
	{"encoding/json", color.RGBA{0x4e, 0x79, 0xa7, 0xff}},
	{"sonic", color.RGBA{0xf2, 0x8e, 0x2b, 0xff}},
	{"jrpc2", color.RGBA{0x59, 0xa1, 0x4f, 0xff}},
	{"sourcegraph/jsonrpc2", color.RGBA{0xb0, 0x7a, 0xa1, 0xff}},
	{"x/exp/jsonrpc2", color.RGBA{0x9c, 0x75, 0x5f, 0xff}},
}

// chart draws how many times as long as rpcgen the peers need, on a logarithmic scale.
func (m *measured) chart(path string) error {
	type group struct{ id, label string }
	groups := []group{
		{"dispatch " + work.Small + ", Go", "small call"},
		{"dispatch " + work.Typical + ", Go", "typical call"},
		{"dispatch " + work.LongList, "list of 15 KB"},
		{"dispatch " + work.Plain, "100 KB text"},
		{"dispatch " + work.Invalid, "invalid params"},
		{"dispatch " + work.Unknown, "unknown method"},
		{"dispatch " + fmt.Sprintf(work.BatchWork, 100), "batch of 100"},
		{"round trip, callers=1", "round trip"},
	}
	p := plot.New()
	p.Title.Text = "Time, as a multiple of rpcgen's"
	p.BackgroundColor = color.White
	p.Legend.Top = true
	p.Legend.Left = true
	p.Legend.ThumbnailWidth, p.Legend.Padding = vg.Points(12), vg.Points(2)
	p.NominalX(ir.Each(groups, func(g group) string { return g.label })...)
	grid := plotter.NewGrid()
	grid.Vertical.Width = 0
	grid.Horizontal.Color = color.Gray{0xd0}
	p.Add(grid) // first, so that the bars cover it
	width := vg.Points(13)
	for k, bar := range bars {
		heights := make(plotter.Values, len(groups))
		for i, g := range groups {
			if q, ok := m.row(g.id).over(bar.name, rpcgenName); ok {
				heights[i] = math.Log10(q.Median)
			}
		}
		chart, err := plotter.NewBarChart(heights, width)
		if err != nil {
			return err
		}
		chart.Color, chart.LineStyle.Width = bar.color, 0
		chart.Offset = width * vg.Length(float64(k)-float64(len(bars)-1)/2)
		p.Add(chart)
		p.Legend.Add(bar.name, chart)
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks())
	p.Y.Min, p.Y.Max = -0.3, 2.75
	p.X.Min, p.X.Max = -0.6, float64(len(groups))-0.4
	return p.Save(11*vg.Inch, 4.5*vg.Inch, path)
}

func ticks() []plot.Tick {
	return ir.Each([]float64{0.5, 1, 3, 10, 30, 100, 300}, func(v float64) plot.Tick { return plot.Tick{Value: math.Log10(v), Label: fmt.Sprintf("%gx", v)} })
}
