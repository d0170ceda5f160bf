package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// goal is one line of the table of goals.
type goal struct {
	ID, Work, Goal string
	parts          []part
}

// part is one number that a goal asks for.
type part struct {
	text string
	met  bool
}

func (g *goal) met() bool {
	return len(g.parts) > 0 && !slices.ContainsFunc(g.parts, func(p part) bool { return !p.met })
}

// reached says what was measured, with what is missed in bold.
func (g *goal) reached() string {
	var texts []string
	for _, p := range g.parts {
		if !p.met {
			p.text = "**" + p.text + "**"
		}
		texts = append(texts, p.text)
	}
	return strings.Join(texts, "; ")
}

// add adds a number to a goal.
func (g *goal) add(met bool, format string, args ...any) {
	g.parts = append(g.parts, part{fmt.Sprintf(format, args...), met})
}

// times asks for a contestant to need at least so many times as long as rpcgen.
func (g *goal) times(r *row, name string, least float64) { g.slower(r, name, rpcgenName, least) }

// slower asks for a contestant to need at least so many times as long as another.
func (g *goal) slower(r *row, name, ours string, least float64) {
	q, ok := r.over(name, ours)
	g.add(ok && q.Median >= least, "%s %s", x(q.Median), name)
}

// within asks for rpcgen to need at most so many times as long as another.
func (g *goal) within(r *row, ours, name string, most float64) {
	q, ok := r.over(ours, name)
	g.add(ok && q.Median <= most, "%s %s", x(q.Median), name)
}

// allocations asks for at most so many allocations.
func (g *goal) allocations(r *row, most, others float64) {
	n := r.find(rpcgenName).Allocs - others
	g.add(n < most+0.05, "%.0f allocations", n)
}

// x formats a ratio.
func x(f float64) string {
	switch {
	case f < 10:
		return fmt.Sprintf("%.2fx", f)
	case f < 100:
		return fmt.Sprintf("%.1fx", f)
	}
	return fmt.Sprintf("%.0fx", f)
}

func (m *measured) row(id string) *row {
	for i := range m.Rows {
		if m.Rows[i].ID == id {
			return &m.Rows[i]
		}
	}
	panic("not measured: " + id)
}

