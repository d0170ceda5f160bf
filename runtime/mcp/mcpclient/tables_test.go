package mcpclient

import (
	"strconv"
	"strings"
	"testing"

	"github.com/rpcgen-go/rpcgen/runtime/gen/mcpgen"
)

// TestLearnedTables: lists that name other tools each time do not fill the memory, what is declared is kept, and what is listed comes before it.
func TestLearnedTables(t *testing.T) {
	var tables headerTables
	header := func(tool, name string) []mcpgen.ToolHeader {
		return []mcpgen.ToolHeader{{Tool: tool, Header: name, Path: []string{"a"}}}
	}
	tables.declare(header("declared", "D"))
	tables.learn("declared", header("declared", "E"), 10_000)
	if got := tables.of("declared"); len(got) != 1 || got[0].Header != "E" {
		t.Errorf("what was learned is not used: %v", got)
	}
	for i := range 1000 {
		tool := strconv.Itoa(i)
		tables.learn(tool, header(tool, "H"), 10_000)
		tables.learn("without "+tool, nil, 10_000)
		if tables.bytes > 10_000 || len(tables.learned) > 10_000/128 || tables.of(tool) == nil {
			t.Fatalf("%d tables with %d bytes after %d tools", len(tables.learned), tables.bytes, i)
		}
	}
	if got := tables.of("declared"); len(got) != 1 || got[0].Header != "D" {
		t.Errorf("what was declared is gone: %v", got)
	}
	tables.learn("large", header("large", strings.Repeat("H", 10_000)), 10_000)
	if tables.bytes > 10_000 {
		t.Errorf("%d bytes with one large table", tables.bytes)
	}
	tables.learn("declared", nil, 10_000)
	if got := tables.of("declared"); got != nil {
		t.Errorf("the server has a tool without headers, and they are still %v", got)
	}
	for tool := range tables.learned {
		tables.forget(tool)
	}
	if tables.bytes != 0 {
		t.Errorf("%d bytes are left of nothing", tables.bytes)
	}
}
