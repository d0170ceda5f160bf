package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// sample measures for a moment only, and makes up what takes minutes: whole processes.
func sample(t *testing.T) *measured {
	t.Helper()
	s := settings{rounds: 1, slice: time.Millisecond}
	m := &measured{Settings: s, Idle: []idle{{0, 4000, 1}, {3, 3900, 1}}}
	m.Rows = append(dispatches(s, ""), codecs(s, "")...)
	m.Rows = append(m.Rows, trips(s, "")...)
	m.Rows = append(m.Rows, tools(s, "")...)
	m.Rows = append(m.Rows, served(s, "")...)
	m.Rows = append(m.Rows, transports(s, "")...)
	m.Rows = append(m.Rows, timeouts(s, "")...)
	m.Rows = append(m.Rows, growth(s)...)
	m.Delays = measureDelays(1, 2*time.Millisecond)
	m.Singles = measureSingles(1, time.Millisecond)
	m.Scripts.Node = "20.1"
	for _, title := range []string{"result of 0.7 KB", "list of 15 KB"} {
		for _, kind := range []string{"parse", "read", "check", "refuse"} {
			r := scriptRow{Title: title, Kind: kind, Took: map[string]float64{"rpcgen": 1000}}
			for _, name := range scriptPeers {
				if (kind == "parse") == (name == "JSON.parse") {
					r.Took[name] = 2000
				}
			}
			m.Scripts.Rows = append(m.Scripts.Rows, r)
		}
	}
	for _, r := range m.Rows {
		if !strings.HasPrefix(r.ID, "mcp ") && !strings.HasPrefix(r.ID, "served ") {
			m.JSONv2 = append(m.JSONv2, r)
		}
	}
	once := []took{{1, 1, 1e6}}
	m.Processes = &processes{
		Generate: once,
		Builds:   []buildOf{{bothSides, 1, 1000, once}, {bothWithout, 1, 1000, once}, {bothCompact, 1, 1000, once}},
		Binaries: []binary{{"empty program", 1e6, 1e6}, {"hello-world server of rpcgen", 3e6, 2e6}, {"the same by hand on encoding/json", 2e6, 1e6}},
		Lookups:  []lookup{{Methods: manyMethods, Random: 1, Hot: 1, RandomMap: 1, HotMap: 1}},
	}
	return m
}

// TestPages: the page for users is short, and the committed pages have the form that the program writes.
func TestPages(t *testing.T) {
	m := sample(t)
	page, figures := m.page(), m.figures()
	if n := strings.Count(page, "\n"); n > 150 {
		t.Errorf("docs/performance.md has %d lines, and may have 150", n)
	}
	if n := len(m.keys()); n != 12 {
		t.Errorf("it has %d figures, want 12", n)
	}
	_, slower, _ := strings.Cut(page, "## Where it is slower, and why\n\n")
	slower, _, _ = strings.Cut(slower, "\n\n")
	for s := range strings.SplitSeq(slower, "\n") {
		if strings.Count(s, ". ") > 0 || !strings.HasSuffix(s, ".") || strings.Contains(s, " 0.00x") {
			t.Errorf("want one sentence: %s", s)
		}
	}
	if n := strings.Count(slower, "\n"); n != 4 {
		t.Errorf("%d sentences say where it is slower, want 5", n+1)
	}
	root := filepath.Join("..", "..", "..", "..")
	if got, want := form(read(t, filepath.Join(root, "docs", "performance.md"))), form(page); got != want {
		t.Errorf("docs/performance.md has another form than the program writes:\n%s\nwant\n%s", got, want)
	}
	committed := read(t, filepath.Join(root, "test", "bench", "figures.md"))
	headings := regexp.MustCompile(`(?m)^#.*`)
	if got, want := headings.FindAllString(committed, -1), headings.FindAllString(figures, -1); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("test/bench/figures.md has the headings %q, want %q", got, want)
	}
	for _, g := range m.goals() {
		if !strings.Contains(committed, "| "+g.Work+" | "+g.Goal+" |") {
			t.Errorf("test/bench/figures.md lacks the goal %q", g.Work)
		}
	}
}

// form is a page without its numbers and without the line about the machine.
func form(page string) string {
	page = regexp.MustCompile("(?m)^Measured on .*").ReplaceAllString(page, "")
	return regexp.MustCompile(`\b[\d.]+(e[-+]\d+)?(x|ms| (ns|us|s|MB))?\b`).ReplaceAllString(page, "N")
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
