package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

const head = `# Performance

The same typed work, done by rpcgen and by other libraries for Go: the params are read into structs, the rules of the schema are checked, a
handler is called, the rules of its result are checked, and the result is written. Before anything is measured, the answers of all libraries
are compared as JSON. All of them run in one process, in %d rounds of %s each, and every round begins with another one. A ratio is taken
within each round, so what slows the machine down affects both sides; the tables show the medians. Times are those of one machine: compare ratios.

%s

` + "`make bench`" + ` measures again in about %d minutes. It writes this page, its chart, and
[every figure with its goal](../test/bench/figures.md), which also describes how each library is called. **encoding/json** and **sonic** are
servers written by hand with these libraries. A **dispatcher** turns the bytes of a request into those of its response; a **session** reads and
writes a connection, here one in memory.

![How many times as long as rpcgen the other libraries need](performance.svg)

`

// page returns docs/performance.md: what users want to know. Everything else is in figures.
func (m *measured) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, head, m.Settings.rounds, m.Settings.slice, machine(), int(m.Took.Minutes()+0.99))
	m.likeTable(&b)
	m.keyTable(&b)
	transportTable(&b, m.row(transportRow(1)), m.row(transportRow(64)))
	m.Scripts.write(&b)
	m.slowerText(&b)
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
	b.WriteString("## Goals\n\nWhat is missed is in bold.\n\n| work | goal | reached | met |\n|---|---|---|---|\n")
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
		fmt.Fprintf(b, "%d. %s: %s\n", i+1, g.Work, why[g.ID])
	}
	b.WriteString("\n")
}

func (m *measured) ratioTable(b *strings.Builder, title, text string, rows []row, kinds ...string) {
	fmt.Fprintf(b, "## %s\n\n%s\n\n", title, text)
	ratios(b, rows, kinds...)
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
	b.WriteString("## Round trips\n\nA typed client calls its server over a connection in memory; the small call. A call needs four switches from one " +
		"goroutine to another, an echo two: before the handler is entered another goroutine reads on, " +
		"and the one that reads the response wakes the caller. A context that can be cancelled and an entry in the table of calls come on top. " +
		"Less needs callers that read their own responses, which a read that blocks does not let go of when the caller gives up.\n\n")
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
	b.WriteString("### Declared timeouts\n\nThe small call, of a method with a declared timeout and of one without.\n\n| | none | declared | " +
		"|\n|---|--:|--:|--:|\n")
	for _, name := range []string{rpcgenName, overPipe} {
		r := m.row("timeout " + name)
		q, _ := r.over("declared timeout", "no timeout")
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", name, duration(r.find("no timeout").median()), duration(r.find("declared timeout").median()), x(q.Median))
	}
	b.WriteString("\n")
}

func (m *measured) processTables(b *strings.Builder) {
	p := m.Processes
	b.WriteString("## Router\n\nThe generated switches by themselves, nanoseconds a lookup, the call of a handler that does nothing included.\n\n")
	b.WriteString("| methods | at random | one hot method | map, at random | map, hot |\n|--:|--:|--:|--:|--:|\n")
	for _, l := range p.Lookups {
		fmt.Fprintf(b, "| %d | %.1f | %.1f | %.1f | %.1f |\n", l.Methods, l.Random, l.Hot, l.RandomMap, l.HotMap)
	}
	fmt.Fprintf(b, "\n## Generating and building\n\nA service of %d methods: params of six fields, a result of three with a list of structs of four.\n\n", manyMethods)
	fmt.Fprintf(b, "`rpcgen generate`, whole process, the best of %d: %.2f s (%.2f s of processor time, %.0f MB).\n\n", len(p.Generate),
		least(p.Generate).Wall, least(p.Generate).CPU, p.Generate[0].Peak/1e6)
	b.WriteString("`go build` of the package, what it imports being built; the best of " + fmt.Sprint(len(p.Builds[0].Took)) + ":\n\n")
	b.WriteString("| | lines | bytes a method | time | processor time | most memory |\n|---|--:|--:|--:|--:|--:|\n")
	for _, k := range p.Builds {
		fmt.Fprintf(b, "| %s | %d | %d | %.1f s | %.1f s | %.2f GB |\n", k.What, k.Lines, k.Bytes/manyMethods, least(k.Took).Wall, least(k.Took).CPU,
			k.Took[0].Peak/1e9)
	}
	b.WriteString("\n## Programs\n\n| | binary | stripped |\n|---|--:|--:|\n")
	for _, x := range p.Binaries {
		fmt.Fprintf(b, "| %s | %s | %s |\n", x.What, megabytes(x.Plain), megabytes(x.Stripped))
	}
	fmt.Fprintf(b, "\nFrom start to end without input: %.2f ms, the empty program %.2f ms. Before main, all packages together work for %.3f ms, "+
		"those of the empty program for %.3f ms; %d of them are rpcgen's.\n\n", p.Startup.Hello, p.Startup.Empty, p.Startup.InitTime, p.Startup.EmptyInit, p.Startup.Inits)
	b.WriteString("## Idle sessions\n\nOver a pipe, including the session's end of the pipe.\n\n| | bytes | goroutines |\n|---|--:|--:|\n")
	for _, i := range m.Idle {
		fmt.Fprintf(b, "| %s | %.0f | %.2f |\n", i.what(), i.Bytes, i.Goroutines)
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
