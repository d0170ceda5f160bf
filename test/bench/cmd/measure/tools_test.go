package main

import (
	"strings"
	"testing"
	"time"
)

// TestToolRows: the MCP servers give the rows that goals and tables are made of, and what is missed has its reason.
func TestToolRows(t *testing.T) {
	m := &measured{Rows: tools(settings{rounds: 1, slice: time.Millisecond}, "")}
	goals := m.toolGoals()
	if len(m.Rows) != 7 || len(goals) != 4 {
		t.Errorf("%d rows, %d goals", len(m.Rows), len(goals))
	}
	for _, g := range goals {
		if len(g.parts) == 0 || why()[g.ID] == "" || strings.Contains(g.reached(), "0.00x") {
			t.Errorf("%s: %s", g.Work, g.reached())
		}
	}
	var table strings.Builder
	ratios(&table, m.Rows, "mcp ")
	const columns = "| | rpcgen | rpcgen, session | sonic | sonic, tuned | go-sdk | mcp-go | copy of its bytes | canned bytes |"
	if text := table.String(); !strings.HasPrefix(text, columns+"\n") || strings.Count(text, "\n") != 10 {
		t.Error(text)
	}
}
