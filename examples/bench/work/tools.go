package work

import "fmt"

// ToolCurrent is the tool that is called: the small call, as a tool.
const ToolCurrent = "weather_current"

// The works that are asked of MCP servers.
const (
	ToolCall = "tools/call"
	ToolList = "tools/list of 30 tools"
	ToolBad  = "tools/call, invalid arguments"
	ToolHTTP = "tools/call over HTTP, 16 callers"
)

// Stateless is what every request of the stateless era says of its client.
const Stateless = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}`

// ToolMessages returns the requests to MCP servers.
func ToolMessages() []Message {
	return []Message{
		{Work: ToolCall, Bytes: toolCall(smallParams)},
		{Work: ToolBad, Bytes: toolCall(invalidParams)},
		{Work: ToolList, Bytes: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":42,"method":"tools/list","params":{%s}}`, Stateless)},
	}
}

func toolCall(arguments string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":42,"method":"tools/call","params":{"name":%q,"arguments":%s,%s}}`, ToolCurrent, arguments, Stateless)
}
