package main

import (
	_ "embed"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

//go:embed pages.tmpl
var pages string

// page returns docs/performance.md: what users want to know. Everything else is in figures.
func (m *measured) page() string { return m.render("performance") }

// figures returns test/bench/figures.md: all goals and all figures.
func (m *measured) figures() string { return m.render("figures") }

// render returns a page of the templates.
func (m *measured) render(page string) string {
	text := func(write func(*strings.Builder)) func() string {
		return func() string { return strings.TrimRight(render(write), "\n") }
	}
	var b strings.Builder
	must(template.Must(template.New("").Funcs(template.FuncMap{
		"machine": machine, "minutes": func() int { return int(m.Took.Minutes() + 0.99) }, "slow": m.slow,
		"megabytes": megabytes, "least": least, "duration": duration,
		"rounds": func() string { return fmt.Sprintf("%d rounds of %s each", m.Settings.rounds, m.Settings.slice) },
		"ratios": func(rows []row, kinds ...string) string {
			return text(func(b *strings.Builder) { ratios(b, rows, kinds...) })()
		},
		"like": text(m.likeTable), "keys": text(m.keyTable), "goals": text(m.goalTable), "compact": text(m.compactTable), "trips": text(m.tripTable),
		"timeouts": text(m.timeoutTable),
		"singles":  text(m.Singles.write), "scripts": text(m.Scripts.write), "delays": text(m.Delays.write),
		"network": text(func(b *strings.Builder) { transportTable(b, m.row(transportRow(1)), m.row(transportRow(64))) }),
		"per":     func(n int) int { return n / manyMethods }, "GB": func(bytes float64) string { return fmt.Sprintf("%.2f GB", bytes/1e9) },
		"what": idle.what, "floorSpin": func() string { return floorSpin }, "clockAlone": func() string { return clockAlone },
		"megabytesOf": func(bytes float64) float64 { return bytes / 1e6 }, "table": func(r row) string { return r.table() },
	}).Parse(pages)).ExecuteTemplate(&b, page, m))
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// machine says what was measured on.
func machine() string {
	s := fmt.Sprintf("Measured on %s with %s on %s/%s, a %d-core %s", time.Now().Format("2 January 2006"), runtime.Version(), runtime.GOOS,
		runtime.GOARCH, runtime.NumCPU(), processor())
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if slices.Contains([]string{"github.com/bytedance/sonic", "github.com/creachadair/jrpc2", "github.com/sourcegraph/jsonrpc2",
				"golang.org/x/exp/jsonrpc2", "github.com/modelcontextprotocol/go-sdk", "github.com/mark3labs/mcp-go",
				"github.com/ethereum/go-ethereum", "github.com/gorilla/rpc", "github.com/coder/websocket",
				"google.golang.org/grpc", "connectrpc.com/connect"}, d.Path) {
				s += fmt.Sprintf(", %s %s", strings.TrimPrefix(d.Path, "github.com/"), d.Version)
			}
		}
	}
	return s + "."
}

// processor returns the family of the processor.
func processor() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "machine"
	}
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			words := strings.Fields(value)
			return strings.Join(words[:min(2, len(words))], " ") + " machine"
		}
	}
	return "machine"
}

func (m *measured) goalTable(b *strings.Builder) {
	var missed []goal
	for _, g := range m.goals() {
		verdict := "yes"
		if !g.met() {
			missed = append(missed, g)
			verdict = fmt.Sprintf("no (%d)", len(missed))
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", g.Work, g.Goal, g.reached(), verdict)
	}
	b.WriteString("\n")
	for i, g := range missed {
		fmt.Fprintf(b, "%d. %s: %s\n", i+1, g.Work, why()[g.ID])
	}
	b.WriteString("\n")
}

// ratios writes a table of the rows of some kinds, with a column for each contestant.
func ratios(b *strings.Builder, rows []row, kinds ...string) {
	var columns []string
	var chosen []row
	for _, r := range rows {
		if !slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(r.ID, kind) }) {
			continue
		}
		chosen = append(chosen, r)
		for _, f := range r.Figures {
			if f.Name != rpcgenName && f.Name != singles && f.Name != accepted && f.Name != compact && !slices.Contains(columns, f.Name) {
				columns = append(columns, f.Name)
			}
		}
	}
	fmt.Fprintf(b, "| | rpcgen | %s |\n|---|--:|%s\n", strings.Join(columns, " | "), strings.Repeat("--:|", len(columns)))
	for _, r := range chosen {
		f := r.find(rpcgenName)
		fmt.Fprintf(b, "| %s | %s, %.1f allocs |", r.Title, duration(f.median()), f.Allocs)
		r.multiples(b, rpcgenName, columns)
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

func (m *measured) tripTable(b *strings.Builder) {
	ratios(b, m.Rows, "round trip,")
	side := m.row("round trips side by side")
	q, _ := side.over("64 callers", "1 caller")
	fmt.Fprintf(b, "A call of 64 concurrent callers takes %s the time of one by itself (%s and %s).\n\n", x(q.Median),
		duration(side.find("64 callers").median()), duration(side.find("1 caller").median()))
	b.WriteString("### Batches\n\n| | a call |\n|---|--:|\n")
	for _, f := range m.row("growth").Figures {
		fmt.Fprintf(b, "| %s | %s |\n", f.Name, duration(f.median()))
	}
	one := m.row("dispatch " + fmt.Sprintf(work.BatchWork, 100)).find(singles)
	fmt.Fprintf(b, "| by itself | %s |\n\n", duration(one.median()))
}

func (m *measured) timeoutTable(b *strings.Builder) {
	for _, name := range []string{rpcgenName, overPipe} {
		r := m.row("timeout " + name)
		q, _ := r.over("declared timeout", "no timeout")
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", name, duration(r.find("no timeout").median()), duration(r.find("declared timeout").median()), x(q.Median))
	}
	b.WriteString("\n")
}

// table returns all figures of a row.
func (r *row) table() string {
	var b strings.Builder
	b.WriteString("| | time | times the first | quartiles | allocations | bytes |\n|---|--:|--:|--:|--:|--:|\n")
	for i := range r.Figures {
		f := &r.Figures[i]
		q, _ := r.over(f.Name, r.Figures[0].Name)
		fmt.Fprintf(&b, "| %s | %s | %s | %s - %s | %.1f | %.0f |\n", f.Name, duration(f.median()), x(q.Median), x(q.Low), x(q.High), f.Allocs, f.Bytes)
	}
	return b.String()
}

// duration formats nanoseconds.
func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1e5:
		return fmt.Sprintf("%.2f us", ns/1e3)
	}
	return fmt.Sprintf("%.0f us", ns/1e3)
}