// goals compares what was measured with what was asked for.
func (m *measured) goals() []goal {
	usual := goal{ID: "small", Work: "dispatch, small call, bytes to bytes, validated, usual order",
		Goal: "0 allocations; >= 30x encoding/json; >= 12x sonic; <= 1x `sonic.Valid` of the request"}
	r := m.row("dispatch " + work.Small + ", Go")
	usual.allocations(r, 0, 0)
	usual.times(r, "encoding/json", 30)
	usual.times(r, "sonic", 12)
	usual.within(r, rpcgenName, floorValid, 1)

	orders := goal{ID: "orders", Work: "the same in any member order or spacing", Goal: "0 allocations; >= 17x encoding/json"}
	for _, order := range work.Orders[1:] {
		r := m.row("dispatch " + work.Small + ", " + order)
		q, _ := r.over("encoding/json", rpcgenName)
		orders.add(q.Median >= 17 && r.find(rpcgenName).Allocs < 0.05, "%s: %s, %.0f allocations", order, x(q.Median), r.find(rpcgenName).Allocs)
	}

	typical := goal{ID: "typical", Work: "dispatch, typical call",
		Goal: ">= 4x sonic; >= 10x encoding/json; >= 30x jrpc2; at most 2 allocations of our own"}
	r = m.row("dispatch " + work.Typical + ", Go")
	typical.times(r, "sonic", 4)
	typical.times(r, "encoding/json", 10)
	typical.times(r, "jrpc2", 30)
	typical.allocations(r, 2, 1) // the handler makes a slice

	decode := goal{ID: "decode", Work: "typed decode, 144 B / 653 B, reused value", Goal: ">= 22x encoding/json; >= 5x sonic"}
	encode := goal{ID: "encode", Work: "typed encode, 144 B / 653 B", Goal: ">= 4x / >= 6x encoding/json; >= 2.5x sonic"}
	for i, doc := range []string{"144 B params", "653 B result"} {
		decode.times(m.row("decode "+doc), "encoding/json", 22)
		decode.times(m.row("decode "+doc), "sonic", 5)
		encode.times(m.row("encode "+doc), "encoding/json", []float64{4, 6}[i])
		encode.times(m.row("encode "+doc), "sonic", 2.5)
	}

	plain := goal{ID: "plain", Work: "100 KB plain text, decode / encode", Goal: ">= 50x / >= 7x encoding/json"}
	plain.times(m.row("decode "+work.Plain), "encoding/json", 50)
	plain.times(m.row("encode "+work.Plain), "encoding/json", 7)

	texts := goal{ID: "texts", Work: "100 KB escape-heavy or CJK text, decode / encode", Goal: "within 1.2x of sonic"}
	for _, text := range work.Texts[1:] {
		for _, way := range []string{"decode ", "encode "} {
			q, _ := m.row(way+text).over(rpcgenName, "sonic")
			texts.add(q.Median <= 1.2, "%s %s: %s", strings.TrimPrefix(text, "100 KB text, "), strings.TrimSpace(way), x(q.Median))
		}
	}

	batch := goal{ID: "batch", Work: "batch of 100 small calls", Goal: "<= 1.1x of 100 single dispatches; linear"}
	batch.within(m.row("dispatch "+fmt.Sprintf(work.BatchWork, 100)), rpcgenName, singles, 1.1)
	q, _ := m.row("growth").over("batch of 10000", "batch of 100")
	batch.add(q.Median <= 1.2, "a call in a batch of 10,000 is %s one in a batch of 100", x(q.Median))

	trip := goal{ID: "trip", Work: "round trip over an in-memory pipe", Goal: "64 callers no slower per call than 1"}
	q, _ = m.row("round trips side by side").over("64 callers", "1 caller")
	trip.add(q.Median <= 1, "64 callers %s a call", x(q.Median))

	router := goal{ID: "router", Work: "router, 1,000 methods", Goal: "<= 18 ns a lookup; two-level switch where it pays"}
	for _, l := range m.Processes.Lookups {
		router.add(l.Methods < manyMethods || l.Random <= 18, "%d methods: %.1f ns at random, %.1f ns hot", l.Methods, l.Random, l.Hot)
	}

	wrong := m.refusals("wrong", "refused calls: invalid, missing, of a wrong type, unknown", "dispatch ", work.Refused)

	start := goal{ID: "startup", Work: "startup, size", Goal: "no init work; a hello-world server links no sonic and adds < 1.5 MB to an empty program"}
	p := m.Processes
	start.add(p.Startup.Inits == 0, "%d packages with init work", p.Startup.Inits)
	start.add(!p.Sonic, "%s", map[bool]string{false: "no sonic", true: "sonic is linked"}[p.Sonic])
	more, moreStripped := p.Binaries[1].Plain-p.Binaries[0].Plain, p.Binaries[1].Stripped-p.Binaries[0].Stripped
	start.add(more < 1_500_000, "+%s", megabytes(more))
	start.add(moreStripped < 1_500_000, "+%s stripped", megabytes(moreStripped))

	waiting := goal{ID: "idle", Work: "idle session", Goal: "<= 4 KB and 1 goroutine over a pipe"}
	for _, i := range m.Idle {
		waiting.add(i.Bytes <= 4096 && i.Goroutines < 1.05, "%s: %.0f bytes, %.2f goroutines", i.what(), i.Bytes, i.Goroutines)
	}

	generate := goal{ID: "generate", Work: "generate 1,000 methods, whole process", Goal: "<= 0.8 s on 2 cores"}
	t := least(p.Generate).Wall
	generate.add(t <= 0.8, "%.2f s", t)

	build := goal{ID: "build", Work: "`go build` of those 1,000 methods",
		Goal: "<= 24 s and 2.3 GB; <= 17 s and 1.6 GB without encoding/json; <= 7 s with the compact codec; only the side that is asked for"}
	for _, b := range p.Builds {
		t, peak := least(b.Took).Wall, b.Took[0].Peak/1e9
		met := true
		switch b.What {
		case bothSides:
			met = t <= 24 && peak <= 2.3
		case bothWithout:
			met = t <= 17 && peak <= 1.6
		case bothCompact:
			met = t <= 7
		}
		build.add(met, "%s: %.1f s, %.2f GB", b.What, t, peak)
	}
	all := append(m.likeGoals(), usual, orders, typical, decode, encode, plain, texts, batch, trip)
	all = append(all, m.toolGoals()...)
	all = append(all, m.postGoal())
	all = append(all, m.transportGoals()...)
	return append(all, router, wrong, m.timeoutGoal(), m.lateGoal(), start, waiting, generate, build)
}

func (i idle) what() string {
	if i.Calls == 0 {
		return "fresh"
	}
	return fmt.Sprintf("after %d calls", i.Calls)
}

func megabytes(n int64) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }
