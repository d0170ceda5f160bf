package main

import "github.com/rpcgen-go/rpcgen/test/bench/work"

// toolGoals are those of MCP servers.
func (m *measured) toolGoals() []goal {
	call := goal{ID: "tool", Work: "MCP, `tools/call`, input and output validated",
		Goal: ">= 200x modelcontextprotocol/go-sdk; >= 40x mark3labs/mcp-go; >= 4x a switch on sonic"}
	r := m.row("mcp " + work.ToolCall)
	call.times(r, "go-sdk", 200)
	call.times(r, "mcp-go", 40)
	call.times(r, "sonic", 4)

	list := goal{ID: "list", Work: "MCP, `tools/list` of 30 tools", Goal: "within 2x of copying its bytes"}
	list.within(m.row("mcp "+work.ToolList), rpcgenName, floorCopy, 2)

	web := goal{ID: "web", Work: "MCP, `tools/call` over HTTP with 16 callers", Goal: "<= 1.2x a handler that answers canned bytes"}
	web.within(m.row("mcp "+work.ToolHTTP), rpcgenName, floorCanned, 1.2)
	wrong := m.refusals("toolwrong", "MCP, refused calls: invalid, missing, of a wrong type, unknown", "mcp ", work.RefusedTools)
	return []goal{call, list, web, wrong}
}
