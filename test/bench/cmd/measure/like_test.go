package main

import (
	"strings"
	"testing"
	"time"

	"github.com/rpcgen-go/rpcgen/test/bench/work"
)

// TestLikeForLike: every cell of the first table that belongs to a contestant is measured, and what is missed has its reason.
func TestLikeForLike(t *testing.T) {
	s := settings{rounds: 1, slice: time.Millisecond}
	m := &measured{Rows: append(append(dispatches(s, ""), tools(s, "")...), timeouts(s, "")...), Delays: measureDelays(1, 2*time.Millisecond)}
	var table strings.Builder
	m.likeTable(&table)
	lines := strings.Split(strings.TrimSpace(table.String()), "\n")
	if want := len(likeRows()) + 2; len(lines) != want {
		t.Errorf("%d lines, want %d:\n%s", len(lines), want, table.String())
	}
	columns := strings.Count(lines[0], "|")
	for _, line := range lines {
		if strings.Count(line, "|") != columns {
			t.Errorf("another number of columns: %s", line)
		}
	}
	for _, g := range append(m.likeGoals(), m.refusals("wrong", "", "dispatch ", work.Refused), m.lateGoal(), m.timeoutGoal()) {
		if len(g.parts) == 0 || why()[g.ID] == "" || strings.Contains(g.reached(), "0.00x") {
			t.Errorf("%s: %s", g.ID, g.reached())
		}
	}
	m.Delays.write(&table)
	if !strings.Contains(table.String(), "longest pause") {
		t.Error(table.String())
	}
	for _, name := range []string{rpcgenName, "jrpc2", overMCP, "go-sdk", floorEcho, floorSpin, uncleaned, alone} {
		if d := m.Delays.find(name); len(d.Median) != 1 || d.Median[0] <= 0 || d.P999[0] < d.P99[0] || d.P99[0] < d.Median[0] || d.Sent999[0] > d.P999[0] {
			t.Errorf("%s: %+v", name, d)
		}
	}
}
