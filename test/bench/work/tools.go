package work

import "fmt"

// ToolCurrent is the tool that is called: the small call, as a tool.
const ToolCurrent = "weather_current"

// The works that are asked of MCP servers.
const (
	ToolCall    = "tools/call"
	ToolList    = "tools/list of 30 tools"
	ToolBad     = "tools/call, invalid arguments"
	ToolMissing = "tools/call, missing argument"
	ToolWrong   = "tools/call, argument of a wrong type"
	ToolUnknown = "tools/call, unknown tool"
	ToolHTTP    = "tools/call over HTTP, 16 callers"
)

// RefusedTools are the works that are answered with an error, for the model or of the protocol.
var RefusedTools = []string{ToolBad, ToolMissing, ToolWrong, ToolUnknown}

// Stateless is what every request of the stateless era says of its client.
const Stateless = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}`

// ToolMessages returns the requests to MCP servers.
func ToolMessages() []Message {
	return []Message{
		{Work: ToolCall, Bytes: toolCall(ToolCurrent, smallParams)},
		{Work: ToolBad, Bytes: toolCall(ToolCurrent, invalidParams)},
		{Work: ToolMissing, Bytes: toolCall(ToolCurrent, missingParams)},
		{Work: ToolWrong, Bytes: toolCall(ToolCurrent, wrongParams)},
		{Work: ToolUnknown, Bytes: toolCall("weather_curent", smallParams), Code: -32602},
		{Work: ToolList, Bytes: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":42,"method":"tools/list","params":{%s}}`, Stateless)},
	}
}

func toolCall(tool, arguments string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`, tool, arguments, Stateless)
}
