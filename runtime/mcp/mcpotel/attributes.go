package mcpotel

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/rpcgen-go/rpcgen/runtime/rpcotel"
)

// The keys of the semantic conventions (gen_ai/mcp).
const (
	keyMethod          = attribute.Key("mcp.method.name")
	keyProtocolVersion = attribute.Key("mcp.protocol.version")
	keyResourceURI     = attribute.Key("mcp.resource.uri")
	keySessionID       = attribute.Key("mcp.session.id")
	keyRequestID       = rpcotel.KeyRequestID
	keyStatusCode      = rpcotel.KeyStatusCode
	keyErrorType       = rpcotel.KeyErrorType
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
