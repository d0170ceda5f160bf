package main

import (
	"strings"
	"testing"
	"time"
)

// TestServedRows: servers over HTTP and WebSocket give the rows that goals and tables are made of, and what is missed has its reason.
func TestServedRows(t *testing.T) {
	m := &measured{Rows: served(settings{rounds: 1, slice: time.Millisecond}, "")}
	if len(m.Rows) != 2 {
		t.Errorf("%d rows", len(m.Rows))
	}
	if g := m.postGoal(); len(g.parts) == 0 || why()[g.ID] == "" || strings.Contains(g.reached(), "0.00x") {
		t.Errorf("%s: %s", g.Work, g.reached())
	}
	var table strings.Builder
	ratios(&table, m.Rows, "served ")
	const columns = "| | rpcgen | go-ethereum/rpc | gorilla/rpc | canned bytes |"
	if text := table.String(); !strings.HasPrefix(text, columns+"\n") || strings.Count(text, "\n") != 5 {
		t.Error(text)
	}
}
