package main

import (
	"strings"
	"testing"
	"time"
)

// TestTransportRows: transports give the rows that goals and the table are made of, and what is missed has its reason.
func TestTransportRows(t *testing.T) {
	m := &measured{Rows: transports(settings{rounds: 2, slice: 5 * time.Millisecond}, "")}
	for _, g := range m.transportGoals() {
		if len(g.parts) == 0 || why()[g.ID] == "" || strings.Contains(g.reached(), "0.00x") {
			t.Errorf("%s: %s", g.Work, g.reached())
		}
	}
	for _, r := range m.Rows {
		for _, f := range r.Figures {
			if len(f.NS) != 2 || len(f.CPU) != 2 || f.NS[0] <= 0 {
				t.Errorf("%s, %s: %+v", r.Title, f.Name, f)
			}
		}
	}
	var b strings.Builder
	transportTable(&b, m.row(transportRow(1)), m.row(transportRow(64)))
	if lines := strings.Count(b.String(), "\n| "); lines != 7 || strings.Contains(b.String(), "NaN") {
		t.Errorf("%d lines: %s", lines, b.String())
	}
}
