package mcpotel

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"
)

// The keys of the semantic conventions (gen_ai/mcp).
const (
	keyMethod          = attribute.Key("mcp.method.name")
	keyProtocolVersion = attribute.Key("mcp.protocol.version")
	keyResourceURI     = attribute.Key("mcp.resource.uri")
	keySessionID       = attribute.Key("mcp.session.id")
	keyRequestID       = attribute.Key("jsonrpc.request.id")
	keyStatusCode      = attribute.Key("rpc.response.status_code")
	keyErrorType       = attribute.Key("error.type")
	keyTool            = attribute.Key("gen_ai.tool.name")
	keyPrompt          = attribute.Key("gen_ai.prompt.name")
	keyOperation       = attribute.Key("gen_ai.operation.name")
	keyTransport       = attribute.Key("network.transport")
	keyProtocol        = attribute.Key("network.protocol.name")
)

// The values of error.type that are not codes of JSON-RPC.
const (
	typeTool      = "tool_error" // the result of a tool has isError
	typeCancelled = "cancelled"
	typeTimeout   = "timeout"
	other         = "_OTHER" // also stands for a method that does not exist
)

// clip shortens text of a peer. It copies the text, because a span outlives the message that s may
// share.
func clip(s string) string {
	const most = 256 // bytes
	if len(s) > most {
		return s[:most] + "..."
	}
	return strings.Clone(s)
}
